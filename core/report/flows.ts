import type { LiveRequest } from '../contract/live.ts'
import type { DumpFrame } from '../frame/dump.ts'
import { asksForDump } from '../frame/flow.ts'
import { MS_PER_SECOND, unixMsOf } from '../units.ts'

/** Users of a level, as far as debug dumps and single requests show them. */
export interface FlowTally {
  /** Number of dumps of requests. */
  readonly dumps: number
  /** From the dumps, largest users of seats first. */
  readonly flows: readonly DumpedFlow[]
  /** Recorded single requests, and the rejected ones among them, most frequent first. */
  readonly requests: number
  readonly rejected: readonly { readonly user: string; readonly level: string; readonly count: number }[]
}

export interface DumpedFlow {
  readonly level: string
  readonly schema: string
  /** Distinguisher; empty where the schema has none. */
  readonly flow: string
  /** Means over all dumps. */
  readonly seats: number
  readonly waiting: number
  /** Executing requests, and for how many seconds they have executed so far; `undefined` if there are none. */
  readonly executing: number
  readonly seconds: number | undefined
  /** Observed users, `MOST_USERS` at most; the one with the most requests first. */
  readonly users: readonly string[]
  /** Share of the seats that its level used in the dumps, 0 to 1. */
  readonly partOfLevel: number
}

const sizeOf = ({ executing, waiting }: DumpedFlow): number => executing + waiting

/** The flow with the most requests, and its fraction of them. */
export function largestOf(
  flows: readonly DumpedFlow[],
): { readonly flow: DumpedFlow; readonly part: number } | undefined {
  const [flow] = flows.toSorted((a, b) => sizeOf(b) - sizeOf(a))
  const all = flows.reduce((sum, one) => sum + sizeOf(one), 0)
  return flow === undefined || all === 0 ? undefined : { flow, part: sizeOf(flow) / all }
}

const MOST_USERS = 50

interface SeenFlow {
  readonly level: string
  readonly schema: string
  readonly flow: string
  seats: number
  waiting: number
  executing: number
  seconds: number
  readonly users: Map<string, number>
}

/** Maximum number of separate flows: later ones do not count. */
const MOST_FLOWS = 50_000

export function createFlowTally(): {
  dump(dump: DumpFrame): void
  requests(rows: readonly LiveRequest[]): void
  finish(): FlowTally
} {
  const flows = new Map<string, SeenFlow>()
  const levels = new Map<string, number>()
  const rejected = new Map<string, { user: string; level: string; count: number }>()
  let dumps = 0
  let requests = 0
  return {
    dump({ requests: rows, at }) {
      if (rows === undefined) return
      dumps++
      for (const row of rows) {
        // Whoever reads dumps would otherwise be the largest flow of a quiet level.
        if (asksForDump(row)) continue
        const { level, schema, flow, startedAt, initialSeats, user } = row
        const key = JSON.stringify([level, schema, flow])
        const entry = flows.get(key) ?? {
          level,
          schema,
          flow,
          seats: 0,
          waiting: 0,
          executing: 0,
          seconds: 0,
          users: new Map(),
        }
        if (flows.size < MOST_FLOWS) flows.set(key, entry)
        if (user !== undefined && (entry.users.has(user) || entry.users.size < MOST_USERS)) {
          entry.users.set(user, (entry.users.get(user) ?? 0) + 1)
        }
        if (startedAt === undefined) entry.waiting++
        else {
          entry.seats += initialSeats
          entry.executing++
          entry.seconds += Math.max(0, unixMsOf(at) - startedAt) / MS_PER_SECOND
          levels.set(level, (levels.get(level) ?? 0) + initialSeats)
        }
      }
    },
    requests(rows) {
      requests += rows.length
      for (const { user, level, state } of rows) {
        if (state !== 'rejected') continue
        const key = JSON.stringify([user, level])
        const entry = rejected.get(key) ?? { user, level, count: 0 }
        if (rejected.size < MOST_FLOWS) rejected.set(key, entry)
        entry.count++
      }
    },
    finish: () => ({
      dumps,
      flows: [...flows.values()]
        .map(({ seats, waiting, executing, seconds, users, ...flow }) => ({
          ...flow,
          executing: executing / Math.max(1, dumps),
          seconds: executing === 0 ? undefined : seconds / executing,
          users: [...users].toSorted(([, a], [, b]) => b - a).map(([user]) => user),
          seats: seats / Math.max(1, dumps),
          waiting: waiting / Math.max(1, dumps),
          partOfLevel: seats / Math.max(1, levels.get(flow.level) ?? 0),
        }))
        .toSorted((a, b) => b.seats + b.waiting - a.seats - a.waiting),
      requests,
      rejected: [...rejected.values()].toSorted((a, b) => b.count - a.count),
    }),
  }
}
