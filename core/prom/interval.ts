import { plain } from '../text/format.ts'
import { REALLOCATION_MS } from '../frame/derive.ts'
import { median } from '../frame/quantile.ts'
import type { PromSeries } from './answer.ts'

/** Usual distance between the samples of a series, milliseconds; `undefined` if no series has two. */
export function usualDistance(series: readonly Pick<PromSeries, 'times'>[]): number | undefined {
  // Each series separately: two replicas of one Prometheus scrape the same server at different instants.
  return median(series.flatMap(({ times }) => median(times.slice(1).map((at, i) => at - (times[i] ?? at))) ?? []))
}

const seconds = (ms: number): string => `${plain.amount(ms / 1_000)} s`

/** The recomputations of the limits that scrapes at this interval miss, in a sentence; `undefined` if none. */
export function hiddenReallocations(ms: number): string | undefined {
  if (ms <= REALLOCATION_MS) return undefined
  const of = plain.amount(ms / REALLOCATION_MS)
  return `${scrapedEvery(ms)} The server recomputes limits every ${seconds(REALLOCATION_MS)}, so scrapes show about one of ${of} recomputations.`
}

/** Everything that scrapes at this interval miss. */
export const hiddenByInterval = (ms: number): string =>
  `${hiddenReallocations(ms) ?? scrapedEvery(ms)} Seats and queues are those at the scrape: only counters show changes between two scrapes.`

const scrapedEvery = (ms: number): string => `Prometheus scrapes this server every ${seconds(ms)}.`
