import type { Verdict } from '../contract/scenario.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { Algorithm } from '../engine/profiles.ts'
import type { ObjectKind, ClientGroup } from '../simulate/workload.ts'
import { significantly } from '../text/format.ts'
import type { Seats } from '../units.ts'

/** A situation to simulate, with its lesson and the checks of it (docs/scenarios.md). */
export interface Scenario {
  readonly name: string
  readonly title: string
  /** The lesson, in a few sentences. */
  readonly teaches: string
  readonly seed: number
  readonly seconds: number
  /** Start of the statistics, seconds. Earlier events are not counted. */
  readonly statisticsFrom: number
  /** Number of objects, which determines the cost of lists. */
  readonly stored: readonly ObjectKind[]
  readonly clients: readonly ClientGroup[]
  readonly phases: readonly Phase[]
  /** Controllers that write objects while the scenario runs. */
  readonly controllers: readonly Controller[]
  /** One run each, with different servers and the same clients. */
  readonly variants: readonly ScenarioVariant[]
  /** Conditions under which the server counts as protected; each variant gets a verdict. */
  readonly criteria: readonly Assertion[]
  readonly assertions: readonly Assertion[]
}

/** Something that changes while a scenario runs. */
export interface Phase {
  /** Seconds since the start. */
  readonly at: number
  /** These objects replace those of the same names. */
  readonly configuration?: ObjectSet
  /** From now on handlers take this many times their configured time. */
  readonly executionFactor?: number
  /** Requests of this group arrive only after this many seconds. */
  readonly pause?: { readonly clients: string; readonly seconds: number }
  /** From now on the threads of this group think for this many milliseconds, also after failures: a bug in a client. */
  readonly bug?: { readonly clients: string; readonly thinkMs: number }
  /**
   * The server restarts: waiting and running requests fail, and its engine starts empty. Requests of clients arrive
   * only after this many seconds.
   */
  readonly restart?: { readonly seconds: number }
  /** For this many seconds the server cannot read its objects: changes take effect at their end. */
  readonly disconnect?: { readonly seconds: number }
}

/** Writes flow-control objects at this interval. */
export type Controller = { readonly name: string; readonly everySeconds: number } & (
  | /** An API server of this version maintains the built-in objects (specification 7.8). */
    { readonly kind: 'maintains'; readonly version: string }
    /** Ensures that a condition of a flow schema has this status (specification 7.6). */
  | { readonly kind: 'writes'; readonly schema: string; readonly type: string; readonly status: string }
)

export interface ScenarioVariant {
  readonly name: string
  readonly algorithm: Algorithm
  readonly maxRequestsInFlight: Seats
  readonly maxMutatingRequestsInFlight: Seats
  readonly version: string
  readonly objects: ObjectSet
  /** The expected verdict; absent if any is acceptable. */
  readonly verdict?: Verdict
}

/** Measures of a run that can be checked, with their units. */
export const MEASURES = {
  failedPercent: '%',
  rejectedPercent: '%',
  servedPerSecond: '/s',
  offered: 'requests',
  served: 'requests',
  expired: 'requests',
  queueFull: 'requests',
  concurrencyLimit: 'requests',
  timedOut: 'requests',
  waitP50: 'ms',
  waitP90: 'ms',
  waitP99: 'ms',
  waitMax: 'ms',
  seats: 'seats',
  currentLimit: 'seats',
  jain: '',
  backlog: 'requests',
  writes: 'objects',
} as const satisfies Readonly<Record<string, string>>
export type MeasureName = keyof typeof MEASURES

/**
 * The bounds of a value that is given without any: ±3 percentage points of a share, ±15 % of all else, and at most 0.1
 * where it is 0, as the specification of the scenarios has it.
 */
export function toleratedBounds(
  about: number,
  measure: MeasureName,
): { readonly least: number; readonly most: number } {
  if (about === 0) return { least: 0, most: 0.1 }
  if (MEASURES[measure] === '%') return { least: Math.max(0, bound(about - 3)), most: bound(about + 3) }
  return { least: bound(0.85 * about), most: bound(1.15 * about) }
}

const DIGITS = 4
const bound = (value: number): number => significantly(value, DIGITS)

/** Each as words for sentences: `median wait of leases`. */
export const MEASURE_WORDS: Readonly<Record<MeasureName, string>> = {
  failedPercent: 'failed requests',
  rejectedPercent: 'rejected requests',
  servedPerSecond: 'requests served',
  offered: 'requests offered',
  served: 'requests served',
  expired: 'requests expired',
  queueFull: 'rejections by full queues',
  concurrencyLimit: 'rejections by the concurrency limit',
  timedOut: 'rejections after too long a wait',
  waitP50: 'wait p50',
  waitP90: 'wait p90',
  waitP99: 'wait p99',
  waitMax: 'longest wait',
  seats: 'mean seats',
  currentLimit: 'mean current limit',
  jain: 'Jain index',
  backlog: 'backlog',
  writes: 'writes',
}

export const isMeasure = (name: string): name is MeasureName => Object.hasOwn(MEASURES, name)

/** One number of a run. */
export interface Measured {
  /** A group of clients, a priority level or a controller; absent for the whole run. */
  readonly of: { readonly kind: 'clients' | 'level' | 'controller'; readonly name: string } | undefined
  readonly measure: MeasureName
}

/** `least` ≤ measure ≤ `most`. */
export interface Assertion extends Measured {
  readonly least?: number
  readonly most?: number
  /** The value that the bounds allow for, by the tolerance of its measure. */
  readonly about?: number
  /** The value of the specification where it is another one, and why. */
  readonly specified?: number
  readonly because?: string
  /** Names of the variants that it applies to; absent for all. */
  readonly variants?: readonly string[]
}
