import { plain } from '../../core/text/format.ts'
import type { IncomingHttpHeaders } from 'node:http'
import type { ErrorCode, Problem } from '../../core/errors.ts'
import { unixMsOf } from '../../core/units.ts'
import { shownUrl } from './redact.ts'

/** Limits of one request. Times are milliseconds; each ends the request with a problem. */
export interface HttpLimits {
  /** Until the connection is established, including TLS. */
  readonly connectMs: number
  /** From then until the head of the response. */
  readonly firstByteMs: number
  /** Between two chunks of the response. */
  readonly idleMs: number
  /** For the whole request. */
  readonly totalMs: number
  /** Bytes of the response as received, and after decompression. */
  readonly maxWireBytes: number
  readonly maxBytes: number
}

export const METRICS_LIMITS: HttpLimits = {
  connectMs: 5_000,
  firstByteMs: 10_000,
  idleMs: 5_000,
  totalMs: 15_000,
  maxWireBytes: 128 * 1024 * 1024,
  maxBytes: 256 * 1024 * 1024,
}

export type Phase = 'connect' | 'firstByte' | 'idle' | 'total'

const seconds = (ms: number): string => `${plain.amount(ms / 1_000)} s`

export function timeoutProblem(phase: Phase, url: URL, limits: HttpLimits): Problem {
  const where = shownUrl(url)
  const messages: Record<Phase, string> = {
    connect: `No connection to ${url.host} within ${seconds(limits.connectMs)}; check the address and that the network lets this machine reach it.`,
    firstByte: `${where} accepted the request and sent nothing for ${seconds(limits.firstByteMs)}; the server may be overloaded.`,
    idle: `${where} stopped in the middle of its answer for ${seconds(limits.idleMs)}; the server or the link may be overloaded.`,
    total: `${where} did not finish its answer within ${seconds(limits.totalMs)}; the server or the link may be overloaded.`,
  }
  return { code: 'timeout', message: messages[phase] }
}

export function tooLargeProblem(what: 'wire' | 'decoded', url: URL, limits: HttpLimits): Problem {
  const bytes = what === 'wire' ? limits.maxWireBytes : limits.maxBytes
  const size = bytes >= 1024 * 1024 ? `${Math.round(bytes / 1024 / 1024)} MiB` : `${Math.round(bytes / 1024)} KiB`
  const when = what === 'wire' ? '' : ' when decompressed'
  return {
    code: 'too-large',
    message: `The answer of ${shownUrl(url)} is larger than ${size}${when} and was cut off; check that the address is that of a metrics page.`,
  }
}

/** TLS failures by the code of Node or OpenSSL: what is wrong with the certificate, and how to fix it. */
const CERTIFICATE_WORDS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed; give it as certificate-authority',
  SELF_SIGNED_CERT_IN_CHAIN:
    'comes from an authority that is not trusted; give that authority as certificate-authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'comes from an authority that is not trusted; give that authority as certificate-authority',
  UNABLE_TO_GET_ISSUER_CERT:
    'comes from an authority that is not trusted; give that authority as certificate-authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'comes from an authority that is not trusted; give that authority as certificate-authority',
  CERT_SIGNATURE_FAILURE: 'was not signed by the given certificate-authority, which may be of an older cluster',
  CERT_HAS_EXPIRED: 'has expired; renew it on the server (and check the clock of this machine)',
  CERT_NOT_YET_VALID: 'is not valid yet; check the clock of this machine and of the server',
  CERT_REVOKED: 'was revoked; renew it on the server',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'is for another host; use a name that it lists, or give that name as tls-server-name in the kubeconfig',
}

const NETWORK_WORDS: Readonly<Record<string, (host: string) => string>> = {
  ECONNREFUSED: (host) => `Nothing listens at ${host}; check the port, and that the server runs.`,
  ENOTFOUND: (host) => `The name of ${host} is unknown; check the spelling, or the DNS of this machine.`,
  EAI_AGAIN: (host) => `The name of ${host} could not be looked up now; check the network and DNS of this machine.`,
  EHOSTUNREACH: (host) => `${host} cannot be reached from this machine; check the network or the VPN.`,
  ENETUNREACH: (host) => `${host} cannot be reached from this machine; check the network or the VPN.`,
  ETIMEDOUT: (host) => `${host} does not answer; check the address and that a firewall lets this machine through.`,
  ECONNRESET: (host) => `${host} closed the connection before its response was complete.`,
  EPIPE: (host) => `${host} closed the connection before its response was complete.`,
}

/**
 * The problem that made a request fail before or during its response; the system's message is the details. `ifRefused`
 * is the message for when the server refuses the credentials. Through a `proxy` (host and port), only the proxy is
 * connected to and looked up.
 */
export function networkProblem(
  error: Error & { readonly code?: string },
  url: URL,
  {
    ifRefused = 'Check the client certificate in the kubeconfig.',
    proxy,
  }: { readonly ifRefused?: string; readonly proxy?: string } = {},
): Problem {
  // The error of a SOCKS connection has the code of its cause in its message only.
  const code = error.code ?? /\bE[A-Z]{4,}\b/.exec(error.message)?.[0] ?? ''
  const details = code === '' || error.message.includes(code) ? error.message : `${code}: ${error.message}`
  const certificate = CERTIFICATE_WORDS[code]
  if (certificate !== undefined)
    return { code: 'tls', message: `The certificate of ${url.host} ${certificate}.`, details }
  if (
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/.test(
      `${code} ${error.message}`.replaceAll(' ', '_').toUpperCase(),
    )
  ) {
    return {
      code: 'tls',
      message: `${url.host} does not speak TLS; use http:// instead of https:// if that is intended.`,
      details,
    }
  }
  if (/ALERT/i.test(code)) {
    return {
      code: 'tls',
      message: `${url.host} refused the TLS handshake; it may need another client certificate. ${ifRefused}`,
      details,
    }
  }
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO') {
    return { code: 'tls', message: `The TLS handshake with ${url.host} failed; the details show the cause.`, details }
  }
  const network = NETWORK_WORDS[code]
  if (network !== undefined) {
    const message = network(proxy === undefined ? url.host : `the proxy ${proxy} of the kubeconfig`)
    return { code: 'unreachable', message: message.replace(/^t/, 'T'), details }
  }
  if (proxy !== undefined) {
    return {
      code: 'unreachable',
      message: `The proxy ${proxy} did not connect to ${url.host}; the details show the cause.`,
      details,
    }
  }
  if (code.startsWith('HPE_')) {
    return { code: 'bad-answer', message: `${url.host} does not answer in HTTP; check the port.`, details }
  }
  if (code.startsWith('Z_')) {
    return { code: 'bad-answer', message: `The compressed answer of ${shownUrl(url)} is damaged.`, details }
  }
  return { code: 'unreachable', message: `${url.host} could not be read; the details show the cause.`, details }
}

const STATUS_CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  429: 'throttled',
}

/** How an API server names the user of a request without credentials. */
const ANONYMOUS = 'User "system:anonymous"'

/** The meaning of a status other than 2xx. `body` is the start of the body; `ifRefused` as for `networkProblem`. */
export function statusProblem(
  status: number,
  headers: IncomingHttpHeaders,
  body: string,
  url: URL,
  ifRefused = 'Sign in again.',
): Problem {
  const where = shownUrl(url)
  const words = statusWords(body)
  const details = words === '' ? {} : { details: words }
  if (status >= 300 && status < 400) {
    return {
      code: 'bad-answer',
      message: `${where} redirects elsewhere, which is not followed because credentials would go there too; give the final address.`,
      ...(headers.location === undefined ? {} : { details: `Location: ${locationShown(headers.location, url)}` }),
    }
  }
  if (status === 403 && words.includes(ANONYMOUS)) {
    // A 403 for the anonymous user means that credentials are missing, not that a user lacks a permission.
    return {
      code: 'unauthorized',
      message: `${where} may not be read without credentials (403). ${ifRefused}`,
      ...details,
    }
  }
  const messages: Readonly<Record<number, string>> = {
    400: `${where} rejects the request as bad (400); if it speaks TLS, use https:// instead of http://.`,
    401: `${where} does not accept the credentials (401). ${ifRefused}`,
    403: `The user may not read ${where} (403). apf permissions and the Connection screen give the missing role.`,
    404: `${where} does not exist (404); check the path of the address.`,
    429: `${where} is shedding load (429); the console retries when the server allows.`,
  }
  const general =
    status >= 500
      ? `${where} failed with status ${status}; see the log of the server.`
      : `${where} answered with status ${status}.`
  return { code: STATUS_CODES[status] ?? 'bad-answer', message: messages[status] ?? general, ...details }
}

/** The address of a redirect without query and fragment. */
function locationShown(location: string, base: URL): string {
  return URL.canParse(location, base.href) ? shownUrl(new URL(location, base)) : 'not an address'
}

/** The message of a Kubernetes Status object, or the first line of any other text. */
function statusWords(body: string): string {
  try {
    const status: unknown = JSON.parse(body)
    if (typeof status === 'object' && status !== null && 'message' in status && typeof status.message === 'string') {
      return status.message
    }
  } catch {
    // Not JSON: plain text, used as is.
  }
  return (body.trim().split('\n', 1)[0] ?? '').slice(0, 300)
}

/** Retry-After in milliseconds: seconds or a date; `undefined` when absent or unreadable. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000
  const at = unixMsOf(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** Takes one chunk of the body; `'enough'` ends the request as delivered. */
export type ChunkConsumer = (chunk: Uint8Array) => 'enough' | undefined

/** Reasons to reject a response before its body: an HTML page, or an encoding that was not requested. */
export function refuseHead(headers: IncomingHttpHeaders, url: URL): Problem | undefined {
  if (/^text\/html\b/i.test(headers['content-type'] ?? '')) return htmlProblem(url)
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity' || encoding === 'gzip') return undefined
  return { code: 'bad-answer', message: `${shownUrl(url)} uses an encoding that was not requested.` }
}

export function htmlProblem(url: URL): Problem {
  return {
    code: 'bad-answer',
    message: `${shownUrl(url)} answered with a web page (HTML); check the address, and that no login page or proxy is in front of it.`,
  }
}

/** Neither metrics nor JSON nor a dump begins with `<`. */
export function startsAsMarkup(piece: Uint8Array): boolean {
  const first = piece.find((byte) => byte > 0x20)
  return first === 0x3c
}
