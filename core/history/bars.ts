import type { UnixMs } from '../units.ts'
import { rejectedRate } from './range.ts'
import type { Series } from './series.ts'

/** What happened in a stretch of time, over all levels of a server. */
export interface Bar {
  readonly from: UnixMs
  readonly to: UnixMs
  /** Maximum number of requests that waited at once. */
  readonly queued: number
  /** Requests rejected. */
  readonly rejected: number
}

export function barsOf({ times, samples, stepSeconds, levels }: Series): readonly Bar[] {
  const stepMs = stepSeconds * 1_000
  return times.flatMap((to, i): Bar[] => {
    if (samples[i] === 0) return []
    let queued = 0
    let rejected = 0
    for (const level of levels) {
      queued += level.columns.queuedRequestsMax[i] ?? level.columns.queuedSeatsMax[i] ?? 0
      rejected += (rejectedRate(level, i) ?? 0) * stepSeconds
    }
    return [{ from: to - stepMs, to, queued, rejected }]
  })
}
