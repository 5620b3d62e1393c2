import { unixMsOf } from '../units.ts'
import { levelRow } from './columns.ts'
import type { DerivedServer } from './derived.ts'
import { GAP_INTERVALS } from './derive.ts'
import type { ServerFrame } from './frame.ts'
import { createHeat, type HeatQuery } from './heat.ts'
import { queryRing } from './queryRing.ts'
import { createRing, type Point } from './ring.ts'
import type { HeatMap, Series } from './series.ts'

export interface SeriesQuery {
  /** Unix milliseconds, both included. */
  readonly from: number
  readonly to: number
  readonly maxPoints: number
}

/** What is remembered of one server. */
export interface History {
  append(frame: ServerFrame, derived: DerivedServer): void
  series(query: SeriesQuery): Series
  heatMap(query: HeatQuery): HeatMap
}

/** Every sample for the last 20 min at one a second, 10 s steps for 6 h, minutes for 24 h. */
const TIERS = [
  { stepMs: 0, capacity: 1_200 },
  { stepMs: 10_000, capacity: 2_160 },
  { stepMs: 60_000, capacity: 1_440 },
] as const

const INTERVALS = 5

/**
 * History of one server in rings of fixed size.
 *
 * Memory: a level takes 4,800 rows × 23 columns × 4 bytes = 0.44 MB, so three servers with 30 levels take 40 MB; heat
 * maps (see heat.ts) at most 5.5 MB per server: 56 MB in all. A level that was not
 * seen for a whole ring is forgotten, and so is the one that was not seen for longest when there are more than 160.
 *
 * A frame that repeats the one before adds nothing. When the clock steps back, what it had already reached is
 * forgotten, so that times always ascend. More than three usual intervals without a sample become a null point.
 */
export function createHistory(): History {
  const rings = TIERS.map(createRing)
  const heat = createHeat()
  let server = ''
  let lastAt: number | undefined
  let intervals: readonly number[] = []

  const usualInterval = (): number | undefined => intervals.toSorted((a, b) => a - b)[intervals.length >>> 1]

  const noteTime = (at: number): void => {
    if (lastAt !== undefined) {
      const interval = at - lastAt
      const usual = usualInterval()
      for (const ring of rings) {
        if (usual !== undefined && interval > Math.max(GAP_INTERVALS * usual, ring.stepMs)) ring.addGap(lastAt + usual)
      }
      intervals = [...intervals, interval].slice(-INTERVALS)
    }
    lastAt = at
  }

  return {
    append(frame, derived) {
      const at = unixMsOf(frame.at)
      if (Number.isNaN(at) || derived.noRates === 'duplicate') return
      server = frame.id
      if (lastAt !== undefined && at <= lastAt) {
        for (const ring of rings) ring.truncate(at)
        heat.truncate(at)
        lastAt = undefined
      }
      noteTime(at)
      const point = toPoint(at, frame, derived)
      for (const ring of rings) ring.add(point)
      heat.append(at, frame, derived.noRates)
    },
    series({ from, to, maxPoints }) {
      const chosen =
        rings.find((ring) => {
          const { first, end } = ring.rows()
          return first === 0 || (first < end && ring.timeOf(first) <= from)
        }) ?? rings.at(-1)
      if (chosen === undefined) return { server, stepSeconds: 1, times: [], fairFrac: [], levels: [] }
      const naturalMs = Math.max(chosen.stepMs, usualInterval() ?? 1_000)
      return { server, ...queryRing(chosen, { from, to, maxPoints, naturalMs }) }
    },
    heatMap: (query) => heat.query(query),
  }
}

function toPoint(at: number, frame: ServerFrame, derived: DerivedServer): Point {
  const derivedLevels = new Map(derived.levels.map((level) => [level.name, level]))
  return {
    at,
    fairFrac: frame.seatFairFrac ?? Number.NaN,
    levels: new Map(frame.levels.map((level) => [level.name, levelRow(level, derivedLevels.get(level.name))])),
  }
}
