import { CODEL, type CodelRules } from './codel.ts'
import type { PlannedBorrowing } from './plannedAllocation.ts'
import type { SeatRequest } from './queue.ts'
import { DeficitRoundRobin, MaxMinFairness, type QueueOrder, type RoundRobinRules } from './queueOrder.ts'
import { msToNs, type Nanoseconds, secondsToNs } from '../units.ts'

/** What algorithms of fair queuing differ in. See docs/algorithms.md. */
export interface QueuingRules {
  /** Service time that is assumed of a request until it ends; never learned (specification 0.2, G). */
  readonly assumedServiceNs: Nanoseconds
  /** What virtual time advances by: seats that are in use or wanted, or those in use alone. */
  readonly progress: 'wanted' | 'executing'
  /** Whether a queue does not bank virtual time from before its oldest waiting request (specification 4.8). */
  readonly bounded: boolean
  /** Which queue of its hand a request goes to. */
  readonly choice: 'least work' | 'shortest'
  /** Which request is refused when a queue is full. */
  readonly overflow: 'newest' | 'oldest'
  /** When a wait that is too long ends: when its time has come, or only when another request arrives at its queue. */
  readonly waitsEnd: 'in time' | 'at arrivals'
  /** Queues drop what has waited too long when it is to leave. */
  readonly codel?: CodelRules
  /** Which queue is served next, instead of the one with the earliest virtual finish. */
  readonly order?: 'max-min' | RoundRobinRules
}

export const UPSTREAM_QUEUING: QueuingRules = {
  assumedServiceNs: msToNs(3),
  progress: 'wanted',
  bounded: true,
  choice: 'least work',
  overflow: 'newest',
  waitsEnd: 'in time',
}

/** Units of seat-seconds that a seat is charged at dispatch; see `FixedSeatSeconds`. */
export const unitsPerSeat = ({ assumedServiceNs }: QueuingRules): number => assumedServiceNs / 10

const DRAFT_QUEUING: QueuingRules = {
  ...UPSTREAM_QUEUING,
  assumedServiceNs: secondsToNs(60),
  bounded: false,
  choice: 'shortest',
  waitsEnd: 'at arrivals',
}

export function orderOf<R extends SeatRequest>({ order, assumedServiceNs }: QueuingRules): QueueOrder<R> | undefined {
  if (order === undefined) return undefined
  return order === 'max-min' ? new MaxMinFairness(assumedServiceNs) : new DeficitRoundRobin(order)
}

/** By name: rules of queues, of borrowing (that of the version without), and whether requests have a width. */
export const FAIR_ALGORITHMS = {
  /** What the server of the version does. */
  upstream: { queuing: UPSTREAM_QUEUING, width: true },
  /** The first design: one seat each, the shortest queue, a minute charged at dispatch. */
  'kep-draft': { queuing: DRAFT_QUEUING, width: false, planned: 'none' },
  /** Kubernetes 1.18: as the first design, but virtual time advances by what executes. */
  'alpha-1.18': { queuing: { ...DRAFT_QUEUING, progress: 'executing' }, width: false, planned: 'none' },
  /** With widths, nothing charged at dispatch, no borrowing. */
  'kep-width-0': { queuing: { ...UPSTREAM_QUEUING, assumedServiceNs: 0 }, width: true, planned: 'none' },
  'kep-width-3ms': { queuing: UPSTREAM_QUEUING, width: true, planned: 'none' },
  /** As a minute was charged at dispatch before there were widths; bounded, no borrowing. */
  'kep-width-60s': {
    queuing: { ...UPSTREAM_QUEUING, assumedServiceNs: secondsToNs(60) },
    width: true,
    planned: 'none',
  },
  /** Borrowing between limited levels, as the first revision of the proposal has it. */
  'kep-borrow': { queuing: UPSTREAM_QUEUING, width: true, planned: 'limited-only' },
  /** Exempt takes its demand first, as the second revision has it. */
  'kep-exempt': { queuing: UPSTREAM_QUEUING, width: true, planned: 'exempt-first' },
  /** As upstream, but a full queue refuses its oldest request. */
  'head-drop': { queuing: { ...UPSTREAM_QUEUING, overflow: 'oldest' }, width: true },
  /** As upstream, with CoDel in every queue. */
  codel: { queuing: { ...UPSTREAM_QUEUING, codel: CODEL }, width: true },
  /** As upstream, but queues take turns: deficit round robin with a tenth of a seat-second a turn. */
  drr: { queuing: { ...UPSTREAM_QUEUING, order: { quantum: msToNs(100), assumedNs: msToNs(100) } }, width: true },
  /** As upstream, but a queue that wants less than an equal share of the seats saves nothing. */
  maxmin: { queuing: { ...UPSTREAM_QUEUING, order: 'max-min' }, width: true },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly queuing: QueuingRules
      readonly width: boolean
      readonly planned?: PlannedBorrowing
    }
  >
>
