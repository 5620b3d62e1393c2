import { anyOf, type Finding, member, quoted } from '../config/finding.ts'
import { type Read, readAmount, readList, readText } from '../config/jsonValues.ts'
import { readAs } from '../config/members.ts'
import { nearest } from '../text/text.ts'
import { type Assertion, isMeasure, type Measured, MEASURES } from './scenario.ts'
import { problem } from './values.ts'

type Members = Parameters<Parameters<typeof readAs>[0]>[0]

const measuredMembers = (members: Members) => ({
  measure: members.text('measure'),
  ...members.given('clients', readText),
  ...members.given('level', readText),
})

const readWrittenMeasured = readAs(measuredMembers)

const readWrittenAssertion = readAs((members) => ({
  ...measuredMembers(members),
  ...members.given('least', readAmount),
  ...members.given('most', readAmount),
  ...members.given('variants', readList(readText)),
}))

/** A number of a run: a measure of clients, of a level, or of everything. */
export const readMeasured: Read<Measured> = (value, at, findings) =>
  measuredOf(readWrittenMeasured(value, at, findings), at, findings)

export const readAssertion: Read<Assertion> = (value, at, findings) => {
  const { least, most, variants, ...written } = readWrittenAssertion(value, at, findings)
  const measured = measuredOf(written, at, findings)
  if (least === undefined && most === undefined) {
    findings.push(problem(at, 'An assertion needs a bound: least, most, or both.'))
  }
  return {
    ...measured,
    ...(least !== undefined && { least }),
    ...(most !== undefined && { most }),
    ...(variants !== undefined && { variants }),
  }
}

function measuredOf(
  { clients, level, measure }: ReturnType<typeof measuredMembers>,
  at: string,
  findings: Finding[],
): Measured {
  const of = subjectOf({ clients, level }, at, findings)
  if (!isMeasure(measure)) {
    const meant = nearest(measure, Object.keys(MEASURES))
    const mend = meant === undefined ? `use ${anyOf(Object.keys(MEASURES))}` : `did you mean ${quoted(meant)}?`
    findings.push(problem(member(at, 'measure'), `There is no measure ${quoted(measure)}: ${mend}`))
  }
  if (measure === 'currentLimit' && level === undefined) {
    findings.push(problem(member(at, 'measure'), 'A level has a currentLimit: name the level.'))
  }
  return { of, measure: isMeasure(measure) ? measure : 'offered' }
}

/** Clients or a level, but not both. */
export function subjectOf(
  { clients, level }: { readonly clients?: string | undefined; readonly level?: string | undefined },
  at: string,
  findings: Finding[],
): Measured['of'] {
  if (clients !== undefined && level !== undefined) {
    findings.push(problem(member(at, 'level'), `${at} is about clients or a level: remove one of the two.`))
  }
  const name = clients ?? level
  return name === undefined ? undefined : { kind: clients === undefined ? 'level' : 'clients', name }
}
