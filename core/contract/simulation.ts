import { z } from 'zod'
import { SPEED, STRIDES } from '../bounds.ts'
import { isCovered } from '../metrics/versions.ts'
import { ALGORITHMS, NEWEST_VERSION } from '../engine/profiles.ts'

export const SeatCountSchema = z.number().int().min(0).max(100_000)

/** gitVersion whose rules are known. */
export const CoveredVersionSchema = z
  .string()
  .regex(/^v1\.\d+\.\d+$/)
  .refine((version) => isCovered(version), 'This version is not supported.')

/** The built-in simulated server as a source. */
export const SimulationSpecSchema = z.object({
  kind: z.literal('simulation'),
  /** The same seed generates the same cluster, event by event. */
  seed: z.number().int().default(1),
  /** gitVersion that it reports and behaves like. */
  version: CoveredVersionSchema.default(NEWEST_VERSION),
  /** The algorithm of its flow control; absent: upstream's. */
  algorithm: z.enum(ALGORITHMS).exactOptional(),
  /** The values of the two in-flight flags of the server; their sum is what flow control distributes. */
  maxRequestsInFlight: SeatCountSchema.default(400),
  maxMutatingRequestsInFlight: SeatCountSchema.default(200),
})
export type SimulationSpec = z.infer<typeof SimulationSpecSchema>

export type Stride = (typeof STRIDES)[number]

/** Controls of the simulation; absent members stay unchanged. */
export const SimulationControlSchema = z.object({
  speed: z.number().min(SPEED.min).max(SPEED.max).exactOptional(),
  paused: z.boolean().exactOptional(),
  /** Pauses and advances by this many strides. */
  step: z.number().int().min(1).max(10_000).exactOptional(),
  /** Stride of `step`; absent: an event. At most ten of the longer ones are done at once. */
  stride: z.enum(STRIDES).exactOptional(),
})
export type SimulationControl = z.infer<typeof SimulationControlSchema>

export const SimulationStateSchema = z.object({
  speed: z.number(),
  paused: z.boolean(),
  /** Recently simulated seconds per second; less than `speed` when the machine is too slow. */
  reachedSpeed: z.number(),
  /** Simulated time, RFC 3339. */
  at: z.string(),
  /** Simulated seconds since the start of the server. */
  elapsedSeconds: z.number(),
  /** The simulation has ended: the clock has reached its end. */
  ended: z.boolean(),
  /** Current Retry-After of a rejected request, seconds, by level (specification 4.14). */
  retryAfterSeconds: z.record(z.string(), z.number()),
})
export type SimulationState = z.infer<typeof SimulationStateSchema>
