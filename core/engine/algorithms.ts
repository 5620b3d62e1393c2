import { CODEL, type CodelRules } from './codel.ts'
import type { PlannedBorrowing } from './plannedAllocation.ts'
import type { SeatRequest } from './queue.ts'
import { DeficitRoundRobin, MaxMinFairness, type QueueOrder, type RoundRobinRules } from './queueOrder.ts'
import { msToNs, type Nanoseconds, secondsToNs } from '../units.ts'

/** How algorithms of fair queuing differ. See docs/algorithms.md. */
export interface QueuingRules {
  /** Service time assumed for a request until it ends; never adapted to measurements (specification 0.2, G). */
  readonly assumedServiceNs: Nanoseconds
  /** What is the same for every request at dispatch: its time per seat if absent, or its whole work. */
  readonly guess?: 'work'
  /** The work after the answer, which has a length of its own, is charged only when the request ends. */
  readonly finalAtEnd?: true
  /** What virtual time advances by: seats in use or in demand, or only those in use. */
  readonly progress: 'wanted' | 'executing'
  /** Whether a queue does not bank virtual time from before its oldest waiting request (specification 4.8). */
  readonly bounded: boolean
  /** The queue of its hand that a request joins. */
  readonly choice: 'least work' | 'shortest'
  /** Which request is rejected when a queue is full. */
  readonly overflow: 'newest' | 'oldest'
  /** When an overlong wait ends: on time, or only when another request arrives at its queue. */
  readonly waitsEnd: 'in time' | 'at arrivals'
  /** Queues drop a request that has waited too long when its turn comes. */
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

/** By name: queuing rules, borrowing (the version's own if absent), and whether requests have a width. */
export const FAIR_ALGORITHMS = {
  /** The algorithm of the server version. */
  upstream: { queuing: UPSTREAM_QUEUING, width: true },
  /** The first design: one seat each, the shortest queue, a minute charged at dispatch. */
  'kep-draft': { queuing: DRAFT_QUEUING, width: false, planned: 'none' },
  /** Kubernetes 1.18: as the first design, but virtual time advances by executing requests. */
  'alpha-1.18': { queuing: { ...DRAFT_QUEUING, progress: 'executing' }, width: false, planned: 'none' },
  /** With widths, nothing charged at dispatch, no borrowing. */
  'kep-width-0': { queuing: { ...UPSTREAM_QUEUING, assumedServiceNs: 0 }, width: true, planned: 'none' },
  'kep-width-3ms': { queuing: UPSTREAM_QUEUING, width: true, planned: 'none' },
  /** With the minute charged at dispatch that preceded widths; bounded, no borrowing. */
  'kep-width-60s': {
    queuing: { ...UPSTREAM_QUEUING, assumedServiceNs: secondsToNs(60) },
    width: true,
    planned: 'none',
  },
  /** A constant guess of the work instead of the time: width does not count at dispatch. */
  'kep-work': { queuing: { ...UPSTREAM_QUEUING, guess: 'work' }, width: true, planned: 'none' },
  /** The extra latency is no part of the guess, as the proposal has it. */
  'kep-no-linger': { queuing: { ...UPSTREAM_QUEUING, finalAtEnd: true }, width: true, planned: 'none' },
  /** Borrowing between limited levels, as in the first revision of the proposal. */
  'kep-borrow': { queuing: UPSTREAM_QUEUING, width: true, planned: 'limited-only' },
  /** Exempt takes its demand first, as in the second revision. */
  'kep-exempt': { queuing: UPSTREAM_QUEUING, width: true, planned: 'exempt-first' },
  /** As upstream, but a full queue rejects its oldest request. */
  'head-drop': { queuing: { ...UPSTREAM_QUEUING, overflow: 'oldest' }, width: true },
  /** As upstream, with CoDel in every queue. */
  codel: { queuing: { ...UPSTREAM_QUEUING, codel: CODEL }, width: true },
  /** As upstream, but queues take turns: deficit round robin with 0.1 seat-seconds per turn. */
  drr: { queuing: { ...UPSTREAM_QUEUING, order: { quantum: msToNs(100), assumedNs: msToNs(100) } }, width: true },
  /** As upstream, but a queue whose demand is below an equal share of the seats saves nothing. */
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
