import type { Nanoseconds } from '../units.ts'
import type { EtcdLevel } from '../contract/etcd.ts'
import type { Evidence } from './match.ts'
import type { CostKind } from './operations.ts'
import type { QosRequest } from './request.ts'

/** Why a class refuses a request (QoS specification 9). */
export type LimitReason = 'rate' | 'inflight' | 'window' | 'delay-too-long' | 'waiting-full'

/** The rule that was applied to a request, and what its class compared. */
export interface Applied {
  readonly rule: string
  readonly className: string
  /** Value by which the state of the class is split, as text; empty when it is not. */
  readonly group: string
  readonly cost: CostKind
  /** Units that the test asks for, and those that are charged on admission. */
  readonly need: number
  readonly charged: number
  /** State of the class before the test, at the time of the decision. */
  readonly before: EtcdLevel
}

/** A request, and what was read of it when it was decided about. */
export interface Decided {
  /** Counts the requests of an engine. */
  readonly id: number
  /** When it was decided. */
  readonly at: Nanoseconds
  readonly request: QosRequest
  readonly evidence: Evidence
  /** Identity for the tracker, where it was computed. */
  readonly hash?: string
}

/** What becomes of a request. */
export type Decision = Decided &
  (
    | { readonly verdict: 'passed'; readonly applied?: Applied }
    /** `onSettled` follows. `expectedMs`: how long it waits if nothing changes; absent where that is not known. */
    | { readonly verdict: 'waiting'; readonly applied: Applied; readonly expectedMs?: number }
    | { readonly verdict: 'delayed'; readonly applied: Applied; readonly waitedMs: number }
    /**
     * `retryAfterMs`: until the class admits one unit, and `admittedInMs` as many as the request needs; absent where no
     * time is known. `waitedMs`: if it did wait.
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
