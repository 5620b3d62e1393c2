import type { TwinHistory } from '../contract/forecast.ts'

/** Fewer requests in a part say little about how long requests take. */
const FEWEST_REQUESTS = 30
/** Deviation of the logarithm of execution times before anything is known, which weighs as much as this many parts. */
const USUAL = { deviation: 0.07, parts: 3 } as const
const MOST = 0.4

/**
 * How much longer or shorter requests take from one part of a history to the next than in all of it: the deviation of the
 * logarithm of the seconds for which a request holds its seats.
 */
export function driftOf(parts: TwinHistory['parts']): number {
  const points = parts.flatMap(({ seconds, levels }) =>
    levels.flatMap(({ level, quantities: { arrivalsPerSecond, rejectedPerSecond, seats = 0 } }) => {
      const served = arrivalsPerSecond - rejectedPerSecond
      return served * seconds < FEWEST_REQUESTS || seats <= 0 ? [] : [{ level, took: Math.log(seats / served) }]
    }),
  )
  let [squares, known] = [USUAL.parts * USUAL.deviation ** 2, USUAL.parts as number]
  for (const of of Map.groupBy(points, ({ level }) => level).values()) {
    const mean = of.reduce((sum, { took }) => sum + took, 0) / of.length
    for (const { took } of of) squares += (took - mean) ** 2
    known += of.length - 1
  }
  return Math.min(MOST, Math.sqrt(squares / known))
}

/**
 * Deviations of the runs of a forecast from the usual execution time: eight values of a normal distribution, spread evenly
 * over the guesses and over the reactions to a 429.
 */
export const DRIFTS = [-1.53, -0.89, 0.49, 0.16, 1.53, 0.89, -0.49, -0.16] as const
