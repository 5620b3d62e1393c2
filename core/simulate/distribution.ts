import { z } from 'zod'
import { msToNs, type Nanoseconds } from '../units.ts'
import type { Random } from './random.ts'

const ms = z.number().min(0).max(3_600_000)

/** A distribution of durations, in milliseconds. */
export const DistributionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('constant'), ms }),
  z.object({ kind: z.literal('uniform'), fromMs: ms, toMs: ms }),
  z.object({ kind: z.literal('exponential'), meanMs: ms }),
  /** `sigma` is the deviation of the logarithm: 0.5 puts one in forty above 2.7 times the median. */
  z.object({ kind: z.literal('lognormal'), medianMs: ms, sigma: z.number().min(0).max(3) }),
])
export type Distribution = z.infer<typeof DistributionSchema>

export const constant = (duration: number): Distribution => ({ kind: 'constant', ms: duration })
export const uniform = (fromMs: number, toMs: number): Distribution => ({ kind: 'uniform', fromMs, toMs })
export const exponential = (meanMs: number): Distribution => ({ kind: 'exponential', meanMs })
export const lognormal = (medianMs: number, sigma: number): Distribution => ({ kind: 'lognormal', medianMs, sigma })

/** What a heavy tail is cut at: nothing of a request takes longer than an hour. */
const LONGEST_MS = 3_600_000

/** Draws a duration: whole nanoseconds, not negative. */
export const drawNs = (distribution: Distribution, random: Random): Nanoseconds =>
  msToNs(Math.min(Math.max(drawMs(distribution, random), 0), LONGEST_MS))

function drawMs(distribution: Distribution, random: Random): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.ms
    case 'uniform':
      return distribution.fromMs + (distribution.toMs - distribution.fromMs) * random()
    case 'exponential':
      return -Math.log(1 - random()) * distribution.meanMs
    case 'lognormal':
      return distribution.medianMs * Math.exp(distribution.sigma * standardNormal(random))
  }
}

/** Box and Muller's first number; the second is not kept, so that a draw depends on nothing before it. */
const standardNormal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
