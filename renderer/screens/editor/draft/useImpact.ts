import { useMemo } from 'react'
import { create } from 'zustand'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import type { ServerFrame } from '../../../../core/frame/frame.ts'
import { demandOf, type DemandByLevel } from '../../../../core/impact/demand.ts'
import { seatImpact, type SeatImpact } from '../../../../core/impact/seatImpact.ts'
import { possibleServerLimits, reportedServerLimit } from '../../../../core/impact/serverLimit.ts'
import { useConnected, type Connected } from '../../../state/connection.ts'
import { useDraft } from '../../../state/draft.ts'
import type { DraftBase } from '../../../state/draftBase.ts'
import { useViewPart } from '../../../state/view.ts'

/** Seats of one server, and how they are known. */
export interface ServerLimit {
  readonly seats: number
  readonly from: 'reported' | 'configured' | 'inferred' | 'assumed' | 'own'
}

/** What a server has without flags: 400 + 200 (specification 6.1). */
const USUAL_LIMIT = 600

export const ownLimitStore = create<{ readonly seats?: number }>(() => ({}))

export interface Impact {
  readonly impact: SeatImpact
  readonly limit: ServerLimit
  readonly before: ObjectSet
  readonly after: ObjectSet
  readonly version: string
  /** Limits are those of the demand that the server reports now. */
  readonly live: boolean
}

/** What the draft does to the seats of the shown server; `undefined` while the objects are not known. */
export function useImpact(): Impact | undefined {
  const { base, proposal } = useDraft()
  const server = useViewPart((view) => view.server)
  const demand = useViewPart((view) => demandNow(view.server))
  const connected = useConnected()
  const { seats: own } = ownLimitStore()
  const { seats, from } = useMemo(() => limitOf(base, server, connected, own), [base, server, connected, own])
  return useMemo(() => {
    if (base === undefined || proposal === undefined) return undefined
    const question = { before: base.objects, after: proposal.objects, serverLimit: seats, version: base.version }
    const live = base.origin === 'built-in' ? undefined : demand
    return {
      impact: seatImpact({ ...question, demand: live }),
      limit: { seats, from },
      before: base.objects,
      after: proposal.objects,
      version: base.version,
      live: live !== undefined,
    }
  }, [base, proposal, seats, from, demand])
}

let lastDemand: { readonly key: string; readonly demand: DemandByLevel | undefined } = { key: '', demand: undefined }

/** Demand moves every ten seconds, and a sample makes a new server every second: the same value in between. */
function demandNow(server: ServerFrame | undefined): DemandByLevel | undefined {
  const key = JSON.stringify(server?.levels.map(({ name, demand, limits }) => [name, demand, limits.current]) ?? [])
  if (key !== lastDemand.key) lastDemand = { key, demand: server && demandOf(server) }
  return lastDemand.demand
}

export function limitOf(
  base: DraftBase | undefined,
  server: ServerFrame | undefined,
  connected: Connected | undefined,
  own: number | undefined,
): ServerLimit {
  if (own !== undefined) return { seats: own, from: 'own' }
  if (base === undefined || base.origin === 'built-in') return { seats: USUAL_LIMIT, from: 'assumed' }
  if (connected?.spec.kind === 'simulation' || connected?.spec.kind === 'proxy' || connected?.spec.kind === 'feed') {
    const { maxRequestsInFlight, maxMutatingRequestsInFlight } = connected.spec
    return { seats: maxRequestsInFlight + maxMutatingRequestsInFlight, from: 'configured' }
  }
  const nominal = new Map(
    (server?.levels ?? []).flatMap(({ name, limits }) =>
      limits.nominal === undefined ? [] : [[name, limits.nominal]],
    ),
  )
  const range = nominal.size === 0 ? undefined : possibleServerLimits(base.objects, nominal)
  const reported = server && reportedServerLimit(server)
  // What the server says of Exempt is taken as long as the nominal limits that it reports agree with it.
  if (reported !== undefined && (range === undefined || (range.least <= reported && reported <= range.most))) {
    return { seats: reported, from: 'reported' }
  }
  return range === undefined ? { seats: USUAL_LIMIT, from: 'assumed' } : { seats: range.most, from: 'inferred' }
}
