import { type ServerFacts, tellFacts } from '../engine/apfEngine.ts'
import type { Ticket } from '../engine/ticket.ts'
import type { RejectReason } from '../frame/frame.ts'
import { type Call, type Length, Run } from '../run/run.ts'
import { SimulatedLengths } from '../simulate/server.ts'
import { type Nanoseconds, nsToSeconds, type Seats, secondsToNs } from '../units.ts'
import type { Arrival, Arrivals } from './arrivals.ts'
import { Measure, poolOf } from './measure.ts'
import { resultOf, type VariantResult } from './results.ts'
import { engineOptions, serverOf, type Variant } from './variant.ts'

/** Facts are believed for three minutes only. */
const FACTS_AGAIN_NS = secondsToNs(60)
/** How many arrivals are given before `mayGoOn` is asked. */
const ARRIVALS_AT_ONCE = 256

/** What a variant decided about one request, by its place in the list of arrivals. */
export interface Decided {
  /** `undefined`: it still waits. `bypassed`: flow control does not limit it. */
  readonly outcome: 'bypassed' | 'dispatched' | RejectReason | undefined
  /** Whether that was the answer to its arrival. */
  readonly atOnce: boolean
  /** When it was decided; `Infinity` while it is not. */
  readonly atNs: Nanoseconds
  readonly level: string
  readonly schema: string
  /** What it takes of its level while it runs; 0 where nothing limits it. */
  readonly seats: Seats
}

const OUTCOMES = [undefined, 'bypassed', 'dispatched', 'queue-full', 'concurrency-limit', 'time-out'] as const

/** Decisions about many requests, a few bytes each. */
export class Decisions {
  private readonly outcomes: Uint8Array
  private readonly onArrival: Uint8Array
  private readonly times: Float64Array
  private readonly places: Uint16Array
  private readonly widths: Float32Array
  private readonly placeNumbers = new Map<unknown, number>()
  private readonly placeList: { readonly level: string; readonly schema: string }[] = []

  constructor(count: number) {
    this.outcomes = new Uint8Array(count)
    this.onArrival = new Uint8Array(count)
    this.times = new Float64Array(count).fill(Number.POSITIVE_INFINITY)
    this.places = new Uint16Array(count)
    this.widths = new Float32Array(count)
  }

  of(index: number): Decided {
    const { level, schema } = this.placeList[this.places[index] ?? 0] ?? { level: '', schema: '' }
    return {
      outcome: OUTCOMES[this.outcomes[index] ?? 0],
      atOnce: this.onArrival[index] === 1,
      atNs: this.times[index] ?? Number.POSITIVE_INFINITY,
      level,
      schema,
      seats: this.widths[index] ?? 0,
    }
  }

  /** Where it was put; `key` is one for each level and flow schema. */
  place(index: number, key: unknown, { level, schema, seats }: Pick<Decided, 'level' | 'schema' | 'seats'>): void {
    let number = this.placeNumbers.get(key)
    if (number === undefined) {
      number = this.placeList.push({ level, schema }) - 1
      this.placeNumbers.set(key, number)
    }
    this.places[index] = number
    this.widths[index] = seats
  }

  note(index: number, { decision }: Pick<Call, 'decision'>, atNs: Nanoseconds, atOnce: boolean): void {
    const outcome = outcomeOf(decision)
    if (outcome === undefined || this.outcomes[index] !== 0) return
    this.outcomes[index] = OUTCOMES.indexOf(outcome)
    this.onArrival[index] = atOnce ? 1 : 0
    this.times[index] = atNs
  }
}

function outcomeOf(decision: Call['decision']): Decided['outcome'] {
  switch (decision.kind) {
    case 'waiting':
      return undefined
    case 'bypassed':
      return 'bypassed'
    case 'executing':
    case 'done':
      return 'dispatched'
    case 'rejected':
      return decision.reason
  }
}

/** A request on its way through one variant. `SimulatedLengths` reads `work`. */
interface Sent {
  readonly index: number
  readonly arrival: Arrival
  readonly work: { readonly executionNs: Nanoseconds; readonly watchNs: Nanoseconds | undefined }
}

type ServerRun = Run<Sent>

/** The servers of one variant, given the list of arrivals one by one. */
export class Replay {
  readonly variant: Variant
  readonly decisions: Decisions
  private readonly arrivals: Arrivals
  private readonly runs: readonly ServerRun[]
  private readonly measures: readonly Measure<Call<Sent>>[]
  /** Requests whose client goes away, by when; only those that have come. */
  private readonly leaving: readonly { readonly atNs: Nanoseconds; readonly index: number }[]
  private readonly calls = new Map<number, Call<Sent>>()
  private nextArrival = 0
  private nextLeaving = 0
  private nextFactsNs = 0

  constructor(variant: Variant, arrivals: Arrivals) {
    this.variant = variant
    this.arrivals = arrivals
    this.decisions = new Decisions(arrivals.list.length)
    this.runs = Array.from({ length: variant.servers }, () => this.newRun())
    this.measures = this.runs.map(
      ({ engine }) =>
        new Measure(engine, {
          clientOf: ({ owner }) => owner.arrival.client,
          fromNs: 0,
          untilNs: arrivals.endNs,
          executionNsOf: arrivals.capacity && (({ owner }) => owner.work.executionNs),
        }),
    )
    this.leaving = arrivals.list
      .flatMap(({ atNs, leavesAfterNs }, index) =>
        leavesAfterNs === undefined ? [] : [{ atNs: atNs + leavesAfterNs, index }],
      )
      .toSorted((a, b) => a.atNs - b.atNs || a.index - b.index)
  }

  /** Requests that have come so far. */
  get arrived(): number {
    return this.nextArrival
  }

  /** Lets everything happen before the arrival with this number, which is not given yet. */
  runToArrival(index: number): void {
    while (this.nextArrival < index) this.giveNext()
    const next = this.arrivals.list[index]
    if (next === undefined) return
    this.happenUntil(next.atNs)
    for (const run of this.runs) run.moveTo(next.atNs)
  }

  /** Lets everything happen up to `ns`. */
  runTo(ns: Nanoseconds): void {
    const { list } = this.arrivals
    for (let next = list[this.nextArrival]; next !== undefined && next.atNs <= ns; next = list[this.nextArrival]) {
      this.giveNext()
    }
    this.happenUntil(ns)
    for (const run of this.runs) run.moveTo(ns)
  }

  /** Goes to the end; `false` when `mayGoOn`, asked now and then, ended it before. */
  runToEnd(mayGoOn: () => boolean = () => true): boolean {
    const { list, endNs } = this.arrivals
    while (this.nextArrival < list.length) {
      if (this.nextArrival % ARRIVALS_AT_ONCE === 0 && !mayGoOn()) return false
      this.giveNext()
    }
    this.runTo(endNs)
    return true
  }

  /** A level as it is now, on the server of a request; `undefined` where there is none of this name. */
  levelNamed(index: number, name: string): LevelNow | undefined {
    const arrival = this.arrivals.list[index]
    const run = arrival && this.runOf(arrival)
    const level = run?.engine.levels().find(({ plan }) => plan.name === name)
    if (level === undefined) return undefined
    const { current, queueSet } = level
    return { current, seatsInUse: queueSet.seatsInUse, waiting: queueSet.waitingCount }
  }

  /** Ends the replay. */
  result(): VariantResult {
    const { endNs } = this.arrivals
    const cells = this.measures.flatMap((measure) => measure.end())
    const histories = this.runs.map(({ engine }) => ({
      adjustments: engine.adjustments(),
      fromNs: 0,
      untilNs: endNs,
    }))
    return resultOf(this.variant.name, cells, histories, nsToSeconds(endNs))
  }

  private newRun(): ServerRun {
    const { capacity, startUnixMs, endNs } = this.arrivals
    const { executionFactor, objects } = this.variant
    const modelled = capacity && new SimulatedLengths(capacity)
    const lengthOf = ({ owner, ticket }: Call<Sent>): Length | undefined => {
      if (modelled === undefined) {
        const { executionNs, watchNs = 0 } = owner.arrival
        return { durationNs: Math.round(executionNs * executionFactor), watchNs }
      }
      return ticket && modelled.begun(owner, ticket)
    }
    const run: ServerRun = new Run<Sent>(engineOptions(this.variant, startUnixMs, endNs), {
      lengthOf,
      onDecision: (call) => {
        const { owner, decision, ticket } = call
        if (decision.kind === 'done' && ticket !== undefined) modelled?.ended(owner, ticket)
        this.decisions.note(owner.index, call, run.engine.nowNs, false)
      },
    })
    run.configure(objects)
    return run
  }

  private runOf({ request }: Arrival): ServerRun | undefined {
    return this.runs[serverOf(request.user.name, this.runs.length)]
  }

  private giveNext(): void {
    const index = this.nextArrival
    const arrival = this.arrivals.list[index]
    this.nextArrival += 1
    if (arrival === undefined) return
    this.happenUntil(arrival.atNs)
    const run = this.runOf(arrival)
    if (run === undefined) return
    run.moveTo(arrival.atNs)
    const { executionFactor } = this.variant
    const work = { executionNs: Math.round(arrival.executionNs * executionFactor), watchNs: arrival.watchNs }
    const sent: Sent = { index, arrival, work }
    // What a decision says of its place has to be known before it is made.
    const call = run.arrive(arrival.request, sent, (answer) => {
      if (answer.kind !== 'bypassed') this.place(index, answer.ticket)
    })
    if (call.decision.kind === 'bypassed') this.decisions.place(index, '', { level: '', schema: '', seats: 0 })
    this.decisions.note(index, call, run.engine.nowNs, true)
    if (arrival.leavesAfterNs !== undefined) this.calls.set(index, call)
  }

  private place(index: number, ticket: Ticket<Call<Sent>>): void {
    if (this.variant.algorithm === 'max-in-flight') {
      const pool = poolOf(ticket)
      return this.decisions.place(index, pool, { level: pool, schema: '', seats: 1 })
    }
    const { lane } = ticket
    const { maxSeats: seats } = ticket
    this.decisions.place(index, lane, { level: lane.level.plan.name, schema: lane.schema, seats })
  }

  /** What comes from outside besides arrivals, up to this instant, in the order of time. */
  private happenUntil(ns: Nanoseconds): void {
    const { facts } = this.arrivals
    for (;;) {
      const leaving = this.leaving[this.nextLeaving]
      const leavesNs = leaving?.atNs ?? Number.POSITIVE_INFINITY
      const factsNs = facts === undefined ? Number.POSITIVE_INFINITY : this.nextFactsNs
      if (Math.min(leavesNs, factsNs) > ns) return
      if (facts !== undefined && factsNs <= leavesNs) {
        this.nextFactsNs += FACTS_AGAIN_NS
        this.tell(facts, factsNs)
        continue
      }
      const call = leaving && this.calls.get(leaving.index)
      // It goes away at the instant of its arrival, and has not come yet.
      if (call === undefined) return
      this.nextLeaving += 1
      this.calls.delete(call.owner.index)
      const run = this.runOf(call.owner.arrival)
      run?.moveTo(leavesNs)
      run?.abandon(call)
    }
  }

  private tell(facts: ServerFacts, ns: Nanoseconds): void {
    for (const run of this.runs) {
      run.moveTo(ns)
      tellFacts(run.engine, facts)
    }
  }
}

/** A priority level at one instant. */
export interface LevelNow {
  readonly current: number
  readonly seatsInUse: number
  readonly waiting: number
}
