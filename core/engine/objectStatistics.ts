import { type Nanoseconds, secondsToNs } from '../units.ts'
import type { Clock } from './clock.ts'
import type { ObjectStatistics } from './workEstimator.ts'

/** Statistics older than this are not believed (specification 5.7). */
export const STALE_AFTER_NS = secondsToNs(180)
/** At every full hour of the engine's clock those are forgotten that are an hour old. */
const PRUNE_PERIOD_NS = secondsToNs(3_600)

interface Polled {
  readonly atNs: Nanoseconds
  readonly statistics: ObjectStatistics
}

/**
 * How many objects of each resource there are and how large they are on average, as polled by whoever drives the engine
 * (a server polls every minute, stretched at random; a poll that fails does not update).
 */
export class ObjectStatisticsTracker {
  private readonly clock: Clock
  private readonly polled = new Map<string, Polled>()
  private prunedNs = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** `key` is `resource` or `resource.group` (trap T41); `averageSize` is in bytes. */
  set(key: string, count: number, averageSize: number): void {
    const atNs = this.clock.nanoseconds
    this.prune(atNs)
    this.polled.set(key, { atNs, statistics: { state: 'ok', count, averageSize } })
  }

  get(key: string): ObjectStatistics {
    const nowNs = this.clock.nanoseconds
    this.prune(nowNs)
    const found = this.polled.get(key)
    if (found === undefined) return NOT_FOUND
    return nowNs - found.atNs > STALE_AFTER_NS ? STALE : found.statistics
  }

  private prune(nowNs: Nanoseconds): void {
    if (nowNs - this.prunedNs < PRUNE_PERIOD_NS) return
    this.prunedNs = Math.floor(nowNs / PRUNE_PERIOD_NS) * PRUNE_PERIOD_NS
    for (const [key, { atNs }] of this.polled) {
      if (atNs <= this.prunedNs - PRUNE_PERIOD_NS) this.polled.delete(key)
    }
  }
}

const NOT_FOUND: ObjectStatistics = { state: 'not-found' }
const STALE: ObjectStatistics = { state: 'stale' }
