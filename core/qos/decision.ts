import type { Nanoseconds } from '../units.ts'
import type { EtcdLevel } from '../contract/etcd.ts'
import type { Evidence } from './match.ts'
import type { CostKind } from './operations.ts'
import type { QosRequest } from './request.ts'

/** Why a class rejects a request (QoS specification 9). */
export type LimitReason = 'rate' | 'inflight' | 'window' | 'delay-too-long' | 'waiting-full'

/** The rule that was applied to a request, and the values that its class compared. */
export interface Applied {
  readonly rule: string
  readonly className: string
  /** Value by which the state of the class is split, as text; empty when it is not. */
  readonly group: string
  readonly cost: CostKind
  /** Units that the admission test requires, and those that are charged on admission. */
  readonly need: number
  readonly charged: number
  /** State of the class before the test, at the time of the decision. */
  readonly before: EtcdLevel
}

/** A request, and its properties at the time of the decision. */
export interface Decided {
  /** Sequence number of the request in its engine. */
  readonly id: number
  /** When it was decided. */
  readonly at: Nanoseconds
  readonly request: QosRequest
  readonly evidence: Evidence
  /** Identity for the tracker, where it was computed. */
  readonly hash?: string
}

/** The result for a request. */
export type Decision = Decided &
  (
    | { readonly verdict: 'passed'; readonly applied?: Applied }
    /** `onSettled` follows. `expectedMs`: how long it waits if nothing changes; absent if that is unknown. */
    | { readonly verdict: 'waiting'; readonly applied: Applied; readonly expectedMs?: number }
    | { readonly verdict: 'delayed'; readonly applied: Applied; readonly waitedMs: number }
    /**
     * `retryAfterMs`: time until the class admits one unit; `admittedInMs`: time until it admits as many as the request
     * needs; absent if the time is unknown. `waitedMs`: if it did wait.
     */
    | {
        readonly verdict: 'limited'
        readonly applied: Applied
        readonly reason: LimitReason
        readonly retryAfterMs?: number
        readonly admittedInMs?: number
        readonly waitedMs?: number
      }
  )
