import type { Observation } from '../contract/forecast.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { spaced, executingSeats } from '../frame/reading.ts'

type Slowdown = NonNullable<Observation['slowdown']>

/** Shorter intervals have too few requests for a mean. */
const LEAST_INTERVAL_MS = 5_000
const FEWEST_REQUESTS = 5
const FEWEST_INTERVALS = 8
/** A slope is certain from this many standard errors on. */
const CERTAIN = 3
/** What one schema shows may be its own clients taking turns; what slows down several is the machine. */
const FEWEST_SCHEMAS = 2
/** A machine that is slowed down less than this is not worth a model. */
const LEAST_SLOWDOWN = 1.15
/** The line goes on for as much as what was observed. */
const BEYOND = 2

interface Point {
  /** Mean of all executing seats. */
  readonly seats: number
  /** Mean execution time, compared with that of the whole time. */
  readonly ratio: number
  readonly weight: number
}

/** How much slower requests execute while more seats are in use; `undefined` unless several flow schemas show it. */
export function slowdownOf(frames: readonly ServerFrame[]): Slowdown | undefined {
  const points = pointsOf(spaced(frames, LEAST_INTERVAL_MS))
  const lines = [...points.values()].flatMap((own) => lineOf(own) ?? [])
  const rising = lines.filter(({ slope, error }) => slope > CERTAIN * error)
  if (rising.length < FEWEST_SCHEMAS || rising.length < lines.length / 2) return undefined
  const all = [...points.values()].flat()
  const line = lineOf(all)
  const seats = all.map((point) => point.seats).toSorted((a, b) => a - b)
  const [low = 0, high = 0] = [0.05, 0.95].map((q) => seats[Math.round(q * (seats.length - 1))])
  if (line === undefined || high <= low) return undefined
  const at = (number: number): number => 1 + line.slope * (number - line.mean)
  const unslowed = at(low)
  if (unslowed <= 0 || at(high) / unslowed < LEAST_SLOWDOWN) return undefined
  const end = low + BEYOND * (high - low)
  return {
    unslowed,
    curve: [
      { seats: low, slowdown: 1 },
      { seats: end, slowdown: at(end) / unslowed },
    ],
  }
}

/** The intervals between pages, by schema. */
function pointsOf(frames: readonly ServerFrame[]): ReadonlyMap<string, readonly Point[]> {
  const raw = new Map<string, { seats: number; sum: number; count: number }[]>()
  for (const [i, later] of frames.entries()) {
    const earlier = frames[i - 1]
    if (earlier === undefined) continue
    const seats = (executingSeats(earlier) + executingSeats(later)) / 2
    const before = executionsOf(earlier)
    for (const [key, { sum, count }] of executionsOf(later)) {
      const was = before.get(key) ?? { sum: 0, count: 0 }
      if (count - was.count < FEWEST_REQUESTS) continue
      raw.set(key, [...(raw.get(key) ?? []), { seats, sum: sum - was.sum, count: count - was.count }])
    }
  }
  return new Map(
    [...raw].map(([key, own]) => {
      const total = (of: 'sum' | 'count'): number => own.reduce((all, one) => all + one[of], 0)
      const mean = total('sum') / total('count')
      return [key, own.map(({ seats, sum, count }) => ({ seats, ratio: sum / count / mean, weight: count }))]
    }),
  )
}

const executionsOf = ({ levels }: ServerFrame): ReadonlyMap<string, { readonly sum: number; readonly count: number }> =>
  new Map(
    levels.flatMap(({ name, schemas }) =>
      schemas.flatMap(({ name: schema, execution }) =>
        execution === undefined || execution.count === 0 || execution.sum <= 0
          ? []
          : [[`${name}/${schema}`, execution]],
      ),
    ),
  )

interface Line {
  readonly mean: number
  readonly slope: number
  /** Standard error of the slope. */
  readonly error: number
}

/** Weighted least squares through (mean, 1). */
function lineOf(points: readonly Point[]): Line | undefined {
  if (points.length < FEWEST_INTERVALS) return undefined
  const total = points.reduce((sum, { weight }) => sum + weight, 0)
  const meanOf = (of: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + point.weight * of(point), 0) / total
  const mean = meanOf(({ seats }) => seats)
  const spread = meanOf(({ seats }) => (seats - mean) ** 2)
  if (spread <= 0) return undefined
  const slope = meanOf(({ seats, ratio }) => (seats - mean) * (ratio - 1)) / spread
  const rest = meanOf(({ seats, ratio }) => (ratio - 1 - slope * (seats - mean)) ** 2)
  return { mean, slope, error: Math.sqrt(rest / spread / (points.length - 2)) }
}
