import type { LiveRequest } from '../contract/live.ts'
import type { DumpFrame } from '../frame/dump.ts'

/** Who used a level, as far as debug dumps and single requests tell. */
export interface FlowTally {
  /** Readings of the dump of requests. */
  readonly dumps: number
  /** Of the dumps: the largest users of seats first. */
  readonly flows: readonly DumpedFlow[]
  /** Single requests that were recorded, and those of them that were rejected, the most first. */
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
  /** Of the seats that its level used in the dumps, 0 to 1. */
  readonly partOfLevel: number
}

/** More flows than this are not told apart: what comes later does not count. */
const MOST_FLOWS = 50_000

export function createFlowTally(): {
  dump(dump: DumpFrame): void
  requests(rows: readonly LiveRequest[]): void
  finish(): FlowTally
} {
  const flows = new Map<string, { level: string; schema: string; flow: string; seats: number; waiting: number }>()
  const levels = new Map<string, number>()
  const rejected = new Map<string, { user: string; level: string; count: number }>()
  let dumps = 0
  let requests = 0
  return {
    dump({ requests: rows }) {
      if (rows === undefined) return
      dumps++
      for (const { level, schema, flow, startedAt, initialSeats } of rows) {
        const key = JSON.stringify([level, schema, flow])
        const entry = flows.get(key) ?? { level, schema, flow, seats: 0, waiting: 0 }
        if (flows.size < MOST_FLOWS) flows.set(key, entry)
        if (startedAt === undefined) entry.waiting++
        else {
          entry.seats += initialSeats
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
        .map(({ seats, waiting, ...flow }) => ({
          ...flow,
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
