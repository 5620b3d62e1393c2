import { useMemo } from 'react'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import type { ServerFrame } from '../../../../core/frame/frame.ts'
import { demandOf, type DemandByLevel } from '../../../../core/impact/effectiveLevels.ts'
import { seatImpact, type SeatImpact } from '../../../../core/impact/seatImpact.ts'
import { useConnected } from '../../../state/connection.ts'
import { useDraft } from '../../../state/draft.ts'
import { serverLimitOf, type ServerLimit } from '../../../../core/impact/serverLimit.ts'
import { ownLimitStore } from '../../../state/serverLimit.ts'
import { useViewPart } from '../../../state/view.ts'

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
  const own = ownLimitStore(({ seats }) => seats)
  const { seats, from } = useMemo(
    () => serverLimitOf({ own, spec: connected?.spec, server, objects: base?.objects }),
    [base, server, connected, own],
  )
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
