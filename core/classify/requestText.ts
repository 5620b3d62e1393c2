import { z } from 'zod'
import type { RequestSample } from '../contract/objects.ts'
import type { DumpRequest } from '../frame/dump.ts'
import { DUMP_DETAIL_COLUMNS, DUMP_REQUEST_COLUMNS } from '../metrics/dumpText.ts'
import { identityOf, impersonatedGroups } from './identity.ts'
import { isKubectlCommand, readKubectl } from './kubectl.ts'
import {
  addressOfVerb,
  type PartialRequest,
  type Unreadable,
  pathOf,
  methodOfVerb,
  type RequestAddress,
  verbProblem,
} from './requestFields.ts'
import { NO_QUERY, readRequestInfos } from './requestInfoText.ts'
import { parseJson } from '../text/text.ts'

export type RequestFormat = 'kubectl' | 'curl' | 'audit' | 'dump' | 'client-log' | 'server-log' | 'request-line'

/** A request parsed from a text. */
export interface ReadRequest {
  readonly ok: true
  readonly format: RequestFormat
  readonly request: RequestSample
  /** Members that the text does not contain, or only in part, and that were filled in. */
  readonly guessed: readonly (keyof RequestSample)[]
  /** Sentences: what was guessed and why, what was left out. */
  readonly notes: readonly string[]
}
export type RequestReading = ReadRequest | { readonly ok: false; readonly problem: string }

/** The sender when the text does not name one; groups that are not given are derived from the name. */
export interface Sender {
  readonly user: string
  readonly groups?: readonly string[]
}

/** Every request has a sender. */
const SOMEONE = 'someone'

/**
 * Parses a kubectl command, a curl command, an audit event (JSON), a line of a request dump, or `GET /path`, whichever
 * the text contains. Never throws.
 */
export function readRequestText(text: string, sender?: Sender): RequestReading {
  const trimmed = text.trim().replace(/^\$\s+/, '')
  const format = formatOf(trimmed)
  if (format === undefined) return { ok: false, problem: UNKNOWN }
  const read = READERS[format](trimmed)
  return 'problem' in read ? { ok: false, problem: read.problem } : completed(format, read, sender)
}

const UNKNOWN =
  'Cannot read this as a request: enter a kubectl or curl command, GET /path, an audit event or a line of a request dump.'

const REQUEST_LINE = /^(?:([A-Za-z]+)\s+)?((?:https?:\/\/|\/)\S*)(?:\s+HTTP\/[\d.]+)?$/

function formatOf(text: string): RequestFormat | undefined {
  if (text === '') return undefined
  if (readClientLine(text) !== undefined) return 'client-log'
  if (/^[{[]/.test(text)) return 'audit'
  if (readRequestInfos(text).length > 0) return 'server-log'
  const [first = ''] = /^\S+/.exec(text) ?? []
  if (first === 'curl') return 'curl'
  if (KUBECTL.test(first)) return 'kubectl'
  if (REQUEST_LINE.test(text)) return 'request-line'
  if (text.split(',').length > 10) return 'dump'
  return isKubectlCommand(first) || first.startsWith('-') ? 'kubectl' : undefined
}

/** kubectl, its usual alias, and the clients that take its commands. */
const KUBECTL = /^(?:k|oc|kubectl(?:\.exe)?|kubecolor)$/

const READERS: Readonly<Record<RequestFormat, (text: string) => PartialRequest | Unreadable>> = {
  kubectl(text) {
    const words = shellWords(text)
    if (words === undefined) return NOT_CLOSED
    const [first = '', second] = words
    const read = readKubectl(KUBECTL.test(first) ? words.slice(first === 'oc' && second === 'adm' ? 2 : 1) : words)
    return 'problem' in read
      ? read
      : { ...read, guessed: read.guessed ? ['url'] : [], ...impersonated(read.impersonate) }
  },
  curl(text) {
    const words = shellWords(text)
    if (words === undefined) return NOT_CLOSED
    const read = readCurl(words.slice(1))
    if ('problem' in read) return read
    return { ...read, ...(read.subject === undefined ? {} : { user: read.subject }), ...impersonated(read.impersonate) }
  },
  audit: readAuditEvent,
  dump: readDumpLine,
  'client-log': (text) => readClientLine(text) ?? { problem: UNKNOWN },
  'server-log'(text) {
    const [first, ...others] = readRequestInfos(text)
    if (first === undefined) return { problem: UNKNOWN }
    const { verb, url, user, groups } = first
    const { notes, ...address } = addressOfVerb(verb, url)
    return { ...address, user, groups, notes: [...notes, NO_QUERY, ...(others.length > 0 ? [FIRST_OF_SEVERAL] : [])] }
  },
  'request-line'(text) {
    const [, verb = 'GET', address = ''] = REQUEST_LINE.exec(text) ?? []
    const url = pathOf(address)
    const problem = url === undefined ? UNKNOWN : verbProblem(verb)
    return url === undefined || problem !== undefined ? { problem: problem ?? UNKNOWN } : addressOfVerb(verb, url)
  },
}

const FIRST_OF_SEVERAL = 'The text contains several requests; this is the first.'

/** Requests in the log of a client, as client-go writes them: of older and of newer versions, and of kubectl -v=6. */
const CLIENT_LINES: readonly RegExp[] = [
  /(?:Waited for|Throttling request took) (?<wait>[^\s,]+)(?: due to client-side throttling)?,.*? ?request: ?(?<verb>[A-Z]+):(?<address>[^\s"\\]+)/g,
  /\bdelay"?[=:]"(?<wait>[^"]*)"[ ,]"?reason"?[=:]"client-side throttling[^"]*"[ ,]"?verb"?[=:]"(?<verb>[A-Z]+)"[ ,]"?URL"?[=:]"(?<address>[^"]+)"/g,
  /"(?:Request|Response)" verb="(?<verb>[A-Z]+)" url="(?<address>[^"]+)"/g,
  /round_trippers\.go:\d+\] (?<verb>[A-Z]+) (?<address>https?:\/\/\S+)/g,
]

function readClientLine(text: string): PartialRequest | undefined {
  for (const line of CLIENT_LINES) {
    const [first = {}, ...others] = Array.from(text.matchAll(line), ({ groups }) => groups)
    const { wait, verb, address } = first
    const url = address === undefined ? undefined : pathOf(address)
    if (verb === undefined || url === undefined) continue
    const waited = `This wait of ${wait ?? ''} was in the client: its own limit of requests (QPS and burst) held the request back before it was sent. Flow control of the server had no part in it.`
    const isOne = others.every((other) => other?.['address'] === address)
    return { method: verb, url, notes: [...(wait === undefined ? [] : [waited]), ...(isOne ? [] : [FIRST_OF_SEVERAL])] }
  }
  return undefined
}

const NOT_CLOSED: Unreadable = { problem: 'A quotation mark of the command is not closed.' }

function impersonated(
  whom: { readonly user: string; readonly groups: readonly string[] } | undefined,
): Pick<PartialRequest, 'user' | 'groups'> {
  return whom === undefined ? {} : { user: whom.user, groups: impersonatedGroups(whom.user, whom.groups) }
}

/** Fills in the sender. */
function completed(format: RequestFormat, read: PartialRequest, sender: Sender | undefined): ReadRequest {
  const { method, url, notes = [], guessed = [] } = read
  const known = read.user !== undefined
  const user = read.user ?? sender?.user ?? SOMEONE
  const groups = read.groups ?? (known ? undefined : sender?.groups)
  const identity = identityOf(user)
  const nobody = !known && sender === undefined
  return {
    ok: true,
    format,
    request: { user, groups: [...(groups ?? identity.groups)], method, url },
    guessed: [
      ...guessed,
      ...(nobody ? (['user'] as const) : []),
      ...(groups === undefined ? (['groups'] as const) : []),
    ],
    notes: [
      ...notes,
      ...(nobody ? ['The text does not name a sender; a user without additional groups is assumed.'] : []),
      ...(groups === undefined && !nobody ? [identity.reason] : []),
    ],
  }
}

const UserSchema = z.looseObject({ username: z.string(), groups: z.array(z.string()).optional() })

/** The used members of an audit.k8s.io/v1 Event. */
const EventSchema = z.looseObject({
  requestURI: z.string(),
  verb: z.string().min(1),
  user: UserSchema,
  impersonatedUser: UserSchema.optional(),
})
const ListSchema = z.looseObject({ items: z.array(z.unknown()).min(1) })

/** Parses an audit event, or the first one of a list or of several lines. */
function readAuditEvent(text: string): PartialRequest | Unreadable {
  const value = parseJson(text) ?? parseJson(text.split('\n', 1)[0] ?? '')
  if (value === undefined) return { problem: 'The text looks like JSON but is invalid.' }
  const list = ListSchema.safeParse(value)
  const all: readonly unknown[] = list.success ? list.data.items : Array.isArray(value) ? value : [value]
  const event = EventSchema.safeParse(all[0])
  if (!event.success) {
    return { problem: 'The JSON is not an audit event of version v1: it needs requestURI, verb and user.username.' }
  }
  const { requestURI, verb, user, impersonatedUser } = event.data
  const url = pathOf(requestURI)
  if (url === undefined) return { problem: `The requestURI of the audit event is not a path: ${requestURI}` }
  const { username, groups } = impersonatedUser ?? user
  return {
    method: methodOfVerb(verb),
    url,
    user: username,
    ...(groups === undefined ? {} : { groups }),
    notes: [
      ...(all.length > 1 ? ['The text contains several events; this is the first.'] : []),
      ...(impersonatedUser === undefined
        ? []
        : [`${user.username} impersonates ${username}; flow schemas match only the latter.`]),
    ],
  }
}

/**
 * Splits a command into words like a shell: quotes, backslashes, line continuations. Variables are not expanded.
 * `undefined` when a quote is not closed. Stops at a pipe, a redirection or the next command.
 */
export function shellWords(text: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i)
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (character === '\\' && quote === '"' && '"\\$`\n'.includes(text.charAt(i + 1))) word += text.charAt(++i)
      else word += character
    } else if (character === "'" || character === '"') {
      quote = character
      word ??= ''
    } else if (character === '\\') {
      i += 1
      // A line that continues on the next one.
      if (/^\r?\n/.test(text.slice(i, i + 2))) i += text.charAt(i) === '\r' ? 1 : 0
      else word = (word ?? '') + text.charAt(i)
    } else if (/[|;&<>]/.test(character)) {
      break
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      word = (word ?? '') + character
    }
  }
  if (quote !== '') return undefined
  return word === undefined ? words : [...words, word]
}

/** Columns of a request dump with details, and where the details begin. */
const DETAILS = DUMP_REQUEST_COLUMNS.length
const COLUMNS = DETAILS + DUMP_DETAIL_COLUMNS.length

/** Parses one line of a request dump that was taken with details; a header before it is skipped. */
function readDumpLine(text: string): PartialRequest | Unreadable {
  const line = text.split('\n').find((each) => each.trim() !== '' && !each.startsWith('PriorityLevelName')) ?? ''
  const cells = line.split(',').map((cell) => cell.trim())
  if (cells.length < COLUMNS) {
    return {
      problem: 'The line is not from a request dump with details. Fetch dump_requests?includeRequestDetails=1.',
    }
  }
  if (cells.length > COLUMNS)
    return { problem: 'The line of the dump has too many columns: a name in it contains a comma.' }
  const [user = '', verb = '', path = ''] = cells.slice(DETAILS)
  return requestOfDump({ user, verb, path }) ?? { problem: 'The line of the dump names no user, verb and path.' }
}

/** The request of a row of the dump; `undefined` for a row without details. */
function requestOfDump({ user, verb, path }: Pick<DumpRequest, 'user' | 'verb' | 'path'>): PartialRequest | undefined {
  if (user === undefined || verb === undefined || verb === '' || path === undefined || !path.startsWith('/'))
    return undefined
  const watch = verb === 'watch' ? '?watch=true' : ''
  return {
    method: methodOfVerb(verb),
    url: `${encodeURI(path.toWellFormed())}${watch}`,
    user,
    guessed: ['url'],
    notes: ['A dump contains no groups and no query: the seats of lists and watches may differ.'],
  }
}

/** The same with the groups that follow from its user's name. */
export function sampleOfDump(row: DumpRequest): RequestSample | undefined {
  const found = requestOfDump(row)
  if (found?.user === undefined) return undefined
  const { user, method, url } = found
  return { user, groups: [...identityOf(user).groups], method, url }
}

/** The request that a curl command sends. */
interface CurlRequest extends RequestAddress {
  readonly notes: readonly string[]
  readonly impersonate: { readonly user: string; readonly groups: readonly string[] } | undefined
  /** Subject of a service account's token. */
  readonly subject: string | undefined
}

const WITH_VALUE = new Set(
  (
    '-X --request -H --header -d --data --data-raw --data-binary --data-ascii --data-urlencode --json -u --user -o ' +
    '--output -A --user-agent -b --cookie -e --referer -E --cert --key --cacert --capath -F --form -m --max-time -T ' +
    '--upload-file -w --write-out -x --proxy -C -c --cookie-jar -K --config -r --range --connect-timeout --retry ' +
    '--resolve --unix-socket --oauth2-bearer --url --url-query --cert-type --key-type --connect-to'
  ).split(' '),
)
const BODIES = new Set([
  '-d',
  '--data',
  '--data-raw',
  '--data-binary',
  '--data-ascii',
  '--data-urlencode',
  '--json',
  '-F',
  '--form',
])

/** Parses a curl command, given as words without the program's name. */
function readCurl(words: readonly string[]): CurlRequest | Unreadable {
  const { options, addresses } = curlOptions(words)
  const [address] = addresses
  if (address === undefined) return { problem: 'The curl command has no address.' }
  const url = pathOf(address)
  if (url === undefined) return { problem: `${address} is not an address with a path.` }
  const has = (...names: readonly string[]): boolean => options.some(([name]) => names.includes(name))
  const value = (...names: readonly string[]): string | undefined =>
    options.findLast(([name]) => names.includes(name))?.[1]
  const bodies = options.filter(([name]) => BODIES.has(name)).map(([, body]) => body)
  const asGet = has('-G', '--get')
  const method =
    value('-X', '--request') ??
    (has('-I', '--head') ? 'HEAD' : uploads(has) ? 'PUT' : bodies.length > 0 && !asGet ? 'POST' : 'GET')
  if (method === '') return { problem: 'The option -X of the curl command has no method.' }
  const query = asGet && bodies.length > 0 ? `${url.includes('?') ? '&' : '?'}${bodies.join('&')}` : ''
  const headers = options.filter(([name]) => name === '-H' || name === '--header').map(([, header]) => header)
  const headerValues = (wanted: string): string[] =>
    headers.flatMap((header) => {
      const colon = header.indexOf(':')
      return header.slice(0, colon).trim().toLowerCase() === wanted ? [header.slice(colon + 1).trim()] : []
    })
  const user = headerValues('impersonate-user').at(-1)
  const token =
    value('--oauth2-bearer') ??
    headerValues('authorization')
      .at(-1)
      ?.replace(/^bearer\s+/i, '')
  return {
    method,
    url: url + query,
    notes: addresses.length > 1 ? ['The command names several addresses; this is the first.'] : [],
    impersonate: user === undefined ? undefined : { user, groups: headerValues('impersonate-group') },
    subject: token === undefined ? undefined : subjectOf(token),
  }
}

const uploads = (has: (...names: readonly string[]) => boolean): boolean => has('-T', '--upload-file')

function curlOptions(words: readonly string[]): {
  readonly options: readonly (readonly [name: string, value: string])[]
  readonly addresses: readonly string[]
} {
  const options: (readonly [string, string])[] = []
  const addresses: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (word === '--url') addresses.push(words[++i] ?? '')
    else if (word.startsWith('--') && WITH_VALUE.has(word)) options.push([word, words[++i] ?? ''])
    else if (word.startsWith('--')) options.push(splitAtEquals(word))
    else if (word.startsWith('-')) {
      // `-sX DELETE`, `-XDELETE`: switches precede an option that takes a value.
      const letters = word.slice(1)
      const at = Array.from(letters).findIndex((letter) => WITH_VALUE.has(`-${letter}`))
      for (const letter of at === -1 ? letters : letters.slice(0, at)) options.push([`-${letter}`, ''])
      if (at !== -1) options.push([`-${letters.charAt(at)}`, letters.slice(at + 1) || (words[++i] ?? '')])
    } else addresses.push(word)
  }
  return { options, addresses }
}

function splitAtEquals(word: string): readonly [string, string] {
  const equals = word.indexOf('=')
  return equals === -1 ? [word, ''] : [word.slice(0, equals), word.slice(equals + 1)]
}

/** The subject of a JSON web token; nothing else of it is read. */
function subjectOf(token: string): string | undefined {
  const payload = token.split('.')[1]
  if (payload === undefined) return undefined
  const claims = parseJson(decodeBase64(payload))
  return typeof claims === 'object' && claims !== null && 'sub' in claims && typeof claims.sub === 'string'
    ? claims.sub
    : undefined
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Base64url, limited to ASCII: names of users are ASCII. */
function decodeBase64(text: string): string {
  let bits = 0
  let held = 0
  let decoded = ''
  for (const character of text) {
    const digit = ALPHABET.indexOf(character)
    if (digit === -1) break
    held = ((held << 6) | digit) & 0xffff
    bits += 6
    if (bits >= 8) {
      bits -= 8
      decoded += String.fromCharCode((held >>> bits) & 0xff)
    }
  }
  return decoded
}
