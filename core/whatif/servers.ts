import { type ApfEngine } from '../engine/apfEngine.ts'
import { type ServerFacts, tellFacts } from '../engine/facts.ts'
import type { EngineCheckpoint } from '../engine/checkpoint.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { Ticket } from '../engine/ticket.ts'
import { type Call, type Length, Run } from '../run/run.ts'
import type { Rewindable } from '../run/timeline.ts'
import { SimulatedLengths } from '../simulate/server.ts'
import { type Nanoseconds, secondsToNs, type Seats, type UnixMs } from '../units.ts'
import type { Arrival, Arrivals } from './arrivals.ts'
import { engineOptions, isSent, serverOf, type Variant } from './variant.ts'

/** Facts are valid for only three minutes. */
const FACTS_AGAIN_NS = secondsToNs(60)

/** A request on its way through one variant. `SimulatedLengths` reads `work`. */
export interface Sent {
  readonly index: number
  readonly arrival: Arrival
  readonly work: { readonly executionNs: Nanoseconds; readonly watchNs: Nanoseconds | undefined }
}

/** A run that screens can show: the servers of one variant at the current instant of the run. */
export interface ShownRun<C = unknown> extends Rewindable<C> {
  readonly engines: readonly ApfEngine<unknown>[]
  /** Time of the first instant of the run, Unix milliseconds. */
  readonly startUnixMs: UnixMs
  /** The objects in force. */
  readonly objects: ObjectSet
  /** The facts that estimates depend on, if known. */
  facts(): ServerFacts | undefined
}

export interface ServersHooks {
  /** Called when the engine has placed a request, before any consequence; without a ticket if it bypasses it. */
  readonly onPlaced?: (index: number, ticket: Ticket<Call<Sent>> | undefined) => void
  /** Called with the immediate decision about each arrival (`atOnce`), and with each later decision. */
  readonly onDecision?: (call: Call<Sent>, atNs: Nanoseconds, atOnce: boolean) => void
}

/** The servers of a variant at one instant, as data. */
export interface ServersCheckpoint {
  readonly servers: readonly { readonly engine: EngineCheckpoint; readonly runningSeats: Seats }[]
  readonly nextArrival: number
  readonly nextLeaving: number
  readonly nextFactsNs: Nanoseconds
}

interface Server {
  readonly run: Run<Sent>
  /** Set only for simulated requests. */
  readonly modelled: SimulatedLengths | undefined
}

/** The servers of one variant, which run a list of arrivals: in bulk, event by event, and back to an earlier state. */
export class Servers implements ShownRun<ServersCheckpoint> {
  readonly variant: Variant
  readonly arrivals: Arrivals
  private readonly hooks: ServersHooks
  private readonly servers: readonly Server[]
  /** Requests whose client leaves, by time. */
  private readonly leaving: readonly { readonly atNs: Nanoseconds; readonly index: number }[]
  /** Those of them that have arrived and that flow control tracks. */
  private calls = new Map<number, Call<Sent>>()
  private nextArrival = 0
  private nextLeaving = 0
  private nextFactsNs = 0

  constructor(variant: Variant, arrivals: Arrivals, hooks: ServersHooks = {}) {
    this.variant = variant
    this.arrivals = arrivals
    this.hooks = hooks
    this.servers = Array.from({ length: variant.servers }, () => this.newServer())
    this.leaving = arrivals.list
      .flatMap(({ atNs, leavesAfterNs }, index) =>
        leavesAfterNs === undefined ? [] : [{ atNs: atNs + leavesAfterNs, index }],
      )
      .toSorted((a, b) => a.atNs - b.atNs || a.index - b.index)
  }

  /** Number of requests that have arrived so far. */
  get arrived(): number {
    return this.nextArrival
  }

  get nowNs(): Nanoseconds {
    return Math.max(...this.servers.map(({ run }) => run.engine.nowNs))
  }

  get startUnixMs(): UnixMs {
    return this.arrivals.startUnixMs
  }

  get objects(): ObjectSet {
    return this.variant.objects
  }

  get engines(): readonly ApfEngine<Call<Sent>>[] {
    return this.servers.map(({ run }) => run.engine)
  }

  /** The events of all servers. */
  get engine(): Pick<ApfEngine<unknown>, 'subscribe'> {
    return {
      subscribe: (listener) => {
        const leave = this.engines.map((engine) => engine.subscribe(listener))
        return () => {
          for (const one of leave) one()
        }
      },
    }
  }

  facts(): ServerFacts | undefined {
    return this.arrivals.facts
  }

  /** Processes all events before the arrival with this number, which is not delivered yet. */
  runToArrival(index: number): void {
    while (this.nextArrival < index) this.giveNext()
    const next = this.arrivals.list[index]
    if (next !== undefined) this.moveTo(next.atNs)
  }

  runTo(ns: Nanoseconds): void {
    const { list } = this.arrivals
    for (let next = list[this.nextArrival]; next !== undefined && next.atNs <= ns; next = list[this.nextArrival]) {
      this.giveNext()
    }
    this.moveTo(ns)
  }

  step(untilNs: Nanoseconds): boolean {
    for (;;) {
      const outsideNs = this.outsideNs()
      const arrivesNs = this.arrivals.list[this.nextArrival]?.atNs ?? Number.POSITIVE_INFINITY
      const givenNs = Math.min(outsideNs, arrivesNs)
      const first = this.servers.reduce((a, b) => (b.run.nextNs < a.run.nextNs ? b : a))
      // Due events of the engines precede input at the same instant.
      if (first.run.nextNs <= Math.min(untilNs, givenNs)) {
        if (first.run.step(Math.min(untilNs, givenNs))) return true
        continue
      }
      if (givenNs > untilNs) return false
      if (outsideNs <= arrivesNs) this.happenUntil(outsideNs)
      else this.giveNext()
      return true
    }
  }

  /** The server that a request arrives at. */
  serverOf({ request }: Arrival): Run<Sent> | undefined {
    return this.servers[serverOf(request.user.name, this.servers.length)]?.run
  }

  giveNext(): void {
    const index = this.nextArrival
    const arrival = this.arrivals.list[index]
    this.nextArrival += 1
    if (arrival === undefined) return
    this.happenUntil(arrival.atNs)
    const run = this.serverOf(arrival)
    if (run === undefined) return
    run.moveTo(arrival.atNs)
    if (!isSent(this.variant, index)) return
    const { hooks } = this
    const { executionFactor } = this.variant
    const work = { executionNs: Math.round(arrival.executionNs * executionFactor), watchNs: arrival.watchNs }
    const sent: Sent = { index, arrival, work }
    // The placement must be recorded before the decision about it.
    const call = run.arrive(arrival.request, sent, (answer) => {
      if (answer.kind !== 'bypassed') hooks.onPlaced?.(index, answer.ticket)
    })
    if (call.decision.kind === 'bypassed') hooks.onPlaced?.(index, undefined)
    hooks.onDecision?.(call, run.engine.nowNs, true)
    if (arrival.leavesAfterNs !== undefined && call.ticket !== undefined) this.calls.set(index, call)
  }

  checkpoint(): ServersCheckpoint {
    const { nextArrival, nextLeaving, nextFactsNs } = this
    const held = this.servers.map((): Ticket<Call<Sent>>[] => [])
    for (const { ticket, owner } of this.calls.values()) {
      const place = serverOf(owner.arrival.request.user.name, this.servers.length)
      if (ticket !== undefined) held[place]?.push(ticket)
    }
    const servers = this.servers.map(({ run, modelled }, place) => ({
      engine: run.engine.checkpoint(held[place] ?? []),
      runningSeats: modelled?.running ?? 0,
    }))
    return { servers, nextArrival, nextLeaving, nextFactsNs }
  }

  restore({ servers, nextArrival, nextLeaving, nextFactsNs }: ServersCheckpoint): void {
    this.calls = new Map()
    for (const [place, { engine, runningSeats }] of servers.entries()) {
      const server = this.servers[place]
      server?.modelled?.restore(runningSeats)
      for (const { payload } of server?.run.engine.restore(engine) ?? []) {
        this.calls.set(payload.payload.owner.index, payload.payload)
      }
    }
    this.nextArrival = nextArrival
    this.nextLeaving = nextLeaving
    this.nextFactsNs = nextFactsNs
  }

  private newServer(): Server {
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
    const run: Run<Sent> = new Run<Sent>(engineOptions(this.variant, startUnixMs, endNs), {
      lengthOf,
      onDecision: (call) => {
        const { owner, decision, ticket } = call
        if (decision.kind === 'done' && ticket !== undefined) modelled?.ended(owner, ticket)
        this.hooks.onDecision?.(call, run.engine.nowNs, false)
      },
    })
    run.configure(objects)
    return { run, modelled }
  }

  private moveTo(ns: Nanoseconds): void {
    this.happenUntil(ns)
    for (const { run } of this.servers) run.moveTo(ns)
  }

  /** Time of the next external event other than arrivals. */
  private outsideNs(): Nanoseconds {
    const factsNs = this.arrivals.facts === undefined ? Number.POSITIVE_INFINITY : this.nextFactsNs
    return Math.min(factsNs, this.leavingNext()?.atNs ?? Number.POSITIVE_INFINITY)
  }

  /** The next request whose client leaves; one may leave at the instant of its arrival, before it has arrived. */
  private leavingNext(): { readonly atNs: Nanoseconds; readonly index: number } | undefined {
    const next = this.leaving[this.nextLeaving]
    return next !== undefined && next.index < this.nextArrival ? next : undefined
  }

  /** Processes external events other than arrivals, up to this instant, in order of time. */
  private happenUntil(ns: Nanoseconds): void {
    for (;;) {
      const atNs = this.outsideNs()
      if (atNs > ns) return
      const { facts } = this.arrivals
      if (facts !== undefined && this.nextFactsNs === atNs) {
        this.nextFactsNs += FACTS_AGAIN_NS
        for (const { run } of this.servers) {
          run.moveTo(atNs)
          tellFacts(run.engine, facts)
        }
        continue
      }
      this.leave(atNs)
    }
  }

  private leave(atNs: Nanoseconds): void {
    const index = this.leaving[this.nextLeaving]?.index ?? -1
    this.nextLeaving += 1
    const call = this.calls.get(index)
    if (call === undefined) return
    this.calls.delete(index)
    const run = this.serverOf(call.owner.arrival)
    run?.moveTo(atNs)
    run?.abandon(call)
  }
}
