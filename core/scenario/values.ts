import { anyOf, entry, type Finding, member, quoted, rejected, meantOr } from '../config/finding.ts'
import { type Read, readAmount } from '../config/jsonValues.ts'

export const problem = (at: string, message: string): Finding => rejected(at, 'FieldValueInvalid', message)

/** A number within bounds, both included; 0 if absent. */
export const bounded =
  ({
    min,
    max,
    whole = false,
  }: {
    readonly min: number
    readonly max: number
    readonly whole?: boolean
  }): Read<number> =>
  (value, at, findings) => {
    const number = readAmount(value, at, findings)
    if (typeof value !== 'number') return number
    if (number >= min && number <= max && (!whole || Number.isInteger(number))) return number
    findings.push(problem(at, `${at} must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}, not ${number}.`))
    return min
  }

/** Each item of a list needs a unique name. */
export function namedOnce(all: readonly { readonly name: string }[], list: string, findings: Finding[]): void {
  const seen = new Set<string>()
  for (const [index, { name }] of all.entries()) {
    const at = member(entry(list, index), 'name')
    if (name === '') findings.push(problem(at, `${entry(list, index)} needs a name.`))
    else if (seen.has(name)) findings.push(problem(at, `Duplicate name ${quoted(name)}: names must be unique.`))
    seen.add(name)
  }
}

/** A name that must be one of several; `what` is a noun: `variant`. */
export function knownName(
  text: string,
  names: readonly string[],
  { at, what, findings }: { readonly at: string; readonly what: string; readonly findings: Finding[] },
): void {
  if (names.includes(text)) return
  const mend = meantOr(text, names, names.length === 0 ? 'none are defined.' : `the names are ${anyOf(names)}.`)
  findings.push(problem(at, `There is no ${what} ${quoted(text)}: ${mend}`))
}
