import { EXEMPT } from '../../../core/config/objects.ts'
import { differencesOf } from '../../../core/live/agreement.ts'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { REJECT_REASONS, type RejectReason } from '../../../core/frame/frame.ts'
import { agrees } from '../../../core/live/liveFilter.ts'
import { addWaits, countWait, noWaits, type CountingWaits, type FlowWaits } from './flowWaits.ts'
import { addQueues, countQueue, type CountingQueues, type QueueTallies } from './tally.queues.ts'

/** How many of those that could be compared are the same. */
export interface Compared {
  readonly compared: number
  readonly same: number
}

/** What one flow did. A flow is a flow schema and a distinguisher. */
export interface FlowTally {
  readonly schema: string
  readonly flow: string
  readonly level: string
  readonly requests: number
  /** Seats times the seconds for which they were held. */
  readonly seatSeconds: number
  readonly rejected: number
  readonly waits: FlowWaits
}

export const COMPARISONS = ['all', 'schemaAndLevel', 'width', 'finalSeats', 'decision', 'timing'] as const
export type Comparison = (typeof COMPARISONS)[number]

/** What the requests of a stretch of time come to. */
export interface Tally {
  readonly requests: number
  /** Requests that the server answered, and those that it should have answered and did not. */
  readonly answered: number
  readonly failed: number
  readonly rejected: Readonly<Record<RejectReason, number>>
  /** `all`: schema, level and seats together. `decision` and `timing` are told apart: they hang on other traffic too. */
  readonly agreement: Readonly<Record<Comparison, Compared>>
  readonly flows: ReadonlyMap<string, FlowTally>
  /** Of the exempt level by user; there a flow has no name. */
  readonly exempt: ReadonlyMap<string, FlowTally>
  readonly queues: QueueTallies
  readonly seatSeconds: number
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }
type CountingFlow = Writable<Omit<FlowTally, 'waits'>> & { readonly waits: CountingWaits }
/** While requests are added. */
export interface Counting {
  requests: number
  answered: number
  failed: number
  rejected: Record<RejectReason, number>
  agreement: Record<Comparison, Writable<Compared>>
  flows: Map<string, CountingFlow>
  exempt: Map<string, CountingFlow>
  queues: CountingQueues
  seatSeconds: number
}

const nothing = (): Writable<Compared> => ({ compared: 0, same: 0 })

export const emptyTally = (): Counting => ({
  requests: 0,
  answered: 0,
  failed: 0,
  rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 },
  agreement: {
    all: nothing(),
    schemaAndLevel: nothing(),
    width: nothing(),
    finalSeats: nothing(),
    decision: nothing(),
    timing: nothing(),
  },
  flows: new Map(),
  exempt: new Map(),
  queues: new Map(),
  seatSeconds: 0,
})

/** Milliseconds by which two waits may differ and still be the same. */
const TIMING_MS = 5

/** Seats that the request holds, times seconds: the wider of its two stages, until its final seats are back. */
function seatSecondsOf({ seats, state, runMs = 0, lingerMs = 0 }: LiveRequest): number {
  return state === 'bypassed' ? 0 : (Math.max(seats.initial, seats.final) * (runMs + lingerMs)) / 1_000
}

const compare = (into: Writable<Compared>, same: boolean): void => {
  into.compared += 1
  if (same) into.same += 1
}

function compareWithServer(agreement: Counting['agreement'], row: LiveRequest): void {
  const { server } = row
  if (server === undefined) return
  const found = differencesOf(row)
  const differs = (pattern: RegExp): boolean => found.some(([what]) => pattern.test(what))
  const same = agrees(row)
  if (same !== undefined) compare(agreement.all, same)
  if (server.schema !== undefined || server.level !== undefined) {
    compare(agreement.schemaAndLevel, !differs(/^(schema|level) /))
  }
  if (server.initialSeats !== undefined) compare(agreement.width, server.initialSeats === row.seats.initial)
  if (server.finalSeats !== undefined) compare(agreement.finalSeats, server.finalSeats === row.seats.final)
  // The server answers 429 of its own, whatever else it answers.
  if (row.status !== undefined) compare(agreement.decision, (row.status === 429) === (row.state === 'rejected'))
  if (server.waitMs !== undefined && row.waitMs !== undefined) {
    compare(agreement.timing, Math.abs(server.waitMs - row.waitMs) <= TIMING_MS)
  }
}

function countFlow(flows: Counting['flows'], key: string, flow: string, row: LiveRequest, seatSeconds: number): void {
  const known = flows.get(key) ?? {
    schema: row.schema,
    flow,
    level: row.level,
    requests: 0,
    seatSeconds: 0,
    rejected: 0,
    waits: noWaits(),
  }
  flows.set(key, known)
  known.requests += 1
  known.seatSeconds += seatSeconds
  if (row.state === 'rejected') known.rejected += 1
  countWait(known.waits, row)
}

/** Adds one request. */
export function count(tally: Counting, row: LiveRequest): void {
  const seatSeconds = seatSecondsOf(row)
  tally.requests += 1
  tally.seatSeconds += seatSeconds
  if (row.state === 'served') tally.answered += 1
  if (row.state === 'failed') tally.failed += 1
  if (row.reason !== undefined) tally.rejected[row.reason] += 1
  countQueue(tally.queues, row)
  compareWithServer(tally.agreement, row)
  // What was not classified belongs to no flow.
  if (row.level === '') return
  if (row.level === EXEMPT) countFlow(tally.exempt, `${row.schema}\n${row.user}`, row.user, row, seatSeconds)
  else countFlow(tally.flows, `${row.schema}\n${row.flow}`, row.flow, row, seatSeconds)
}

function addFlows(into: Counting['flows'], flows: Tally['flows']): void {
  for (const [key, flow] of flows) {
    let known = into.get(key)
    if (known === undefined)
      into.set(key, (known = { ...flow, requests: 0, seatSeconds: 0, rejected: 0, waits: noWaits() }))
    known.requests += flow.requests
    known.seatSeconds += flow.seatSeconds
    known.rejected += flow.rejected
    addWaits(known.waits, flow.waits)
  }
}

/** Adds what other requests come to. */
export function add(into: Counting, tally: Tally): void {
  into.requests += tally.requests
  into.answered += tally.answered
  into.failed += tally.failed
  into.seatSeconds += tally.seatSeconds
  for (const reason of REJECT_REASONS) into.rejected[reason] += tally.rejected[reason]
  for (const kind of COMPARISONS) {
    into.agreement[kind].compared += tally.agreement[kind].compared
    into.agreement[kind].same += tally.agreement[kind].same
  }
  addFlows(into.flows, tally.flows)
  addFlows(into.exempt, tally.exempt)
  addQueues(into.queues, tally.queues)
}
