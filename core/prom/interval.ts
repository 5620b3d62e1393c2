import { median } from '../frame/quantile.ts'
import type { PromSeries } from './answer.ts'

/** How often a server recomputes its limits (specification 6.4). */
const REALLOCATION_MS = 10_000

/** Usual distance of the samples of a series, milliseconds; `undefined` where no series has two. */
export function usualDistance(series: readonly Pick<PromSeries, 'times'>[]): number | undefined {
  // Of each series apart: two replicas of one Prometheus scrape the same server at different instants.
  return median(series.flatMap(({ times }) => median(times.slice(1).map((at, i) => at - (times[i] ?? at))) ?? []))
}

const seconds = (ms: number): string => `${Number((ms / 1_000).toFixed(1))} s`

/** What samples that far apart cannot show, in a sentence. */
export function hiddenByInterval(ms: number): string {
  const every = `Prometheus scrapes this server every ${seconds(ms)}.`
  const between =
    'Seats and queues are those at the scrape; what rose and fell between two scrapes shows in counters only.'
  if (ms <= REALLOCATION_MS) return `${every} ${between}`
  const of = Number((ms / REALLOCATION_MS).toFixed(1))
  return `${every} The server recomputes limits every ${seconds(REALLOCATION_MS)}, so about one of ${of} recomputations is seen. ${between}`
}
