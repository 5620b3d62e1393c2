import { nearest } from '../text/text.ts'

/**
 * The language for filtering rows: tokens separated by blanks, all of which must match. `key:value` searches one column
 * (`*` stands for anything, a comma for "or"), `wait>1s` compares, a leading minus means "not", quotes keep blanks, and
 * everything else is searched in the whole row.
 */

/** The columns of one table that can be filtered. */
export interface Vocabulary<R> {
  /** Columns of text. `whole`: the value must be the whole text, so that queue 1 does not match queue 14. */
  readonly texts: Readonly<Record<string, { readonly of: (row: R) => string; readonly whole?: boolean }>>
  /**
   * Columns of numbers. Durations are in milliseconds. `undefined`: this row has no value, and no comparison matches.
   */
  readonly amounts: Readonly<
    Record<string, { readonly of: (row: R) => number | undefined; readonly unit: 'duration' | 'count' }>
  >
  /** Texts that are searched for tokens without a key. */
  readonly free: (row: R) => readonly string[]
}

export type Comparison = '>' | '>=' | '<' | '<=' | '=' | '!='

export type Token =
  | { readonly kind: 'text'; readonly key: string; readonly values: readonly string[]; readonly not: boolean }
  | {
      readonly kind: 'amount'
      readonly key: string
      readonly comparison: Comparison
      readonly amount: number
      readonly not: boolean
    }
  | { readonly kind: 'free'; readonly value: string; readonly not: boolean }
  /** Hides nothing; `why` is a sentence. */
  | { readonly kind: 'unknown'; readonly text: string; readonly why: string }

const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 }

/** Milliseconds of `5s`, `200ms`, `1.5` (seconds), `2min`; `undefined` when it is none of these. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|min|h)?$/.exec(text)
  return match === null ? undefined : Number(match[1]) * (MILLISECONDS[match[2] ?? 's'] ?? 1_000)
}

/** One token as written, and its position. */
export interface WrittenToken {
  readonly text: string
  readonly start: number
}

/** The cost of a row grows with the length of the filter, so the length is limited. */
const MOST_CHARACTERS = 2_000

/**
 * Blanks separate tokens except inside quotes; a quote that is never closed reaches to the end. A text that is too long
 * for a filter is one token.
 */
export function writtenTokens(text: string): readonly WrittenToken[] {
  if (text.length > MOST_CHARACTERS) return [{ text, start: 0 }]
  return [...text.matchAll(/(?:"[^"]*"?|[^\s"])+/g)].map(({ 0: token, index }) => ({ text: token, start: index }))
}

/** Values with commas between them; a comma inside quotes belongs to its value. */
const alternatives = (text: string): string[] => [...text.matchAll(/(?:"[^"]*"?|[^",])+/g)].map(([value]) => value)

const unquoted = (text: string): string => text.replaceAll('"', '')

/** Where a comparison or a colon ends the key: `wait>=1s`, `pl:workload-low`. */
const KEYED = /^([a-z]+)(>=|<=|!=|[<>=≥≤:])(.*)$/i
const SIGNS: Readonly<Record<string, Comparison>> = {
  '>': '>',
  '>=': '>=',
  '≥': '>=',
  '<': '<',
  '<=': '<=',
  '≤': '<=',
  '=': '=',
  '!=': '!=',
}

function parseToken<R>(token: string, vocabulary: Vocabulary<R>): Token {
  const not = token.startsWith('-') && token.length > 1
  const body = not ? token.slice(1) : token
  const [, writtenKey = '', sign = '', rest = ''] = KEYED.exec(body) ?? []
  const key = writtenKey.toLowerCase()
  const free: Token = { kind: 'free', value: unquoted(body).toLowerCase(), not }
  const unknown = (why: string): Token => ({ kind: 'unknown', text: token, why })
  if (sign === '') return free
  if (sign === ':') {
    // A name such as system:node is not a token of ours: unknown keys are searched as text.
    if (!Object.hasOwn(vocabulary.texts, key)) {
      if (!Object.hasOwn(vocabulary.amounts, key)) return free
      return unknown(`${key} takes a comparison, such as ${key}>1.`)
    }
    const values = alternatives(rest).map((value) => unquoted(value).toLowerCase())
    if (values.every((value) => value === '')) return unknown(`Enter a value after ${key}:.`)
    return { kind: 'text', key, values: values.filter((value) => value !== ''), not }
  }
  if (!Object.hasOwn(vocabulary.amounts, key)) {
    const known = Object.keys(vocabulary.amounts).join(', ')
    return unknown(`${key} cannot be compared; ${known} can.`)
  }
  const comparison = SIGNS[sign] ?? '='
  const duration = vocabulary.amounts[key]?.unit === 'duration'
  const amount = duration ? parseDuration(rest) : /^\d+(?:\.\d+)?$/.test(rest) ? Number(rest) : undefined
  if (amount === undefined)
    return unknown(`Write ${duration ? 'a duration' : 'a number'}: ${key}${sign}${duration ? '5s' : '2'}.`)
  return { kind: 'amount', key, comparison, amount, not }
}

/** One token for each of `writtenTokens`. */
export const parseFilter = <R>(text: string, vocabulary: Vocabulary<R>): readonly Token[] =>
  writtenTokens(text).map(({ text: token }) =>
    token.length > MOST_CHARACTERS
      ? { kind: 'unknown', text: token, why: `A filter has at most ${MOST_CHARACTERS} characters.` }
      : parseToken(token, vocabulary),
  )

const COMPARE: Readonly<Record<Comparison, (a: number, b: number) => boolean>> = {
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
}

type Test<R> = (row: R) => boolean

/** A value with `*` must match from end to end; others must be contained in the text, or be all of it. */
const textTest = (value: string, whole: boolean): TextTest =>
  whole || value.includes('*') ? glob(value) : contains(value)

function testOf<R>(token: Token, { texts, amounts, free }: Vocabulary<R>): Test<R> | undefined {
  switch (token.kind) {
    case 'unknown':
      return undefined
    case 'free': {
      const test = contains(token.value)
      return (row) => free(row).some((text) => test(text.toLowerCase())) !== token.not
    }
    case 'text': {
      const column = texts[token.key]
      if (column === undefined) return undefined
      const tests = token.values.map((value) => textTest(value, column.whole === true))
      return (row) => {
        const text = column.of(row).toLowerCase()
        return tests.some((test) => test(text)) !== token.not
      }
    }
    case 'amount': {
      const column = amounts[token.key]
      if (column === undefined) return undefined
      const compare = COMPARE[token.comparison]
      return (row) => {
        const amount = column.of(row)
        return amount !== undefined && compare(amount, token.amount) !== token.not
      }
    }
  }
}

/** Whether a row matches all tokens; invalid ones hide nothing. */
export function compileFilter<R>(tokens: readonly Token[], vocabulary: Vocabulary<R>): Test<R> {
  const tests = tokens.flatMap((token) => testOf(token, vocabulary) ?? [])
  return (row) => tests.every((test) => test(row))
}

/** A value as typed after `key:`, in quotes if necessary; a quote inside it matches any character. */
export const filterText = (key: string, value: string): string =>
  /[\s",]/.test(value) ? `${key}:"${value.replaceAll('"', '*')}"` : `${key}:${value}`

/** The part of a text that a matcher reads. A string is one; tests pass one that counts the reads. */
export interface Characters {
  readonly length: number
  charCodeAt(index: number): number
}

/** Matches a text, reading each of its characters at most three times. */
type TextTest = (text: Characters) => boolean

/** Whether a text contains `value`. */
export function contains(value: string): TextTest {
  const find = finder(value)
  return (text) => find(text, 0, text.length) !== undefined
}

/** Whether `pattern`, in which `*` stands for any text, covers a text from end to end. */
export function glob(pattern: string): TextTest {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  const finders = rest.filter((part) => part !== '').map(finder)
  if (last === undefined) return (text) => text.length === first.length && isAt(text, first, 0)
  return (text) => {
    const end = text.length - last.length
    if (end < first.length || !isAt(text, first, 0) || !isAt(text, last, end)) return false
    // The leftmost place of each part leaves the most room for those after it, so there is no backtracking.
    let at: number | undefined = first.length
    for (const find of finders) {
      at = find(text, at, end)
      if (at === undefined) return false
    }
    return true
  }
}

function isAt(text: Characters, part: string, at: number): boolean {
  for (let i = 0; i < part.length; i++) if (text.charCodeAt(at + i) !== part.charCodeAt(i)) return false
  return true
}

/** Where the first occurrence of a part within `from` and `end` ends; `undefined` without one. */
type Find = (text: Characters, from: number, end: number) => number | undefined

/** Knuth, Morris and Pratt: linear for every text, while a regular expression engine tries all combinations. */
function finder(part: string): Find {
  const codes = Array.from({ length: part.length }, (_, index) => part.charCodeAt(index))
  const borders = bordersOf(codes)
  return (text, from, end) => {
    if (codes.length === 0) return from
    let matched = 0
    for (let at = from; at < end; at++) {
      const code = text.charCodeAt(at)
      while (matched > 0 && codes[matched] !== code) matched = borders[matched - 1] ?? 0
      if (codes[matched] === code) matched += 1
      if (matched === codes.length) return at + 1
    }
    return undefined
  }
}

/** For each prefix of the part: the length of the longest shorter prefix that it ends with. */
function bordersOf(codes: readonly number[]): readonly number[] {
  const borders = [0]
  for (let at = 1, length = 0; at < codes.length; at++) {
    while (length > 0 && codes[length] !== codes[at]) length = borders[length - 1] ?? 0
    if (codes[length] === codes[at]) length += 1
    borders.push(length)
  }
  return borders
}

/** Names and addresses contain colons of their own. */
const NO_KEY: ReadonlySet<string> = new Set(['system', 'http', 'https', 'kubernetes'])

/** The error in a token, as a sentence; a key that does not exist is searched as text. */
export function complaintOf(
  token: Token,
  { texts, amounts }: { readonly texts: object; readonly amounts: object },
): string | undefined {
  if (token.kind === 'unknown') return token.why
  if (token.kind !== 'free') return undefined
  const [, key] = /^([a-z]+):./i.exec(token.value) ?? []
  if (key === undefined || NO_KEY.has(key.toLowerCase())) return undefined
  const keys = [...Object.keys(texts), ...Object.keys(amounts)]
  // Two transposed letters count as two differences.
  const near = nearest(key, keys, () => (key.length < 4 ? 1 : 2))
  return near === undefined
    ? `Unknown key ${key}; searching for the text ${token.value}.`
    : `Unknown key ${key}; did you mean ${near}:? Searching for the text ${token.value} instead.`
}
