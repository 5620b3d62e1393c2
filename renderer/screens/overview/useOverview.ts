import type { Connected, ServerHealth } from '../../../core/contract/source.ts'
import { useState, useMemo } from 'react'
import type { View } from '../../state/view.ts'
import type { ServerLoad } from '../../../core/verdict/acrossRows.ts'
import { staleAfterMs } from '../../../core/frame/staleAfter.ts'
import { unixMsOf } from '../../../core/units.ts'
import { useShownServers } from '../../state/health.ts'
import { usePastPart } from '../../state/past.ts'
import { useServerObjects } from '../../state/objects.ts'
import { useSettings } from '../../state/settings.ts'
import { useSampleDistance } from '../../state/simulation.ts'
import { levelOrder } from '../../../core/text/levelSlots.ts'
import type { DerivedServer } from '../../../core/frame/derived.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import {
  levelRows,
  totalsOf,
  type LevelRow,
  recentRejections,
  type RecentRejections,
} from '../../../core/verdict/levelRows.ts'

/** One server with its derived data for this screen. */
export interface OverviewServer {
  readonly id: string
  readonly server: ServerFrame
  readonly derived: DerivedServer | undefined
  readonly rows: readonly LevelRow[]
  readonly recent: RecentRejections | undefined
  readonly load: ServerLoad
}

export interface OverviewFacts {
  readonly servers: readonly OverviewServer[]
  /** For all servers at the shown instant, including those without a sample. */
  readonly health: readonly ServerHealth[]
  /** Of the past, where that is shown. */
  readonly instant: number | undefined
  /** Unix milliseconds by the main side's clock; in the past the shown instant. */
  readonly now: number
  readonly gapMs: number
  /** Servers whose last sample is old, although others may be current. */
  readonly stale: ReadonlySet<string>
  readonly compare: (a: string, b: string) => number
}

/** Rows of all servers of the shown frame, with the rejections of the last ten seconds. */
export function useOverview(view: View, connection: Connected): OverviewFacts {
  const [{ levelSlots }] = useSettings()
  const frames = view.frame?.servers
  const compare = useMemo(() => levelOrder(levelSlots), [levelSlots])
  const servers = useMemo(
    () =>
      (frames ?? []).map((server): OverviewServer => {
        const derived = view.derived.find(({ id }) => id === server.id)
        const recent = recentRejections(derived)
        const rows = levelRows(server, derived, compare)
        const { executing, nominal, queuedSeats } = totalsOf(rows)
        return {
          id: server.id,
          server,
          derived,
          rows,
          recent,
          load: { id: server.id, executing, nominal, queuedSeats },
        }
      }),
    [frames, view.derived, compare],
  )
  const at = view.server === undefined ? 0 : unixMsOf(view.server.at)
  const shown = usePastPart((past) => past.moment?.at)
  const instant = view.mode === 'past' ? shown : undefined
  const now = instant ?? at + view.ageMs
  const gapMs = staleAfterMs(useSampleDistance(connection))
  const health = useShownServers()
  const isOld =
    view.mode === 'live' || view.mode === 'stale'
      ? ({ server }: OverviewServer) => now - unixMsOf(server.at) >= gapMs
      : // The sample interval at that time is not known; whether a server failed to answer is.
        ({ id }: OverviewServer) => view.mode === 'past' && health.find((one) => one.id === id)?.status === 'failing'
  const stale = useSameSet(servers.filter(isOld).map(({ id }) => id))
  return { servers, health, instant, now, gapMs, stale, compare }
}

/**
 * Returns a function that finds the level of the console's own requests on a server, where it is known and not exempt.
 */
export function useOwnLevel({ servers }: Connected): (on: OverviewServer) => LevelRow | undefined {
  const levels = useServerObjects()?.levels
  return ({ id, rows }) => {
    const uid = servers.find((server) => server.id === id)?.ownLevelUid
    const own = uid === undefined ? undefined : levels?.find(({ metadata }) => metadata.uid === uid)?.metadata.name
    return rows.find(({ name, exempt }) => name === own && !exempt)
  }
}

/** The rejections of several servers as one list. */
export function together(servers: readonly OverviewServer[]): RecentRejections | undefined {
  const known = servers.map(({ recent }) => recent).filter((recent) => recent !== undefined)
  if (known.length === 0) return undefined
  return {
    seconds: Math.max(...known.map(({ seconds }) => seconds)),
    rows: known.flatMap(({ rows }) => rows),
  }
}

/** The same set object as long as its members are the same, so that its dependents do not update. */
function useSameSet(members: readonly string[]): ReadonlySet<string> {
  const [kept, setKept] = useState<ReadonlySet<string>>(() => new Set(members))
  if (kept.size === members.length && members.every((member) => kept.has(member))) return kept
  const next = new Set(members)
  setKept(next)
  return next
}
