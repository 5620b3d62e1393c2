import { z } from 'zod'
import { type EstimatorProfile, estimateUnknown, estimateWork } from '../engine/workEstimator.ts'
import { count, flag, int, oneOf, record, signedCount } from './question.ts'
import { readRequest, requestFields } from './requests.ts'

const statisticsFields = {
  state: oneOf('ok', 'stale', 'notfound', 'error').default('error'),
  count: signedCount,
  avgSize: signedCount,
}

export const estimateQuestion = record({
  ...requestFields,
  noRequestInfo: flag,
  watchListGate: flag,
  sizeBasedGate: flag,
  consistentReads: flag,
  stats: z.preprocess((stats) => stats ?? {}, record(statisticsFields)),
  watchers: int,
  maxSeats: count,
})

/** The estimate of one request and what was asked for it (specification 5.3 – 5.5). */
export function answerEstimate(question: z.output<typeof estimateQuestion>) {
  const profile: EstimatorProfile = {
    sizeBasedLists: question.sizeBasedGate,
    watchList: question.watchListGate,
    legacyWatchesCost: true,
    consistentReadsFromCache: question.consistentReads,
  }
  const { stats, noRequestInfo, maxSeats: levelMaxSeats } = question
  let statsKey: string | null = null
  let askedWatchers = false
  const sources = {
    objectStatistics(key: string) {
      statsKey = key
      if (stats.state === 'ok') return { state: 'ok', count: stats.count, averageSize: stats.avgSize } as const
      return { state: stats.state === 'notfound' ? 'not-found' : 'stale' } as const
    },
    interestedWatches() {
      askedWatchers = true
      return question.watchers
    },
  }
  const read = noRequestInfo ? undefined : readRequest(question)
  const { initialSeats, finalSeats, additionalLatency } =
    read === undefined
      ? estimateUnknown(profile, levelMaxSeats)
      : estimateWork(read.info, read.query, levelMaxSeats, profile, sources)
  return {
    verb: read?.info.verb ?? '',
    statsKey,
    askedWatchers,
    initialSeats: String(initialSeats),
    finalSeats: String(finalSeats),
    additionalLatencyNs: String(additionalLatency),
    maxSeats: Math.max(initialSeats, finalSeats),
  }
}
