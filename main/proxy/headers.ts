/** Headers of one connection only, which a proxy must not forward (RFC 9110, 7.6.1), in lower case. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])

/**
 * Browsers send the cookies of 127.0.0.1 to every port of it, including those of the console, and no API server uses
 * any: none is forwarded, in either direction.
 */
const COOKIES: ReadonlySet<string> = new Set(['cookie', 'set-cookie'])

/**
 * Headers by which a front proxy identifies the caller. An API server trusts them if the credentials are those of a
 * front proxy.
 */
export const REMOTE = 'x-remote-'

/** Names and values in turn, as Node gives and takes raw headers. */
export type RawHeaders = readonly string[]

const NONE: ReadonlySet<string> = new Set()

/** The header Connection rarely names other headers. */
const USUAL = /^(?:keep-alive|close|upgrade)?$/i

/** Headers that the header Connection names also belong to the connection. */
function namedByConnection(raw: RawHeaders): ReadonlySet<string> {
  let named: Set<string> | undefined
  for (let i = 0; i < raw.length; i += 2) {
    const value = raw[i + 1] ?? ''
    // `connection` has ten letters: few names have that length, and only those are compared.
    if (raw[i]?.length !== 10 || raw[i]?.toLowerCase() !== 'connection' || USUAL.test(value)) continue
    named ??= new Set()
    for (const one of value.split(',')) named.add(one.trim().toLowerCase())
  }
  return named ?? NONE
}

/** End-to-end headers, with order, repetitions and spelling unchanged. HTTP/2's own names begin with a colon. */
export function endToEnd(raw: RawHeaders, without: ReadonlySet<string> = NONE): string[] {
  const named = namedByConnection(raw)
  const kept: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? ''
    const lower = name.toLowerCase()
    if (HOP_BY_HOP.has(lower) || COOKIES.has(lower) || named.has(lower) || without.has(lower)) continue
    if (lower.startsWith(REMOTE) || lower.startsWith(':')) continue
    kept.push(name, raw[i + 1] ?? '')
  }
  return kept
}

/** The value of a header, in any spelling; if there are several, the first. */
export function valueOf(raw: RawHeaders, lowerName: string): string | undefined {
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() === lowerName) return raw[i + 1] ?? ''
  }
  return undefined
}

/** All values of a header that may be repeated. */
export function valuesOf(raw: RawHeaders, lowerName: string): string[] {
  const values: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() === lowerName) values.push(raw[i + 1] ?? '')
  }
  return values
}

const TRAILER: ReadonlySet<string> = new Set(['trailer'])

/** Trailers can follow only chunks; Node throws when they are announced before any other body. */
export const withoutTrailer = (raw: RawHeaders): RawHeaders =>
  valueOf(raw, 'trailer') === undefined ? raw : endToEnd(raw, TRAILER)

const USUALLY_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Headers of a request without a body: methods that usually have one declare a length of 0; otherwise Node would
 * announce chunks.
 */
export function withLength(method: string | undefined, raw: RawHeaders): RawHeaders {
  if (!USUALLY_WITH_BODY.has(method ?? '') || valueOf(raw, 'content-length') !== undefined) return raw
  return [...raw, 'Content-Length', '0']
}

/**
 * The bearer token of an Authorization header as the server parses it: the scheme in any spelling, one space, the
 * token.
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  const [scheme = '', token = ''] = (authorization ?? '').trim().split(' ')
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined
}

/** Where a WebSocket client that cannot set headers puts its bearer token: among the subprotocols, base64url. */
export const WEBSOCKET_TOKEN = 'base64url.bearer.authorization.k8s.io.'

/** Headers without a token among the subprotocols. */
export function withoutWebSocketToken(raw: RawHeaders): RawHeaders {
  const protocols = valuesOf(raw, 'sec-websocket-protocol').join(',')
  if (!protocols.includes(WEBSOCKET_TOKEN)) return raw
  const kept = protocols.split(',').filter((one) => !one.trim().startsWith(WEBSOCKET_TOKEN))
  return [...endToEnd(raw, new Set(['sec-websocket-protocol'])), 'Sec-WebSocket-Protocol', kept.join(',').trim()]
}

/** Raw headers as an object with repeated values in lists, for HTTP/2; names in lower case. */
export function headerObject(raw: RawHeaders): Record<string, string | string[]> {
  const object: Record<string, string | string[]> = {}
  for (let i = 0; i < raw.length; i += 2) {
    const key = (raw[i] ?? '').toLowerCase()
    const value = raw[i + 1] ?? ''
    const before = object[key]
    object[key] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
  }
  return object
}

/** The inverse: an object's headers as names and values in turn. */
export function rawOf(headers: Readonly<Record<string, string | readonly string[]>>): RawHeaders {
  return Object.entries(headers).flatMap(([name, values]) => [values].flat().flatMap((value) => [name, value]))
}

/** Trailers in the form that Node accepts. */
export const trailerPairs = (raw: RawHeaders): [string, string][] =>
  Array.from({ length: raw.length >>> 1 }, (_, i) => [raw[2 * i] ?? '', raw[2 * i + 1] ?? ''])

/** Headers as text, for use before a body or a protocol change. */
export function headerLines(raw: RawHeaders): string {
  let text = ''
  for (let i = 0; i < raw.length; i += 2) text += `${raw[i] ?? ''}: ${raw[i + 1] ?? ''}\r\n`
  return text
}
