import type { Verdict } from '../contract/scenario.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { Algorithm } from '../engine/profiles.ts'
import type { ObjectKind, ClientGroup } from '../simulate/workload.ts'
import type { Seats } from '../units.ts'

/** A situation that can be simulated, with what it shows and how that is checked (docs/scenarios.md). */
export interface Scenario {
  readonly name: string
  readonly title: string
  /** What to take away from it, in a few sentences. */
  readonly teaches: string
  readonly seed: number
  readonly seconds: number
  /** What happens before is not counted. Seconds. */
  readonly statisticsFrom: number
  /** How many objects there are, which is what lists cost. */
  readonly stored: readonly ObjectKind[]
  readonly clients: readonly ClientGroup[]
  readonly phases: readonly Phase[]
  /** What writes objects while the scenario runs. */
  readonly controllers: readonly Controller[]
  /** One run each, by different servers, in front of which the same clients stand. */
  readonly variants: readonly ScenarioVariant[]
  /** What has to hold so that the server counts as protected; each variant gets a verdict. */
  readonly criteria: readonly Assertion[]
  readonly assertions: readonly Assertion[]
}

/** Something that changes while a scenario runs. */
export interface Phase {
  /** Seconds since the start. */
  readonly at: number
  /** These objects are put in the place of those of their names. */
  readonly configuration?: ObjectSet
  /** From now on handlers take so many times as long as they were given. */
  readonly executionFactor?: number
  /** What this group sends arrives only after so many seconds. */
  readonly pause?: { readonly clients: string; readonly seconds: number }
  /** From now on the threads of this group think so many milliseconds, after failures too: a bug in a client. */
  readonly bug?: { readonly clients: string; readonly thinkMs: number }
  /**
   * The server restarts: requests that wait or run fail, and its engine begins from nothing. What clients send arrives only
   * after so many seconds.
   */
  readonly restart?: { readonly seconds: number }
  /** For so many seconds the server cannot read its objects: what changes is put in force at their end. */
  readonly disconnect?: { readonly seconds: number }
}

/** Writes flow-control objects every so many seconds. */
export type Controller = { readonly name: string; readonly everySeconds: number } & (
  | /** An API server of this version maintains the built-in objects (specification 7.8). */
    { readonly kind: 'maintains'; readonly version: string }
    /** Holds that a condition of a flow schema has this status (specification 7.6). */
  | { readonly kind: 'writes'; readonly schema: string; readonly type: string; readonly status: string }
)

export interface ScenarioVariant {
  readonly name: string
  readonly algorithm: Algorithm
  readonly maxRequestsInFlight: Seats
  readonly maxMutatingRequestsInFlight: Seats
  readonly version: string
  readonly objects: ObjectSet
  /** What the verdict has to be; absent where any will do. */
  readonly verdict?: Verdict
}

/** What of a run can be checked, and its unit. */
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

/** Each in words, for sentences: `median wait of leases`. */
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
  /** A group of clients, a priority level or a controller; of everything without. */
  readonly of: { readonly kind: 'clients' | 'level' | 'controller'; readonly name: string } | undefined
  readonly measure: MeasureName
}

/** `least` ≤ measure ≤ `most`. */
export interface Assertion extends Measured {
  readonly least?: number
  readonly most?: number
  /** Names of the variants of which it is expected; of all without. */
  readonly variants?: readonly string[]
}
