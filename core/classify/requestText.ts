import { z } from 'zod'
import type { RequestSample } from '../contract/objects.ts'
import { readCurl } from './curl.ts'
import { readDumpLine } from './dumpLine.ts'
import { identityOf, impersonatedGroups } from './identity.ts'
import { isKubectlCommand, readKubectl } from './kubectl.ts'
import { type PartialRequest, type Unreadable, pathOf, parseJson } from './partialRequest.ts'
import { methodOfVerb } from './requestFields.ts'

export type RequestFormat = 'kubectl' | 'curl' | 'audit' | 'dump' | 'request-line'

/** A request read from a text. */
export interface ReadRequest {
  readonly ok: true
  readonly format: RequestFormat
  readonly request: RequestSample
  /** Members that the text does not say, or not wholly, and that were filled in. */
  readonly guessed: readonly (keyof RequestSample)[]
  /** Sentences: what was guessed and why, what was left out. */
  readonly notes: readonly string[]
}
export type RequestReading = ReadRequest | { readonly ok: false; readonly problem: string }

/** Who sends the request when the text does not say; groups that are not given are filled in from the name. */
export interface Sender {
  readonly user: string
  readonly groups?: readonly string[]
}

/** Everybody is somebody. */
const SOMEONE = 'someone'

/**
 * Reads a kubectl command, a curl command, an audit event (JSON), a line of a request dump, or `GET /path`, whichever the
 * text is. Never throws.
 */
export function readRequestText(text: string, sender?: Sender): RequestReading {
  const trimmed = text.trim().replace(/^\$\s+/, '')
  const format = formatOf(trimmed)
  if (format === undefined) return { ok: false, problem: UNKNOWN }
  const read = READERS[format](trimmed)
  return 'problem' in read ? { ok: false, problem: read.problem } : completed(format, read, sender)
}

const UNKNOWN =
  'This is no request that can be read: write a kubectl or curl command, GET /path, an audit event or a line of a request dump.'

const REQUEST_LINE = /^(?:([A-Za-z]+)\s+)?((?:https?:\/\/|\/)\S*)(?:\s+HTTP\/[\d.]+)?$/

function formatOf(text: string): RequestFormat | undefined {
  if (text === '') return undefined
  if (/^[{[]/.test(text)) return 'audit'
  const [first = ''] = /^\S+/.exec(text) ?? []
  if (first === 'curl') return 'curl'
  if (/^(?:kubectl|k|oc)$/.test(first)) return 'kubectl'
  if (REQUEST_LINE.test(text)) return 'request-line'
  if (text.split(',').length > 10) return 'dump'
  return isKubectlCommand(first) || first.startsWith('-') ? 'kubectl' : undefined
}

const READERS: Readonly<Record<RequestFormat, (text: string) => PartialRequest | Unreadable>> = {
  kubectl(text) {
    const words = shellWords(text)
    if (words === undefined) return NOT_CLOSED
    const [first = ''] = words
    const read = readKubectl(/^(?:kubectl|k|oc)$/.test(first) ? words.slice(1) : words)
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
  'request-line'(text) {
    const [, method = 'GET', address = ''] = REQUEST_LINE.exec(text) ?? []
    const url = pathOf(address)
    return url === undefined ? { problem: UNKNOWN } : { method: method.toUpperCase(), url }
  },
}

const NOT_CLOSED: Unreadable = { problem: 'A quotation mark of the command is not closed.' }

function impersonated(
  whom: { readonly user: string; readonly groups: readonly string[] } | undefined,
): Pick<PartialRequest, 'user' | 'groups'> {
  return whom === undefined ? {} : { user: whom.user, groups: impersonatedGroups(whom.user, whom.groups) }
}

/** Fills in who sends it. */
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
      ...(nobody
        ? ['The text does not say who sends the request; someone without groups of their own is assumed.']
        : []),
      ...(groups === undefined && !nobody ? [identity.reason] : []),
    ],
  }
}

const UserSchema = z.looseObject({ username: z.string(), groups: z.array(z.string()).optional() })

/** What matters of audit.k8s.io/v1 Event. */
const EventSchema = z.looseObject({
  requestURI: z.string(),
  verb: z.string().min(1),
  user: UserSchema,
  impersonatedUser: UserSchema.optional(),
})
const ListSchema = z.looseObject({ items: z.array(z.unknown()).min(1) })

/** Reads an audit event, or the first one of a list or of several lines. */
function readAuditEvent(text: string): PartialRequest | Unreadable {
  const value = parseJson(text) ?? parseJson(text.split('\n', 1)[0] ?? '')
  if (value === undefined) return { problem: 'The text begins like JSON and is none.' }
  const list = ListSchema.safeParse(value)
  const all: readonly unknown[] = list.success ? list.data.items : Array.isArray(value) ? value : [value]
  const event = EventSchema.safeParse(all[0])
  if (!event.success) {
    return { problem: 'The JSON is no audit event of version v1: it needs requestURI, verb and user.username.' }
  }
  const { requestURI, verb, user, impersonatedUser } = event.data
  const url = pathOf(requestURI)
  if (url === undefined) return { problem: `The requestURI of the audit event is no path: ${requestURI}` }
  const { username, groups } = impersonatedUser ?? user
  return {
    method: methodOfVerb(verb),
    url,
    user: username,
    ...(groups === undefined ? {} : { groups }),
    notes: [
      ...(all.length > 1 ? ['The text holds several events; this is the first.'] : []),
      ...(impersonatedUser === undefined
        ? []
        : [`${user.username} impersonates ${username}; flow schemas see only the latter.`]),
    ],
  }
}

/**
 * The words of a command as a shell would split them: quotes, backslashes, line continuations. Variables stay as they
 * are written. `undefined` when a quote is not closed. Stops at a pipe, a redirection or the next command.
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
      // A line that goes on in the next one.
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
