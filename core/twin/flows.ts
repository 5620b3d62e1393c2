import type { DumpFrame } from '../frame/dump.ts'
import type { ForecastEvidence } from '../contract/forecast.ts'
import { median } from '../frame/quantile.ts'
import { MS_PER_SECOND, unixMsOf } from '../units.ts'
import { courseOf, isSteady } from './course.ts'

/** Fewer requests than these are not representative of shares. */
const FEWEST_REQUESTS = 20
/** Maximum number of flows of one schema: the largest. The requests of the others are distributed among them. */
const MOST_FLOWS = 24

/** Fewer wide requests do not show which flows send them. */
const FEWEST_WIDE = 5

interface Dumped {
  requests: number
  executing: number
  wide: number
  /** Of executing requests, since their dispatch, until the dump. */
  ageMs: number
  /** In each dump. */
  readonly present: number[]
}

/** The flows in the dumps of one server, each with its share of the arrivals of its schema, and how its requests move. */
export function flowsOf(dumps: readonly DumpFrame[]): ForecastEvidence['flows'] {
  const read = dumps.flatMap(({ at, requests }) => (requests === undefined ? [] : [{ at: unixMsOf(at), requests }]))
  const bySchema = new Map<string, Map<string, Dumped>>()
  for (const [number, { at, requests }] of read.entries()) {
    for (const { schema, flow, initialSeats, finalSeats, startedAt } of requests) {
      const flows = bySchema.get(schema) ?? new Map<string, Dumped>()
      bySchema.set(schema, flows)
      const known = flows.get(flow) ?? { requests: 0, executing: 0, wide: 0, ageMs: 0, present: read.map(() => 0) }
      flows.set(flow, known)
      known.requests += 1
      known.present[number] = (known.present[number] ?? 0) + 1
      if (Math.max(initialSeats, finalSeats) > 1) known.wide += 1
      if (startedAt === undefined) continue
      known.executing += 1
      known.ageMs += Math.max(LEAST_AGE_MS, at - startedAt)
    }
  }
  const everySeconds = median(read.slice(1).map(({ at }, i) => (at - (read[i]?.at ?? at)) / MS_PER_SECOND)) ?? 0
  return [...bySchema].flatMap(([schema, flows]) => {
    const all = [...flows.values()]
    if (sumOf(all, 'requests') < FEWEST_REQUESTS || flows.has('')) return []
    const toldApart = sumOf(all, 'wide') >= FEWEST_WIDE
    const largest = [...flows].toSorted(([, a], [, b]) => b.requests - a.requests).slice(0, MOST_FLOWS)
    const meanAge = ageOf(all)
    const rows = largest.map(([name, flow]) => ({ name, flow, slow: slownessOf(flow, meanAge) }))
    // By Little's law, as many requests execute as arrive while one does.
    const total = rows.reduce((sum, { flow, slow }) => sum + flow.executing / slow, 0)
    const mean = total > 0 ? rows.reduce((sum, { flow }) => sum + flow.executing, 0) / total : 1
    return [
      {
        schema,
        flows: rows.map(({ name, flow: { requests, executing, wide, present }, slow }) => {
          const course = courseOf(present, 1 - executing / requests, everySeconds)
          const counts = isSteady(present) ? undefined : read.map(({ at }, i) => ({ atMs: at, count: present[i] ?? 0 }))
          return {
            name,
            share: total > 0 ? executing / slow / total : requests / sumOf(all, 'requests'),
            slowness: slow / mean,
            present: requests / read.length,
            ...(course && { course }),
            ...(counts && { counts }),
            ...(toldApart && { wide: wide / requests }),
          }
        }),
      },
    ]
  })
}
/** A clock that is late makes requests younger. */
const LEAST_AGE_MS = 1

const sumOf = (flows: readonly Dumped[], of: 'requests' | 'executing' | 'wide' | 'ageMs'): number =>
  flows.reduce((sum, flow) => sum + flow[of], 0)

const ageOf = (flows: readonly Dumped[]): number => sumOf(flows, 'ageMs') / Math.max(1, sumOf(flows, 'executing'))

/** Requests of a flow that take twice as long as others have run twice as long when a dump meets them. */
function slownessOf(flow: Dumped, meanAge: number): number {
  if (flow.executing < FEWEST_REQUESTS || meanAge <= 0) return 1
  return Math.min(SLOWNESS.max, Math.max(SLOWNESS.min, ageOf([flow]) / meanAge))
}
const SLOWNESS = { min: 0.1, max: 10 } as const
