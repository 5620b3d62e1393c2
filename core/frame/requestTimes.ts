import type { DerivedTimes, TimeQuantile, VerbTimes } from './derived.ts'
import type { Histogram, RequestTimes } from './frame.ts'
import { histogramMean, quantileRange } from './quantile.ts'
import { increaseOf, quantile } from './rates.ts'
import { VERB_GROUPS } from './reading.ts'

/** The requests that ended between two readings of one process, `overSeconds` apart; `undefined` if there are none. */
export function deriveRequestTimes(
  now: RequestTimes | undefined,
  before: RequestTimes | undefined,
  overSeconds: number,
): DerivedTimes | undefined {
  if (now === undefined || before === undefined) return undefined
  const all = increaseOf(now.duration, before.duration)
  if (all === undefined) return undefined
  const mean = histogramMean(all)
  if (mean === undefined) return undefined
  const own = before.own && increaseOf(now.own, before.own)
  const [p50, p99] = [timeQuantile(0.5, all), timeQuantile(0.99, all)]
  return {
    overSeconds,
    mean,
    meanOwn: own && histogramMean(own),
    ...(p50 && { p50 }),
    ...(p99 && { p99 }),
    verbs: verbTimes(now.verbs, before.verbs),
  }
}

function verbTimes(now: RequestTimes['verbs'], before: RequestTimes['verbs']): DerivedTimes['verbs'] {
  if (now === undefined || before === undefined) return {}
  const found: DerivedTimes['verbs'] = {}
  for (const group of VERB_GROUPS) {
    // A verb that had no request before counts from 0: the server creates its series with the first one.
    const times = timesOf(increaseOf(now[group], before[group]))
    if (times !== undefined) found[group] = times
  }
  return found
}

function timesOf(increase: Histogram | undefined): VerbTimes | undefined {
  if (increase === undefined) return undefined
  const [p50, p99] = [timeQuantile(0.5, increase), timeQuantile(0.99, increase)]
  return p50 && p99 && { count: increase.count, p50, p99 }
}

function timeQuantile(q: number, histogram: Histogram): TimeQuantile | undefined {
  const seconds = quantile(q, histogram)
  if (seconds === undefined) return undefined
  const last = histogram.bounds.at(-1) ?? 0
  return { seconds, atLeast: (quantileRange(q, histogram)?.above ?? 0) >= last }
}
