import { posix } from 'node:path'
import { requestInfo } from '../../core/request/requestInfo.ts'
import { parseRequestTarget } from '../../core/request/requestTarget.ts'
import { secretCheck } from '../listen/secrets.ts'
import { bearerToken } from './headers.ts'
import type { OwnNames } from './names.ts'
import type { Refusal } from './answers.ts'
import type { AnyRequest } from './exchange.ts'
import { mayUpgrade } from './listen.ts'

export interface GuardOptions {
  readonly names: OwnNames
  /** The displayed name of the proxy in refusals. */
  readonly shownAs: string
  /** What to use instead of a browser. */
  readonly clients?: string
  /** The token that clients must send. */
  readonly token?: string
  /** Whether `exec` and its like are refused. */
  readonly refusesStreams?: boolean
}

/** Why a request is refused, before its caller is identified. */
export type Guard = (request: AnyRequest) => Refusal | undefined

const hostOf = (request: AnyRequest): string =>
  ('authority' in request ? request.authority || request.headers.host : request.headers.host)?.toLowerCase() ?? ''

/**
 * Lets in only requests that address this proxy by its name, do not come from a page of a browser (a page of another
 * site could otherwise use the operator's credentials), and carry the token where one is needed.
 */
export function createGuard({
  names,
  shownAs,
  clients = 'kubectl or another Kubernetes client',
  token,
  refusesStreams = false,
}: GuardOptions): Guard {
  const isToken = token === undefined ? undefined : secretCheck(token)
  return (request) => {
    if (!names.has(hostOf(request))) {
      return { status: 421, sentence: `This proxy answers only as ${shownAs}.` }
    }
    if (fromBrowser(request)) {
      return { status: 403, sentence: `This proxy does not answer browsers; use ${clients}.` }
    }
    const target = request.url ?? ''
    if (!target.startsWith('/')) {
      return {
        status: 400,
        sentence: 'This proxy stands in front of one server; ask it for a path, not for an address.',
      }
    }
    if (isToken !== undefined && !broughtToken(request, isToken)) {
      return { status: 401, sentence: 'This proxy needs its token as a bearer token.' }
    }
    return refusesStreams ? refuseStreams(request) : undefined
  }
}

const OF_BROWSERS: ReadonlySet<string> = new Set(['navigate', 'nested-navigate', 'websocket'])

/**
 * Recognises browsers by headers that they set and a page cannot change (fetch metadata), whatever they fetch: an
 * address that the user opened, a frame, a form, a script of this or another origin. `fetch` of Node sends
 * Sec-Fetch-Mode alone. Non-browser clients that send an Origin name the host that they address.
 */
function fromBrowser(request: AnyRequest): boolean {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-dest': dest, 'sec-fetch-mode': mode } = request.headers
  if (site !== undefined || dest !== undefined || (mode !== undefined && OF_BROWSERS.has(mode))) return true
  return origin !== undefined && origin.toLowerCase().replace(/^https?:\/\//, '') !== hostOf(request)
}

function broughtToken({ headers }: AnyRequest, isToken: (shown: string) => boolean): boolean {
  const candidates = [headers.authorization, headers['proxy-authorization']].map(bearerToken)
  return candidates.some((one) => one !== undefined && isToken(one))
}

/** Subresources that run programs in a container or lead past the API, as kubelets do behind `nodes/proxy`. */
const STREAMS: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy'])

const REFUSED: Refusal = {
  status: 403,
  sentence:
    'This proxy lends its own credentials, so it refuses exec, attach, port-forward and proxy; start it with --allow-exec to let them pass.',
}

const UNREADABLE: Refusal = { status: 400, sentence: 'The path of this request cannot be decoded.' }

/**
 * Refuses requests that would let a caller act in containers and on nodes with the proxy's own credentials, as
 * `kubectl proxy` does. Protocol changes are allowed only for watches and logs.
 */
function refuseStreams(request: AnyRequest): Refusal | undefined {
  const { method = 'GET', url = '/' } = request
  const target = parseRequestTarget(url)
  if (target === undefined) return UNREADABLE
  // Gateways in front of an API server may remove empty and dot segments from a path; the server does not.
  const paths = [target.path, posix.normalize(target.path)]
  const infos = paths.map((path) => requestInfo(method, { ...target, path }).info)
  if (infos.some(({ verb, subresource }) => verb === 'proxy' || STREAMS.has(subresource))) return REFUSED
  const reads = infos.every(({ verb, subresource }) => verb === 'watch' || subresource === 'log')
  return reads || request.headers.upgrade === undefined || !mayUpgrade(request) ? undefined : REFUSED
}
