import type { Extent } from '../../core/contract/recording.ts'
import type { Series } from '../../core/history/series.ts'
import type { TimeDomain } from '../charts/plot.data.ts'

/** What happened in a stretch of time, of all levels of a server. */
export interface Bar extends TimeDomain {
  /** Most requests that waited at once. */
  readonly queued: number
  /** Requests rejected. */
  readonly rejected: number
}

const RATES = ['queueFullRate', 'concurrencyLimitRate', 'timeOutRate'] as const

export function barsOf({ times, samples, stepSeconds, levels }: Series): readonly Bar[] {
  const stepMs = stepSeconds * 1_000
  return times.flatMap((to, i): Bar[] => {
    if (samples[i] === 0) return []
    let queued = 0
    let rejected = 0
    for (const { columns } of levels) {
      queued += columns.queuedRequestsMax[i] ?? columns.queuedSeatsMax[i] ?? 0
      for (const rate of RATES) rejected += (columns[rate][i] ?? 0) * stepSeconds
    }
    return [{ from: to - stepMs, to, queued, rejected }]
  })
}

const HOUR_MS = 3_600_000

/** A length of recorded time around an instant: the last one that there is, where the instant lies in it. */
export function stripDomain(extent: Extent | undefined, instant: number, lengthMs: number): TimeDomain {
  const { first = instant - lengthMs, last = instant } = extent ?? {}
  // Whole minutes: what is recorded grows, and the strip is not read anew for each second.
  const end = Math.ceil(last / 60_000) * 60_000
  // A day around the instant in whole hours: an instant that moves by seconds shows the same one.
  const around = Math.ceil((instant + lengthMs / 2) / HOUR_MS) * HOUR_MS
  const to = instant >= end - lengthMs ? Math.max(end, instant) : Math.min(end, around)
  return { from: Math.min(instant, Math.max(first, to - lengthMs)), to }
}
