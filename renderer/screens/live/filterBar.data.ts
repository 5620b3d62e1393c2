import type { LiveRequest } from '../../../core/contract/live.ts'
import { complaintOf, filterText, writtenTokens, type Token } from '../../../core/filter/filter.ts'
import { LIVE_VOCABULARY } from '../../../core/live/liveFilter.ts'

export interface Segment {
  readonly text: string
  readonly look: 'blank' | 'token' | 'wrong'
}

/** The text as it is drawn behind the field: tokens and the text between them. `tokens` are those of the text. */
export function segmentsOf(text: string, tokens: readonly Token[]): readonly Segment[] {
  const segments: Segment[] = []
  let end = 0
  writtenTokens(text).forEach((token, index) => {
    if (token.start > end) segments.push({ text: text.slice(end, token.start), look: 'blank' })
    const read = tokens[index]
    const wrong = read !== undefined && complaintOf(read, LIVE_VOCABULARY) !== undefined
    segments.push({ text: token.text, look: wrong ? 'wrong' : 'token' })
    end = token.start + token.text.length
  })
  if (end < text.length) segments.push({ text: text.slice(end), look: 'blank' })
  return segments
}

/** What each key filters on. */
const KEY_HELP: Readonly<Record<string, string>> = {
  level: 'priority level',
  pl: 'priority level',
  schema: 'flow schema',
  fs: 'flow schema',
  flow: 'who sends it: user or namespace',
  user: 'user name',
  group: 'one of the groups of the user',
  verb: 'list, get, watch, create, …',
  ns: 'namespace',
  resource: 'pods, deployments.apps, pods/log, …',
  name: 'name of the object',
  path: 'path of the request',
  status: 'HTTP status of the answer',
  reason: 'why it was rejected',
  queue: 'number of its queue',
  state: 'waiting, executing, served, rejected, crowded-out, …',
  agree: 'yes or no: server and engine agree',
  differs: 'fields in which engine and server differ',
  draft: 'same or different, where a draft runs beside',
  wait: 'time in its queue: wait>1s, wait<=200ms',
  run: 'time of its execution',
  linger: 'time for which final seats linger',
  seats: 'estimated seats: seats>=2',
  real: 'seats reported by the server',
}

export interface Completion {
  /** The text of the option. */
  readonly label: string
  /** The token that it inserts. */
  readonly token: string
  /** For a key: what it filters on. */
  readonly help?: string
  /** How often it was seen; absent for keys. */
  readonly seen?: number
}

export interface Completions {
  /** Start and end of the token at the caret. */
  readonly start: number
  readonly end: number
  readonly options: readonly Completion[]
}

const MOST_OPTIONS = 8

/** Several names are one text in these columns. */
const NAMES: Readonly<Record<string, (row: LiveRequest) => readonly string[]>> = {
  group: ({ groups }) => groups,
}

/** All filter keys, for a caret that is not at a token. */
export function allKeysAt(text: string, caret: number): Completions | undefined {
  const inToken = writtenTokens(text).some(
    ({ start, text: { length } }) => start <= caret && caret <= start + length && length > 0,
  )
  return inToken ? undefined : { start: caret, end: caret, options: keys('', '') }
}

/** Completions for the token at the caret: keys, or names from the rows, the most frequent first. */
export function completionsAt(text: string, caret: number, rows: readonly LiveRequest[]): Completions | undefined {
  const token = writtenTokens(text).find(({ start, text: { length } }) => start < caret && caret <= start + length)
  if (token === undefined || token.start + token.text.length !== caret) return undefined
  const not = token.text.startsWith('-') ? '-' : ''
  const body = token.text.slice(not.length)
  const [, writtenKey, already = '', begun = ''] = /^([a-z]+):(.*,)?(.*)$/i.exec(body) ?? []
  const options =
    writtenKey === undefined ? keys(body, not) : values(writtenKey.toLowerCase(), not, already, begun, rows)
  return options.length === 0 ? undefined : { start: token.start, end: caret, options }
}

function keys(begun: string, not: string): readonly Completion[] {
  const texts = Object.keys(LIVE_VOCABULARY.texts).map((key) => `${key}:`)
  const amounts = Object.keys(LIVE_VOCABULARY.amounts).map((key) => `${key}>`)
  return [...texts, ...amounts]
    .filter((key) => key.startsWith(begun.toLowerCase()) && key !== begun.toLowerCase())
    .map((key) => ({ label: key, token: not + key, help: KEY_HELP[key.slice(0, -1)] ?? '' }))
}

function values(
  key: string,
  not: string,
  already: string,
  begun: string,
  rows: readonly LiveRequest[],
): readonly Completion[] {
  const column = Object.hasOwn(LIVE_VOCABULARY.texts, key) ? LIVE_VOCABULARY.texts[key] : undefined
  if (column === undefined) return []
  const names = NAMES[key] ?? ((row: LiveRequest) => [column.of(row)])
  const wanted = begun.replaceAll('"', '').toLowerCase()
  const seen = new Map<string, number>()
  for (const row of rows) for (const name of names(row)) seen.set(name, (seen.get(name) ?? 0) + 1)
  return [...seen]
    .filter(([name]) => name !== '' && name.toLowerCase().includes(wanted))
    .toSorted(
      ([a, timesOfA], [b, timesOfB]) =>
        Number(b.toLowerCase().startsWith(wanted)) - Number(a.toLowerCase().startsWith(wanted)) || timesOfB - timesOfA,
    )
    .slice(0, MOST_OPTIONS)
    .map(([name, times]) => {
      const value = filterText(key, name).slice(key.length + 1)
      return { label: name, token: `${not}${key}:${already}${value}`, seen: times }
    })
}
