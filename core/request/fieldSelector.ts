export interface FieldTerm {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

const OPERATORS = [
  ['!=', '!='],
  ['==', '='],
  ['=', '='],
] as const

/** Splits at commas that no backslash escapes. */
function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i += 1
    else if (text[i] === ',') {
      terms.push(text.slice(start, i))
      start = i + 1
    }
  }
  return [...terms, text.slice(start)]
}

function splitTerm(
  term: string,
): { readonly at: number; readonly length: number; readonly operator: '=' | '!=' } | undefined {
  for (let at = 0; at < term.length; at++) {
    for (const [written, operator] of OPERATORS) {
      if (term.startsWith(written, at)) return { at, length: written.length, operator }
    }
  }
  return undefined
}

/** The value behind backslash escapes of `\`, `,` and `=`; `undefined` for any other escape or a bare `,` or `=`. */
function unescape(value: string): string | undefined {
  let plain = ''
  for (let i = 0; i < value.length; i++) {
    const character = value[i] ?? ''
    if (character === ',' || character === '=') return undefined
    if (character !== '\\') {
      plain += character
      continue
    }
    i += 1
    const escaped = value[i] ?? ''
    if (escaped === '' || !'\\,='.includes(escaped)) return undefined
    plain += escaped
  }
  return plain
}

/** The terms of a field selector (specification 2.1); empty terms are skipped. `undefined` when it is none. */
export function parseFieldSelector(text: string): readonly FieldTerm[] | undefined {
  const terms: FieldTerm[] = []
  for (const term of splitTerms(text)) {
    if (term === '') continue
    const found = splitTerm(term)
    if (found === undefined) return undefined
    const value = unescape(term.slice(found.at + found.length))
    if (value === undefined) return undefined
    terms.push({ field: term.slice(0, found.at), operator: found.operator, value })
  }
  return terms
}

/** The value that the selector requires of a field exactly, if it does. */
export function requiredValue(terms: readonly FieldTerm[], field: string): string | undefined {
  return terms.find((term) => term.operator === '=' && term.field === field)?.value
}
