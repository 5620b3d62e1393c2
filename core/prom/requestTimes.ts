import { LONG_SUBRESOURCES, LONG_VERBS } from '../metrics/requestTimes.ts'
import type { PromSeries } from './answer.ts'
import { requestTimeNames } from './asked.ts'
import { targetsOf } from './discovery.ts'
import { named, noneOf, selector, sumBy, type Matcher } from './promql.ts'

/**
 * The request times of each server by verb, summed in Prometheus: a large cluster has about ten thousand series of
 * them. The clocks contain the labels of the servers. Families that none of the versions has are not queried.
 */
export const requestTimesQuery = (
  clocks: readonly PromSeries[],
  matchers: readonly Matcher[],
  versions: readonly (string | undefined)[],
): string =>
  sumBy(
    ['__name__', 'le', 'verb', ...targetsOf(clocks).labels],
    selector([
      named(requestTimeNames(versions)),
      noneOf('verb', [...LONG_VERBS]),
      noneOf('subresource', [...LONG_SUBRESOURCES]),
      ...matchers,
    ]),
  )

/** Those sums, which belong to the instant of the query, as samples of their servers' newest scrape. */
export function atScrapes(sums: readonly PromSeries[], clocks: readonly PromSeries[]): readonly PromSeries[] {
  const { keyOf } = targetsOf(clocks)
  const newest = new Map(clocks.map((clock) => [keyOf(clock), clock.times.at(-1)]))
  return sums.flatMap((sum) => {
    const at = newest.get(keyOf(sum))
    const last = sum.samples.at(-1)
    return at === undefined || last === undefined ? [] : [{ labels: sum.labels, times: [at], samples: [last] }]
  })
}
