import { z } from 'zod'
import { msToNs, type Nanoseconds } from '../units.ts'

/** Uniform in [0, 1). */
export type Random = () => number

const TO_DOUBLE = 2 ** -53

/** Spreads a 32-bit state; used to derive the first words of a generator. */
function splitMix(state: number): () => number {
  let x = state | 0
  return () => {
    x = (x + 0x9e3779b9) | 0
    let y = x ^ (x >>> 16)
    y = Math.imul(y, 0x21f0aaad)
    y ^= y >>> 15
    y = Math.imul(y, 0x735a2d97)
    return y ^ (y >>> 15)
  }
}

const rotateLeft = (x: number, by: number): number => (x << by) | (x >>> (32 - by))

/** The position of a generator in its sequence: its four words, which each draw changes in place. */
export type RandomState = [a: number, b: number, c: number, d: number]

export function seededState(seed: number): RandomState {
  const word = splitMix(seed)
  return [word(), word(), word(), word()]
}

/** xoshiro128**: the same state gives the same numbers on every machine. */
export function randomOf(state: RandomState): Random {
  const next = (): number => {
    let [a, b, c, d] = state
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9)
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotateLeft(d, 11)
    state[0] = a
    state[1] = b
    state[2] = c
    state[3] = d
    return result
  }
  return () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) * TO_DOUBLE
}

export const seededRandom = (seed: number): Random => randomOf(seededState(seed))

/**
 * A separate generator for everything that has a name, so that one more client does not change the behaviour of the
 * others.
 */
export function namedState(seed: number, name: string): RandomState {
  let hash = seed | 0
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  return seededState(hash)
}

export const namedRandom = (seed: number, name: string): Random => randomOf(namedState(seed, name))

const ms = z.number().min(0).max(3_600_000)

/** A distribution of durations, in milliseconds. */
const DistributionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('constant'), ms }),
  z.object({ kind: z.literal('uniform'), fromMs: ms, toMs: ms }),
  z.object({ kind: z.literal('exponential'), meanMs: ms }),
  /** `sigma` is the standard deviation of the logarithm: with 0.5, one in forty is above 2.7 times the median. */
  z.object({ kind: z.literal('lognormal'), medianMs: ms, sigma: z.number().min(0).max(3) }),
  /**
   * As in a histogram: each bucket as often as its weight, log-uniform between its bounds. Bounds ascend from above 0.
   */
  z.object({ kind: z.literal('buckets'), boundsMs: z.array(ms).min(2), weights: z.array(z.number().min(0)).min(1) }),
])
export type Distribution = z.infer<typeof DistributionSchema>

export type Buckets = Extract<Distribution, { kind: 'buckets' }>

export const constant = (duration: number): Distribution => ({ kind: 'constant', ms: duration })
export const uniform = (fromMs: number, toMs: number): Distribution => ({ kind: 'uniform', fromMs, toMs })
export const exponential = (meanMs: number): Distribution => ({ kind: 'exponential', meanMs })
export const lognormal = (medianMs: number, sigma: number): Distribution => ({ kind: 'lognormal', medianMs, sigma })

/** The cut-off of heavy tails: nothing in a request takes longer than an hour. */
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
    case 'buckets':
      return drawBucketMs(distribution, random)
  }
}

/** Milliseconds. */
export function meanOfBuckets({ boundsMs, weights }: Buckets): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.reduce((sum, weight, bucket) => {
    const [from = 0, to = from] = boundsMs.slice(bucket, bucket + 2)
    return sum + (weight / total) * (to > from ? (to - from) / Math.log(to / from) : from)
  }, 0)
}

function drawBucketMs({ boundsMs, weights }: Buckets, random: Random): number {
  let rest = random() * weights.reduce((sum, weight) => sum + weight, 0)
  const found = weights.findIndex((weight) => (rest -= weight) < 0)
  const bucket = found < 0 ? weights.length - 1 : found
  const [from = 0, to = from] = boundsMs.slice(bucket, bucket + 2)
  return from * (to / from) ** random()
}

/** The first number of Box and Muller; the second is discarded, so that a draw does not depend on earlier ones. */
const standardNormal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
