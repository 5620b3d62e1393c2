import type { RequestSample } from '../contract/objects.ts'
import { readAuditEvent } from './auditEvent.ts'
import { readCurl } from './curl.ts'
import { readDumpLine } from './dumpLine.ts'
import { identityOf, impersonatedGroups } from './identity.ts'
import { isKubectlCommand, readKubectl } from './kubectl.ts'
import { type PartialRequest, type Unreadable, pathOf } from './partialRequest.ts'
import { shellWords } from './shellWords.ts'

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
