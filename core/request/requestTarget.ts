/** The first value of each parameter of a query. */
export type Query = ReadonlyMap<string, string>

export interface RequestTarget {
  /** Percent-decoded: `a%2Fb` is two parts. */
  readonly path: string
  readonly query: Query
}

/** Percent-decodes; `undefined` where an escape is malformed or not UTF-8. */
function decode(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Splits the target of a request line as Go's net/url does: in a query `+` is a space; a pair that cannot be decoded or
 * contains a semicolon is left out. `undefined` when the path cannot be decoded; a server answers 400 to that.
 */
export function parseRequestTarget(target: string): RequestTarget | undefined {
  const question = target.indexOf('?')
  const path = decode(question === -1 ? target : target.slice(0, question))
  if (path === undefined) return undefined
  const query = new Map<string, string>()
  for (const pair of question === -1 ? [] : target.slice(question + 1).split('&')) {
    if (pair === '' || pair.includes(';')) continue
    const equals = pair.indexOf('=')
    const key = decode((equals === -1 ? pair : pair.slice(0, equals)).replaceAll('+', ' '))
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1).replaceAll('+', ' '))
    if (key !== undefined && value !== undefined && !query.has(key)) query.set(key, value)
  }
  return { path, query }
}

interface FieldTerm {
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

/**
 * The terms of a field selector (specification 2.1); empty terms are skipped. `undefined` when it is not a field
 * selector.
 */
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

/** The list options of a query that are relevant here; selectors as text (specification 2.1, 5.4). */
export interface ListOptions {
  readonly labelSelector: string
  readonly fieldSelector: string
  readonly watch: boolean
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  readonly limit: number
  readonly continueToken: string
  /** `undefined` where the parameter is absent. */
  readonly sendInitialEvents: boolean | undefined
}

/** Base 10, optional sign, within 64 bits: the syntax of Go's ParseInt. */
function isInt64(text: string): boolean {
  const [, sign = '', written = ''] = /^([+-]?)(\d+)$/.exec(text) ?? []
  if (written === '') return false
  const digits = written.replace(/^0+/, '')
  // Of two numbers with the same number of digits, the text that sorts later is the larger one.
  return digits.length < 19 || (digits.length === 19 && digits <= (sign === '-' ? INT64_MIN : INT64_MAX))
}
const INT64_MAX = '9223372036854775807'
const INT64_MIN = '9223372036854775808'

const NO_OPTIONS: ListOptions = {
  labelSelector: '',
  fieldSelector: '',
  watch: false,
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: 0,
  continueToken: '',
  sendInitialEvents: undefined,
}

/** "0" and "false" in any case are false; anything else, even nothing, is true. */
export const isTrueParameter = (text: string): boolean => text !== '0' && text.toLowerCase() !== 'false'

/** `undefined` when a number is invalid. The selectors are not parsed. */
export function parseListOptions(query: Query): ListOptions | undefined {
  if (query.size === 0) return NO_OPTIONS
  const limit = query.get('limit')
  const timeout = query.get('timeoutSeconds')
  if ((limit !== undefined && !isInt64(limit)) || (timeout !== undefined && !isInt64(timeout))) return undefined
  const flag = (name: string): boolean | undefined => {
    const text = query.get(name)
    return text === undefined ? undefined : isTrueParameter(text)
  }
  return {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    watch: flag('watch') ?? false,
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit: Number(limit ?? 0),
    continueToken: query.get('continue') ?? '',
    sendInitialEvents: flag('sendInitialEvents'),
  }
}

/** Whether the stricter parsing of the request digest, which parses the selectors too, succeeds (specification 2.1). */
export function hasReadableSelectors({ labelSelector, fieldSelector }: ListOptions): boolean {
  return (
    (fieldSelector === '' || parseFieldSelector(fieldSelector) !== undefined) &&
    (labelSelector === '' || isLabelSelector(labelSelector))
  )
}

/**
 * Whether a text is a label selector: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<2`. Nothing else about label
 * selectors is needed here; nothing is ever matched by them (specification 2.1).
 */
export function isLabelSelector(text: string): boolean {
  const tokens = text.match(/[(),]|!=|==|[=!<>]|[^\s(),=!<>]+/g) ?? []
  const end = tokens.length
  let at = 0

  const take = (expected: string): boolean => {
    if (tokens[at] !== expected) return false
    at += 1
    return true
  }
  const takeIf = (valid: (token: string) => boolean): boolean => {
    const token = tokens[at]
    if (token === undefined || !valid(token)) return false
    at += 1
    return true
  }
  /** A value may be left out, which means the empty one. */
  const takeValue = (): boolean => at === end || tokens[at] === ',' || tokens[at] === ')' || takeIf(isValue)
  const takeSet = (): boolean => {
    if (!take('(')) return false
    do if (!takeValue()) return false
    while (take(','))
    return take(')')
  }
  const takeRequirement = (): boolean => {
    if (take('!')) return takeIf(isKey)
    if (!takeIf(isKey)) return false
    if (at === end || tokens[at] === ',') return true
    if (take('in') || take('notin')) return takeSet()
    if (take('=') || take('==') || take('!=')) return takeValue()
    return (take('>') || take('<')) && takeIf((token) => /^[+-]?\d+$/.test(token))
  }

  if (end === 0) return true
  do if (!takeRequirement()) return false
  while (take(','))
  return at === end
}

const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

const isValue = (token: string): boolean => token.length <= 63 && NAME.test(token)

function isKey(token: string): boolean {
  const slash = token.indexOf('/')
  const name = token.slice(slash + 1)
  const prefix = slash === -1 ? undefined : token.slice(0, slash)
  return isValue(name) && (prefix === undefined || (prefix.length <= 253 && PREFIX.test(prefix)))
}
