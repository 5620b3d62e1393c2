import { create } from 'zustand'
import { DEFAULT_SERVER_LIMIT } from '../../core/classify/configuration.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { nominalLimitsOf, possibleServerLimits, reportedServerLimit } from '../../core/impact/serverLimit.ts'
import type { Connected } from './connection.ts'
import type { DraftBase } from './draftBase.ts'

/** Seats of one server, and how they are known. */
export interface ServerLimit {
  readonly seats: number
  readonly from: 'reported' | 'configured' | 'inferred' | 'assumed' | 'own'
}

/** What the reader says, where no server does. */
export const ownLimitStore = create<{ readonly seats?: number }>(() => ({}))

/** The seats of a server, as well as they are known (specification 6.1); `own` is what the reader says. */
export function serverLimitOf(
  base: DraftBase | undefined,
  server: ServerFrame | undefined,
  connected: Connected | undefined,
  own: number | undefined,
): ServerLimit {
  if (own !== undefined) return { seats: own, from: 'own' }
  if (connected?.spec.kind === 'simulation' || connected?.spec.kind === 'proxy' || connected?.spec.kind === 'feed') {
    const { maxRequestsInFlight, maxMutatingRequestsInFlight } = connected.spec
    // A proxy without limits of its own has those of its upstream, which its page reports.
    if (maxRequestsInFlight !== undefined && maxMutatingRequestsInFlight !== undefined) {
      return { seats: maxRequestsInFlight + maxMutatingRequestsInFlight, from: 'configured' }
    }
  }
  const range = server && base && possibleServerLimits(base.objects, nominalLimitsOf(server))
  const reported = server && reportedServerLimit(server)
  // What the server says of Exempt is taken as long as the nominal limits that it reports agree with it.
  if (
    reported !== undefined &&
    (base?.origin === 'built-in' || range === undefined || (range.least <= reported && reported <= range.most))
  ) {
    return { seats: reported, from: 'reported' }
  }
  return range === undefined
    ? { seats: DEFAULT_SERVER_LIMIT, from: 'assumed' }
    : { seats: range.most, from: 'inferred' }
}
