import type { DerivedServer } from '../frame/derived.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { createHeat, type HeatQuery, type HeatStretch } from './heat.ts'
import { pointOf } from './point.ts'
import type { HeatMap, Series } from './series.ts'
import { createTier, type TierQuery } from './tier.ts'

/** The history of one server. */
export interface History {
  /**
   * Adds a frame; `before` is the one that `derived` compares it with, if any. Frames of several ranges may arrive in
   * any order, and a range may arrive after a newer one. A frame that repeats the previous one adds nothing. If a clock
   * stepped back, the times that it had already reached are removed.
   */
  append(frame: ServerFrame, derived: DerivedServer, before: ServerFrame | undefined): void
  /** The rates of a frame that was appended without any, from the previous one, which arrived later. */
  complete(frame: ServerFrame, derived: DerivedServer, before: ServerFrame): void
  series(query: TierQuery): Series
  heatMap(query: HeatQuery): HeatMap
  /** The input of heat maps of a stretch of the last hour, for all flows. */
  heatBetween(from: number, to: number): HeatStretch
}

/** Every sample for the last 20 min at one a second, 10 s steps for 6 h, minutes for 24 h. */
const FINE = { stepMs: 0, capacity: 1_200 }
const MIDDLE = { stepMs: 10_000, capacity: 2_160 }
const COARSE = { stepMs: 60_000, capacity: 1_440 }

/**
 * History of one server in tiers of fixed size.
 *
 * Memory: a level takes up to 4,800 rows × (23 columns × 4 + 5 means × 2 + 8) bytes = 0.53 MB, so three servers with 30
 * levels take 48 MB; heat maps (see `createHeat`) at most 5.5 MB per server: 64 MB in all. A level that no row contains
 * any more is dropped, and so is the one that was not seen for longest when there are more than 160.
 */
export function createHistory(): History {
  const coarsest = createTier(COARSE)
  const tiers = [createTier(FINE), createTier(MIDDLE), coarsest]
  const heat = createHeat()
  let server = ''

  return {
    append(frame, derived, before) {
      const point = pointOf(frame, derived)
      if (Number.isNaN(point.at) || derived.noRates === 'duplicate') return
      server = frame.id
      if (derived.noRates === 'clock-step') {
        for (const tier of tiers) tier.truncate(point.at)
        heat.truncate(point.at)
      }
      for (const tier of tiers) tier.add(point)
      heat.append(point.at, frame, derived.noRates === undefined ? before : undefined)
    },
    complete(frame, derived, before) {
      if (derived.noRates !== undefined) return
      const point = pointOf(frame, derived)
      for (const tier of tiers) tier.complete(point)
      heat.append(point.at, frame, before)
    },
    series(query) {
      const finest = tiers.find((tier) => tier.reaches(query.from)) ?? coarsest
      return { server, ...finest.query(query) }
    },
    heatMap: (query) => heat.query(query),
    heatBetween: (from, to) => heat.between(from, to),
  }
}
