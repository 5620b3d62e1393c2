import type { DumpFrame } from '../frame/dump.ts'
import type { ForecastEvidence } from '../contract/forecast.ts'

/** Fewer requests than these are not representative of shares. */
const FEWEST_REQUESTS = 20
/** Maximum number of flows of one schema: the largest. The requests of the others are distributed among them. */
const MOST_FLOWS = 24

/** Fewer wide requests do not show which flows send them. */
const FEWEST_WIDE = 5

interface Dumped {
  requests: number
  wide: number
}

/** The flows in the dumps of one server, each with its share of the requests of its schema that waited or ran. */
export function flowsOf(dumps: readonly DumpFrame[]): ForecastEvidence['flows'] {
  const counts = new Map<string, Map<string, Dumped>>()
  for (const { requests } of dumps) {
    for (const { schema, flow, initialSeats, finalSeats } of requests ?? []) {
      const flows = counts.get(schema) ?? new Map<string, Dumped>()
      counts.set(schema, flows)
      const known = flows.get(flow) ?? { requests: 0, wide: 0 }
      flows.set(flow, known)
      known.requests += 1
      if (Math.max(initialSeats, finalSeats) > 1) known.wide += 1
    }
  }
  return [...counts].flatMap(([schema, flows]) => {
    const sum = (of: keyof Dumped): number => [...flows.values()].reduce((all, one) => all + one[of], 0)
    const total = sum('requests')
    if (total < FEWEST_REQUESTS || flows.has('')) return []
    const toldApart = sum('wide') >= FEWEST_WIDE
    const largest = [...flows].toSorted(([, a], [, b]) => b.requests - a.requests).slice(0, MOST_FLOWS)
    return [
      {
        schema,
        flows: largest.map(([name, { requests, wide }]) => ({
          name,
          share: requests / total,
          ...(toldApart && { wide: wide / requests }),
        })),
      },
    ]
  })
}
