import type { ServerSummary, SourceSummary } from '../../core/contract/fleet.ts'
import { summaryOf, TREND, trendOf } from '../../core/fleet/summary.ts'
import type { ServerPicture } from '../../core/source/picture.ts'
import { unixMsOf } from '../../core/units.ts'
import { repeat, type Environment } from '../ports/environment.ts'
import { whileHeard, type Subscribable } from '../ports/topic.ts'
import type { Session } from './session.ts'

/** Between two summaries of a source; milliseconds. */
const SUMMARY_MS = 1_000
/** A trend is read from the history again after one of its steps. */
const TREND_STEP_MS = TREND.ms / TREND.steps

/**
 * Key figures of a source: at the start, then after new frames, at most once a second and only while there is a
 * listener.
 */
export function createSummaries(
  {
    connection: { id: connection },
    picture,
    frames,
    whole,
  }: Pick<Session, 'connection' | 'picture' | 'frames' | 'whole'>,
  environment: Pick<Environment, 'after'>,
): Subscribable<SourceSummary> {
  if (whole !== undefined) {
    return {
      subscribe: (emit, signal) =>
        whole.subscribe((servers) => emit({ connection, servers: [...servers], whole: true }), signal),
    }
  }
  const trends = new Map<string, { readonly at: number; readonly trend: ServerSummary['trend'] }>()
  const summaryOfServer = ({ latest: { frame, derived }, history }: ServerPicture): ServerSummary => {
    const at = unixMsOf(frame.at)
    const known = trends.get(frame.id)
    if (known !== undefined && Math.abs(at - known.at) < TREND_STEP_MS) return summaryOf(frame, derived, known.trend)
    const range = { from: at - TREND.ms, to: at, maxPoints: TREND.steps * 2 }
    const trend = trendOf(history.series(range), at)
    trends.set(frame.id, { at, trend })
    return summaryOf(frame, derived, trend)
  }
  const summary = (): SourceSummary => ({ connection, servers: picture.servers.map(summaryOfServer) })

  const heard = whileHeard<SourceSummary>(() => {
    const end = new AbortController()
    let changed = false
    frames.subscribe(() => void (changed = true), end.signal)
    const stop = repeat(environment, SUMMARY_MS, () => {
      if (!changed) return
      changed = false
      heard.tell(summary())
    })
    return () => {
      end.abort()
      stop()
    }
  }, summary)
  return heard
}
