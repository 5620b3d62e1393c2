import { EXEMPT } from '../../../core/config/objects.ts'
import { differencesOf } from '../../../core/live/agreement.ts'
import type { LiveRequest } from '../../../core/contract/live.ts'
import type { RejectReason } from '../../../core/frame/frame.ts'
import { recordOf, REJECT_REASONS } from '../../../core/frame/reading.ts'
import { agrees } from '../../../core/live/liveFilter.ts'
import type { LiveRows, RowListener } from '../../state/live.logic.ts'
import { addWaits, countWait, noWaits, type CountingWaits, type FlowWaits } from './flowWaits.ts'
import type { Matches } from './matches.ts'

/** Compared requests, and how many of them are the same. */
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

/** Summary of the requests of a stretch of time. */
export interface Tally {
  readonly requests: number
  /** Requests that the server answered, and those that it should have answered and did not. */
  readonly answered: number
  readonly failed: number
  readonly rejected: Readonly<Record<RejectReason, number>>
  /**
   * `all`: schema, level and seats together. `decision` and `timing` are separate, because they also depend on other
   * traffic.
   */
  readonly agreement: Readonly<Record<Comparison, Compared>>
  readonly flows: ReadonlyMap<string, FlowTally>
  /** Of the exempt level, by user; flows have no name there. */
  readonly exempt: ReadonlyMap<string, FlowTally>
  readonly queues: QueueTallies
  readonly seatSeconds: number
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }
type CountingFlow = Writable<Omit<FlowTally, 'waits'>> & { readonly waits: CountingWaits }
/** The same while requests are added. */
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

export const emptyTally = (): Counting => ({
  requests: 0,
  answered: 0,
  failed: 0,
  rejected: recordOf(REJECT_REASONS, () => 0),
  agreement: recordOf(COMPARISONS, () => ({ compared: 0, same: 0 })),
  flows: new Map(),
  exempt: new Map(),
  queues: new Map(),
  seatSeconds: 0,
})

/** Milliseconds by which two waits may differ and still count as the same. */
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
  // A 429 is the server's own decision, even where it reports nothing else.
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
  // An unclassified request belongs to no flow.
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

/** Adds the summary of other requests. */
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

/** Rows that are summed up together, and sums that are summed up again. */
const CHUNK = 1_024
const FAN_OUT = 8
/** Rows per sum, by height: so few of the greatest sums remain that all of them can be added each time. */
const SIZES = [CHUNK, CHUNK * FAN_OUT, CHUNK * FAN_OUT * FAN_OUT] as const
const TOP = SIZES.length - 1

interface Part {
  /** Arrivals, Unix milliseconds. */
  readonly earliest: number
  readonly latest: number
  /** Computed on demand: most are not of the last minute. */
  tally: Tally | undefined
}

/**
 * Sums over the rows that pass a filter and arrived since an instant. Sums of many rows, and sums of such sums, are
 * kept until one of their rows changes, so that reading each second costs what changed, not what is kept.
 */
export class Tallies implements RowListener {
  private readonly rows: LiveRows
  private readonly matches: Matches
  /** By height, then by place. */
  private readonly parts = SIZES.map(() => new Map<number, Part>())

  constructor(rows: LiveRows, matches: Matches) {
    this.rows = rows
    this.matches = matches
  }

  /** `since`: Unix milliseconds. */
  read(since: number): Tally {
    const total = emptyTally()
    const { first, end } = this.rows
    for (const [height, parts] of this.parts.entries()) {
      const oldest = placeOf(first, height)
      for (const place of parts.keys()) if (place < oldest) parts.delete(place)
    }
    for (let place = placeOf(first, TOP); place * sizeOf(TOP) < end; place++) this.addTo(total, TOP, place, since)
    return total
  }

  put(row: LiveRequest): void {
    this.drop(row.seq)
  }

  forget(before: number): void {
    this.drop(before)
  }

  clear(): void {
    for (const parts of this.parts) parts.clear()
  }

  private drop(seq: number): void {
    for (const [height, parts] of this.parts.entries()) parts.delete(placeOf(seq, height))
  }

  private addTo(total: Counting, height: number, place: number, since: number): void {
    const { earliest, latest } = this.partAt(height, place)
    if (latest < since) return
    if (earliest >= since) add(total, this.tallyOf(height, place))
    else if (height > 0) for (const below of placesBelow(place)) this.addTo(total, height - 1, below, since)
    else this.eachMatch(place, (row) => row.at >= since && count(total, row))
  }

  private partAt(height: number, place: number): Part {
    const known = this.parts[height]?.get(place)
    if (known !== undefined) return known
    let earliest = Number.POSITIVE_INFINITY
    let latest = Number.NEGATIVE_INFINITY
    const cover = (from: number, to: number): void => {
      earliest = Math.min(earliest, from)
      latest = Math.max(latest, to)
    }
    if (height === 0) this.each(place, ({ at }) => cover(at, at))
    else
      for (const below of placesBelow(place)) {
        const part = this.partAt(height - 1, below)
        cover(part.earliest, part.latest)
      }
    const part = { earliest, latest, tally: undefined }
    this.parts[height]?.set(place, part)
    return part
  }

  private tallyOf(height: number, place: number): Tally {
    const part = this.partAt(height, place)
    if (part.tally !== undefined) return part.tally
    const tally = emptyTally()
    if (height === 0) this.eachMatch(place, (row) => count(tally, row))
    else for (const below of placesBelow(place)) add(tally, this.tallyOf(height - 1, below))
    // Its sum grows until the filter was tested on all of its rows.
    if (this.matches.testedFrom <= Math.max(place * sizeOf(height), this.rows.first)) part.tally = tally
    return tally
  }

  private eachMatch(place: number, visit: (row: LiveRequest) => void): void {
    this.matches.each(place * CHUNK, (place + 1) * CHUNK, visit)
  }

  private each(place: number, visit: (row: LiveRequest) => void): void {
    for (let seq = place * CHUNK; seq < (place + 1) * CHUNK; seq++) {
      const row = this.rows.at(seq)
      if (row !== undefined) visit(row)
    }
  }
}

const sizeOf = (height: number): number => SIZES[height] ?? CHUNK
const placeOf = (seq: number, height: number): number => Math.floor(seq / sizeOf(height))
const placesBelow = (place: number): readonly number[] => Array.from({ length: FAN_OUT }, (_, i) => place * FAN_OUT + i)

/** What one queue of a level holds now, and how many requests arrived in it. */
interface QueueTally {
  readonly requests: number
  readonly waiting: number
  readonly executing: number
  /** Seats that its executing requests hold. */
  readonly executingSeats: number
}

/** By queue; queues without arrivals are absent. */
export type LevelQueues = ReadonlyMap<number, QueueTally>
/** By level. */
export type QueueTallies = ReadonlyMap<string, LevelQueues>

type CountingQueue = { -readonly [K in keyof QueueTally]: QueueTally[K] }
type CountingQueues = Map<string, Map<number, CountingQueue>>

function queueOf(queues: CountingQueues, level: string, index: number): CountingQueue {
  let ofLevel = queues.get(level)
  if (ofLevel === undefined) queues.set(level, (ofLevel = new Map()))
  let queue = ofLevel.get(index)
  if (queue === undefined) ofLevel.set(index, (queue = { requests: 0, waiting: 0, executing: 0, executingSeats: 0 }))
  return queue
}

/** Adds a request to its queue, if it has one. */
function countQueue(queues: CountingQueues, { level, queue, state, seats }: LiveRequest): void {
  if (queue === undefined) return
  const counting = queueOf(queues, level, queue)
  counting.requests += 1
  if (state === 'waiting') counting.waiting += 1
  if (state !== 'executing') return
  counting.executing += 1
  counting.executingSeats += seats.initial
}

/** Adds the summary of other requests. */
function addQueues(into: CountingQueues, tallies: QueueTallies): void {
  for (const [level, queues] of tallies)
    for (const [index, queue] of queues) {
      const known = queueOf(into, level, index)
      known.requests += queue.requests
      known.waiting += queue.waiting
      known.executing += queue.executing
      known.executingSeats += queue.executingSeats
    }
}
