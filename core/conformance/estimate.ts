import { requestInfo } from '../classify/requestInfo.ts'
import { parseRequestTarget } from '../classify/requestTarget.ts'
import { type EstimatorProfile, estimateUnknown, estimateWork } from '../engine/workEstimator.ts'

export interface EstimateQuestion {
  readonly method: string
  readonly url: string
  readonly noRequestInfo?: boolean
  readonly watchListGate?: boolean
  readonly sizeBasedGate?: boolean
  readonly consistentReads?: boolean
  readonly stats: {
    readonly state: 'ok' | 'stale' | 'notfound' | 'error'
    readonly count: string
    readonly avgSize: string
  }
  readonly watchers?: number
  readonly maxSeats: string
}

/** The estimate of one request and what was asked for it, as the oracle's `estimate` answers. */
export function answerEstimate(question: EstimateQuestion) {
  const target = parseRequestTarget(question.url)
  if (target === undefined) throw new Error(`the request target ${question.url} cannot be decoded`)
  const profile: EstimatorProfile = {
    sizeBasedLists: question.sizeBasedGate === true,
    watchList: question.watchListGate === true,
    legacyWatchesCost: true,
    consistentReadsFromCache: question.consistentReads === true,
  }
  const { info } = requestInfo(question.method, target)
  let statsKey: string | null = null
  let askedWatchers = false
  const { state, count, avgSize } = question.stats
  const sources = {
    objectStatistics(key: string) {
      statsKey = key
      if (state === 'ok') return { state, count: Number(count), averageSize: Number(avgSize) } as const
      return { state: state === 'notfound' ? 'not-found' : 'stale' } as const
    },
    interestedWatches() {
      askedWatchers = true
      return question.watchers ?? 0
    },
  }
  const levelMaxSeats = Number(question.maxSeats)
  const { initialSeats, finalSeats, additionalLatency } =
    question.noRequestInfo === true
      ? estimateUnknown(profile, levelMaxSeats)
      : estimateWork(info, target.query, levelMaxSeats, profile, sources)
  return {
    verb: question.noRequestInfo === true ? '' : info.verb,
    statsKey,
    askedWatchers,
    initialSeats: String(initialSeats),
    finalSeats: String(finalSeats),
    additionalLatencyNs: String(additionalLatency),
    maxSeats: Math.max(initialSeats, finalSeats),
  }
}
