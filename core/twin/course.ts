import type { Course } from '../contract/forecast.ts'

/** Waves and other turns are the largest changes; what is left of a normal distribution has this part of its variance. */
const KEPT = { changes: 0.9, ofVariance: 0.623 } as const

/** How a number of requests moves, from its values at instants that are `everySeconds` apart; `undefined` for few. */
export function courseOf(present: readonly number[], waiting: number, everySeconds: number): Course | undefined {
  if (present.length < FEWEST_VALUES) return undefined
  const squares = present.slice(1).flatMap((count, i) => {
    const [before = count, square] = [present[i], (count - (present[i] ?? count)) ** 2]
    return square > MOST_BY_CHANCE ** 2 * (before + count) ? [] : [square]
  })
  const kept = squares.toSorted((a, b) => a - b).slice(0, Math.ceil(KEPT.changes * squares.length))
  return { everySeconds, present: mean(present), waiting, moved: mean(kept) / KEPT.ofVariance }
}
const FEWEST_VALUES = 5
/** Deviations of the change of independent requests: larger changes are turns of waves. */
const MOST_BY_CHANCE = 4

/** Variance of the requests of some seconds, compared with a Poisson process. */
const MOST_STEADY = 3

/** Whether these numbers of requests differ no more than by chance: others come in waves. */
export function isSteady(counts: readonly number[]): boolean {
  if (counts.length === 0) return true
  const usual = mean(counts)
  return mean(counts.map((count) => (count - usual) ** 2)) <= MOST_STEADY * Math.max(1, usual)
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** From this part of waiting requests on, the limit and not the clients decides when one ends. */
const QUEUED_PART = 0.1
/** Requests that come and go so independently do not depend on each other. */
const INDEPENDENT = 0.85

/**
 * How long the clients of these requests pause between a response and the next request, seconds; `undefined` for an open
 * loop. Closed clients send a request for each that ended: the longer they pause, the less do the two balance.
 */
export function pauseSeconds({ everySeconds, present, waiting, moved }: Course, perSecond: number): number | undefined {
  if (present <= 0 || perSecond <= 0) return undefined
  if (waiting < QUEUED_PART) {
    // Each client is under way or pauses, independently of the others: a binomial distribution.
    const away = moved / 2 / present
    return away >= INDEPENDENT ? undefined : ((away / (1 - away)) * present) / perSecond
  }
  const apart = moved / (2 * perSecond * everySeconds)
  if (apart >= INDEPENDENT) return undefined
  // The part of the requests of an interval whose clients still pause at its end: u (1 − e^(−1/u)) for pauses of u intervals.
  let [low, high] = [0, LONGEST_PAUSE]
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2
    if (middle * (1 - Math.exp(-1 / middle)) < apart) low = middle
    else high = middle
  }
  return low * everySeconds
}
/** Intervals. */
const LONGEST_PAUSE = 4
const BISECTIONS = 30
