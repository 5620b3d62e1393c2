import { useMemo, useDeferredValue, useEffect } from 'react'
import { create } from 'zustand'
import { configDiff } from '../../../../core/config/content.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import type { ServerFrame } from '../../../../core/frame/frame.ts'
import { standsInThePast } from '../../../../core/frame/reading.ts'
import { demandOf, type DemandByLevel } from '../../../../core/impact/effectiveLevels.ts'
import { seatImpact, type SeatImpact } from '../../../../core/impact/seatImpact.ts'
import { serverLimitOf, type ServerLimit } from '../../../../core/impact/serverLimit.ts'
import type { DraftEntries } from '../../../../core/draft/draft.ts'
import type { GuardFinding } from '../../../../core/guard/finding.ts'
import { guardRails, wholeSetChecks } from '../../../../core/guard/guardRails.ts'
import { ownLimitStore } from '../../../state/serverLimit.ts'
import { useViewPart, viewStore } from '../../../state/view.ts'
import { client } from '../../../state/client.ts'
import { useObjects } from '../../../state/objects.ts'
import { startRequestTests, useRequestTests } from '../../../state/requestTests.ts'
import { useConnected } from '../../../state/connection.ts'
import { useDraft } from '../../../state/draft.ts'
import { useDump } from '../../../state/dumps.ts'
import { askedOf, usePastPart } from '../../../state/past.ts'
import { movesOf, withSeen, type Moves, type SeenRequest } from './moves.data.ts'

export interface Impact {
  readonly impact: SeatImpact
  readonly limit: ServerLimit
  readonly before: ObjectSet
  readonly after: ObjectSet
  readonly version: string
  /** That the server reports now; limits follow from it. */
  readonly demand: DemandByLevel | undefined
  /** Seats after a restart with other flags. */
  readonly newLimit?: number | undefined
}

function withSeats(of: Omit<Impact, 'impact'>): Impact {
  const { before, after, limit, newLimit, version, demand } = of
  const question = { before, after, serverLimit: limit.seats, newServerLimit: newLimit, version, demand }
  return { ...of, impact: seatImpact(question) }
}

/** The same draft on a server that restarts with other flags. */
export const afterRestart = (of: Impact, newLimit: number): Impact => withSeats({ ...of, newLimit })

/** The effect of the draft on the seats of the shown server; `undefined` while the objects are not available. */
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
    return withSeats({
      limit: { seats, from },
      before: base.objects,
      after: proposal.objects,
      version: base.version,
      demand: base.origin === 'built-in' ? undefined : demand,
    })
  }, [base, proposal, seats, from, demand])
}

let lastDemand: { readonly key: string; readonly demand: DemandByLevel | undefined } = { key: '', demand: undefined }

/**
 * Demand changes every ten seconds, but a sample makes a new server every second: returns the same value in between.
 */
function demandNow(server: ServerFrame | undefined): DemandByLevel | undefined {
  const key = JSON.stringify(server?.levels.map(({ name, demand, limits }) => [name, demand, limits.current]) ?? [])
  if (key !== lastDemand.key) lastDemand = { key, demand: server && demandOf(server) }
  return lastDemand.demand
}

/** Objects without a server to apply a draft to are treated like files. */
const GUARDED_AS = {
  cluster: 'cluster',
  simulation: 'simulation',
  proxy: 'proxy',
  feed: 'files',
  files: 'files',
  'built-in': 'files',
} as const

export interface Guard {
  /** The draft that was checked; while it is not the current one, the findings are slightly out of date. */
  readonly of: DraftEntries
  readonly rails: readonly GuardFinding[]
  /** The draft has errors, so these are findings about its last valid values and no check counts as passed. */
  readonly stale: boolean
  readonly checks: readonly GuardFinding[]
}

/** Risks of the draft. Computed after the letters of a keystroke are on the screen. */
export function useGuard(serverLimit: number): Guard | undefined {
  const draft = useDeferredValue(useDraft())
  // Without the table its rail reports nothing.
  useEffect(() => startRequestTests(client()), [])
  const { tests } = useRequestTests()
  const state = useObjects()
  const connection = useConnected()?.id
  const user = state?.editing.state === 'on' ? state.editing.user : undefined
  return useMemo(() => {
    const { base, proposal, entries } = draft
    if (base === undefined || proposal === undefined) return undefined
    const { origin, objects: before, version } = base
    // Traffic at the time when the draft changes: rails concern the present objects, and must not flicker with each
    // sample.
    const { frame } = viewStore.getState()
    const context = {
      version,
      serverLimit,
      origin: GUARDED_AS[origin],
      tests,
      user,
      former: formerOf(connection, before),
      ...(origin !== 'files' && origin !== 'built-in' ? { servers: frame?.servers } : {}),
    }
    const { objects: after } = proposal
    return {
      of: entries,
      rails: railsOf(entries.length === 0 ? [] : guardRails({ before, after, context }), proposal.stale.length > 0),
      stale: proposal.stale.length > 0,
      checks: wholeSetChecks(after, version),
    }
  }, [draft, serverLimit, tests, user, connection])
}

/** The objects of the shown source as the page last saw them, and those before the last change of them. */
let seenObjects:
  { readonly of: number | undefined; readonly is: ObjectSet; readonly was: ObjectSet | undefined } | undefined

function formerOf(of: number | undefined, is: ObjectSet): ObjectSet | undefined {
  const last = seenObjects?.of === of ? seenObjects : undefined
  const isSame = last === undefined || configDiff(last.is, is).length === 0
  seenObjects = { of, is, was: isSame ? last?.was : last.is }
  return seenObjects.was
}

/** It is unknown which checks a draft with errors would pass. */
export const railsOf = (found: readonly GuardFinding[], stale: boolean): readonly GuardFinding[] =>
  stale ? found.filter(({ severity }) => severity !== 'passes') : found

const NOTHING: readonly SeenRequest[] = []

/** Requests from dumps since the source was connected, also while another page was open. */
const seenStore = create<{ readonly connection: number; readonly seen: readonly SeenRequest[] }>(() => ({
  connection: 0,
  seen: NOTHING,
}))

/**
 * The latest requests from dumps of the shown source. The draft concerns the present, so dumps of a past instant are
 * left out, unless the source is a recording.
 */
export function useSeenRequests(): readonly SeenRequest[] {
  const connected = useConnected()
  const connection = connected?.id ?? 0
  const server = useViewPart((view) => view.server?.id)
  const dump = useDump(server)
  const asked = usePastPart(askedOf)
  const isPast = asked !== undefined && connected !== undefined && !standsInThePast(connected.source)
  useEffect(() => {
    const before = seenStore.getState()
    const reported = isPast ? undefined : dump?.requests
    const seen = withSeen(before.connection === connection ? before.seen : NOTHING, reported ?? [])
    if (seen !== before.seen || connection !== before.connection) seenStore.setState({ connection, seen })
  }, [connection, dump, isPast])
  return seenStore((store) => (store.connection === connection ? store.seen : NOTHING))
}

/** Which of the requests in dumps would go elsewhere; `undefined` where there are no dumps. */
export function useMoves(): Moves | undefined {
  const draft = useDeferredValue(useDraft())
  const seen = useDeferredValue(useSeenRequests())
  return useMemo(() => {
    const { base, proposal } = draft
    if (base === undefined || proposal === undefined || seen.length === 0) return undefined
    return movesOf(base.objects, proposal.objects, seen)
  }, [draft, seen])
}
