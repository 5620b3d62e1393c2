import { secretCheck } from '../server/secretCheck.ts'
import type { Refusal } from './answers.ts'
import type { AnyRequest } from './exchange.ts'
import type { OwnNames } from './names.ts'

export interface GuardOptions {
  readonly names: OwnNames
  /** How it is called in the refusals. */
  readonly shownAs: string
  /** What clients must bring. */
  readonly token?: string
}

/** Why a request is not let in, before anybody asks who it is by. */
export type Guard = (request: AnyRequest) => Refusal | undefined

const hostOf = (request: AnyRequest): string =>
  ('authority' in request ? request.authority || request.headers.host : request.headers.host)?.toLowerCase() ?? ''

/**
 * Lets in only who asks for this proxy by its name, is no page of a browser (a page of another site could otherwise use the
 * operator's credentials), and brings the token where one is needed.
 */
export function createGuard({ names, shownAs, token }: GuardOptions): Guard {
  const isToken = token === undefined ? undefined : secretCheck(`Bearer ${token}`)
  return (request) => {
    if (!names.has(hostOf(request))) {
      return { status: 421, sentence: `This proxy answers only as ${shownAs}.` }
    }
    if (fromPage(request)) {
      return { status: 403, sentence: 'This proxy is not for pages of browsers; use a Kubernetes client.' }
    }
    const target = request.url ?? ''
    if (!target.startsWith('/')) {
      return {
        status: 400,
        sentence: 'This proxy stands in front of one server; ask it for a path, not for an address.',
      }
    }
    if (isToken === undefined || broughtToken(request, isToken)) return undefined
    return { status: 401, sentence: 'This proxy needs its token as a bearer token.' }
  }
}

/**
 * Pages are known by headers that a browser sets and a page cannot change; one opened by the user has come from nowhere.
 * Clients that send an origin without being a page name what they ask.
 */
function fromPage(request: AnyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined && site !== 'none' && site !== 'same-origin') return true
  return origin !== undefined && origin.toLowerCase().replace(/^https?:\/\//, '') !== hostOf(request)
}

function broughtToken({ headers }: AnyRequest, isToken: (shown: string) => boolean): boolean {
  const candidates = [headers.authorization, headers['proxy-authorization']]
  return candidates.some((one) => one !== undefined && isToken(one))
}
