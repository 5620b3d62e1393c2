import type { DumpFrame } from '../frame/dump.ts'
import type { ForecastEvidence } from '../contract/forecast.ts'

/** Fewer requests than these say little about shares. */
const FEWEST_REQUESTS = 20
/** Flows of one schema; those with less share theirs. */
const MOST_FLOWS = 24

/** The flows that dumps of one server show, each with its part of the requests of its schema that waited or ran. */
export function flowsOf(dumps: readonly DumpFrame[]): ForecastEvidence['flows'] {
  const counts = new Map<string, Map<string, number>>()
  for (const { requests } of dumps) {
    for (const { schema, flow } of requests ?? []) {
      const flows = counts.get(schema) ?? new Map<string, number>()
      counts.set(schema, flows.set(flow, (flows.get(flow) ?? 0) + 1))
    }
  }
  return [...counts].flatMap(([schema, flows]) => {
    const total = [...flows.values()].reduce((sum, count) => sum + count, 0)
    if (total < FEWEST_REQUESTS || flows.has('')) return []
    const largest = [...flows].toSorted(([, a], [, b]) => b - a).slice(0, MOST_FLOWS)
    return [{ schema, flows: largest.map(([name, count]) => ({ name, share: count / total })) }]
  })
}
