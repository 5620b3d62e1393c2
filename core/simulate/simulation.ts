import { type ApfEngine, type ConfigurationReport, type EngineConfiguration } from '../engine/apfEngine.ts'
import type { ServerFacts } from '../engine/facts.ts'
import { runTo, stepOf } from '../engine/step.ts'
import type { EngineCheckpoint } from '../engine/checkpoint.ts'
import { Run, type RunOptions } from '../run/run.ts'
import { type Nanoseconds, type Seats, secondsToNs } from '../units.ts'
import { simulatedFacts } from './facts.ts'
import { type Job, Jobs } from './jobs.ts'
import { type ClientPart, partsOf } from './parts.ts'
import { callsEndedBy, isOfServer, isPlanned, type Planned, type Task } from './tasks.ts'
import { drawExecutionNs, type PreparedCall, type Workload } from './workload.ts'
import {
  answered,
  begin,
  callOf,
  type Client,
  type ClientState,
  type ClientWorld,
  copyOfState,
  backOffOf,
  givesUp,
  makeCall,
} from './clients.ts'
import { drawNs, namedState, randomOf, type RandomState, uniform } from './random.ts'
import {
  type Call,
  emptyTally,
  type Flight,
  type Outcome,
  type ServerCall,
  SimulatedServer,
  type Tally,
} from './server.ts'

/** A server counts its objects every minute, each time stretched by up to 2.2 (specification 5.7). */
const STATISTICS_PERIOD = uniform(60_000, 132_000)

const MINUTE_NS = secondsToNs(60)

export interface SimulationOptions extends Pick<
  RunOptions,
  'mode' | 'maxRequestsInFlight' | 'maxMutatingRequestsInFlight' | 'profile' | 'corrections' | 'startUnixMs'
> {
  readonly seed: number
  readonly configuration: EngineConfiguration
  readonly workload: Workload
  /** Factor on every execution time; 1 if absent. */
  readonly executionFactor?: number
  /** Called every simulated minute: the server's changes to its own objects (specification 7.8). */
  readonly onMinute?: () => void
}

/**
 * An API server under load, event by event: clients, the engine, and handlers that take their time. The same options
 * give the same events. It reads no wall clock: its caller decides how far it advances.
 */
export interface Simulation {
  /** Nanoseconds since the start. */
  readonly nowNs: Nanoseconds
  /** For inspection and subscriptions; only the simulation changes it. */
  readonly engine: ApfEngine<ServerCall>
  /** Seats of the handlers that run now. */
  readonly runningSeats: Seats
  /** The server's own metrics of its objects and watches. */
  facts(): ServerFacts
  /** Processes the next event if it is due by `untilNs`, or at any time if absent; `false` when none is due. */
  step(untilNs?: Nanoseconds): boolean
  /**
   * Processes everything until `ns`, a finite time, and stops there; `false` when `mayGoOn`, called now and then,
   * stopped it before. The rest is then still to be done.
   */
  runTo(ns: Nanoseconds, mayGoOn?: () => boolean): boolean
  /** The result of the configuration in force. */
  readonly configured: ConfigurationReport
  /** Adopts the objects at once. */
  configure(configuration: EngineConfiguration): ConfigurationReport
  /** From now on every execution time that is drawn is multiplied by this. */
  slow(executionFactor: number): void
  /** Levels continue as if these had been their smoothed demands until now, in seats, by name. */
  remember(smoothed: ReadonlyMap<string, Seats>): void
  /** Requests that this group sends before `untilNs` arrive at that time: a network that lets nothing through. */
  pause(group: string, untilNs: Nanoseconds): void
  /**
   * From now on the threads of this group think for exactly this many milliseconds, also after failures: a bug in a
   * client.
   */
  hurry(group: string, thinkMs: number): void
  /**
   * The process of the server ends and starts again: requests that wait or run fail, and limits, virtual times and
   * watches start from nothing. Requests that clients send before `untilNs` arrive at that time.
   */
  restart(untilNs: Nanoseconds): void
  /** Requests that clients on demand have yet to send, by group. */
  backlog(): ReadonlyMap<string, number>
  /** Outcomes of the calls so far, by group. */
  tallies(): ReadonlyMap<string, Readonly<Tally>>
  /** The group of the client that makes a call. */
  groupOf(call: Pick<Call, 'client'>): string
  /** The present state of the simulation, which itself is unchanged. Not within a callback of the engine. */
  checkpoint(): SimulationCheckpoint
  /**
   * Makes this simulation, created with the same options, continue from the checkpoint; listeners of the engine stay.
   * Earlier tickets become invalid.
   */
  restore(checkpoint: SimulationCheckpoint): void
}

/** A simulation at one instant, clients included, as data that `structuredClone` copies and `postMessage` sends. */
export interface SimulationCheckpoint {
  /** Its tickets are those of handlers that wait for another request. */
  readonly engine: EngineCheckpoint
  readonly clients: readonly ClientState[]
  /** Random numbers of the polls of object counts, by kind of object. */
  readonly polls: readonly RandomState[]
  readonly jobs: ReturnType<Jobs['checkpoint']>
  readonly runningSeats: Seats
  readonly tallies: ReadonlyMap<string, Readonly<Tally>>
  readonly objects: EngineConfiguration
  readonly configured: ConfigurationReport
  readonly executionFactor: number
  readonly paused: ReadonlyMap<string, Nanoseconds>
}

/** How many events happen between two calls of `mayGoOn`. */
const EVENTS_AT_ONCE = 64

export const createSimulation = (options: SimulationOptions): Simulation => new SimulatedCluster(options)

class SimulatedCluster implements Simulation {
  readonly engine: ApfEngine<ServerCall>
  configured: ConfigurationReport
  private readonly workload: Workload
  private readonly onMinute: (() => void) | undefined
  private readonly runOptions: RunOptions
  private objects: EngineConfiguration
  private readonly jobs: Jobs
  private executionFactor: number
  /** Groups whose requests do not get through, and until when. */
  private paused = new Map<string, Nanoseconds>()
  private readonly server: SimulatedServer
  private readonly parts: readonly ClientPart[]
  private readonly world: ClientWorld = {
    nowNs: () => this.engine.nowNs,
    later: (ns, task) => this.later(ns, task),
    send: (flight) => this.send(flight),
    isWanted: ({ waiting }) => waiting === undefined || this.server.waits(waiting),
    done: ({ waiting }) => {
      if (waiting !== undefined) this.server.goOn(waiting)
    },
    free: (client) => {
      const job = this.jobs.next(this.groupOf({ client }), client)
      if (job !== undefined) this.give(client, job)
    },
  }
  private clients: readonly Client[]
  private polls: readonly RandomState[]
  private tallyOf: Map<string, Tally>

  constructor({ seed, workload, configuration, onMinute, executionFactor = 1, ...engine }: SimulationOptions) {
    this.workload = workload
    this.executionFactor = executionFactor
    this.onMinute = onMinute
    this.runOptions = engine
    this.server = new SimulatedServer(engine, {
      capacity: workload.service.capacity,
      later: (ns, task) => this.later(ns, task),
      settle: (call, outcome) => this.settle(call, outcome),
      sendsFirst: (call) => this.sendsFirst(call),
      onAppointment: (due) => {
        if (isPlanned(due)) this.happen(due.task)
      },
    })
    this.engine = this.server.run.engine
    this.objects = configuration
    this.jobs = new Jobs(
      workload.groups.flatMap(({ name, behaviour }) => (behaviour.kind === 'on demand' ? [name] : [])),
    )
    this.configured = this.engine.configure(configuration)
    this.tallyOf = new Map(workload.groups.map(({ name }) => [name, emptyTally()]))
    this.parts = partsOf(workload)
    this.clients = this.clientsWith(
      this.parts.map(({ name, plan }) => ({
        random: namedState(seed, name),
        ...((givesUp(plan) || backOffOf(plan) !== undefined) && { failures: namedState(seed, `${name}/failures`) }),
      })),
    )
    for (const client of this.clients) begin(client, this.world)
    this.polls = workload.objects.map(({ key }) => namedState(seed, `statistics of ${key}`))
    for (const object of workload.objects.keys()) this.countObjects(object)
    if (onMinute !== undefined) this.later(MINUTE_NS, { kind: 'minute' })
  }

  get nowNs(): Nanoseconds {
    return this.engine.nowNs
  }

  get runningSeats(): Seats {
    return this.server.runningSeats
  }

  facts(): ServerFacts {
    return simulatedFacts(this.workload, this.server.openWatches)
  }

  step(untilNs: Nanoseconds = Number.MAX_VALUE): boolean {
    return stepOf(this.engine, untilNs)
  }

  runTo(ns: Nanoseconds, mayGoOn: () => boolean = () => true): boolean {
    let asked = 0
    return runTo(this.engine, ns, () => asked++ % EVENTS_AT_ONCE !== 0 || mayGoOn())
  }

  configure(configuration: EngineConfiguration): ConfigurationReport {
    this.objects = configuration
    return (this.configured = this.engine.configure(configuration))
  }

  slow(executionFactor: number): void {
    this.executionFactor = executionFactor
  }

  remember(smoothed: ReadonlyMap<string, Seats>): void {
    for (const level of this.engine.levels()) {
      const seats = smoothed.get(level.plan.name)
      if (seats !== undefined) level.demand = { ...level.demand, smoothed: seats }
    }
  }

  pause(group: string, untilNs: Nanoseconds): void {
    this.paused.set(group, untilNs)
  }

  hurry(group: string, thinkMs: number): void {
    for (const { number, state } of this.clients)
      if (this.groupOf({ client: number }) === group) state.hurryMs = thinkMs
  }

  restart(untilNs: Nanoseconds): void {
    const { engine, server } = this
    const planned = engine.appointments.all()
    const lost = engine.dump().requests.flatMap(({ ticket }) => (ticket.state === 'waiting' ? [ticket] : []))
    const calls = [...lost, ...server.waitingForOthers].map(({ payload }) => payload.payload.owner)
    for (const { owner } of planned) for (const added of callsEndedBy(owner)) calls.push(added)
    // The state of an engine that has only just begun, with the listeners and callbacks of this one.
    const fresh = new Run<Call>(this.runOptions).engine
    fresh.moveTo(engine.nowNs)
    this.configured = fresh.configure(this.objects)
    engine.restore(fresh.checkpoint([]))
    server.restore(0)
    for (const { name } of this.workload.groups) this.pause(name, untilNs)
    for (const { owner, dueNs } of planned) {
      if (isPlanned(owner) && !isOfServer(owner.task)) this.plan(owner.task, dueNs)
    }
    for (const call of calls) this.settle(call, { kind: 'expired' })
  }

  backlog(): ReadonlyMap<string, number> {
    return this.jobs.backlog()
  }

  tallies(): ReadonlyMap<string, Readonly<Tally>> {
    return this.tallyOf
  }

  checkpoint(): SimulationCheckpoint {
    const { engine, server, clients, polls, tallyOf, configured, executionFactor, paused, jobs, objects } = this
    return {
      engine: engine.checkpoint(server.waitingForOthers),
      jobs: jobs.checkpoint(),
      objects,
      clients: clients.map(({ state }) => copyOfState(state)),
      polls: polls.map((state) => [...state]),
      runningSeats: server.runningSeats,
      tallies: new Map([...tallyOf].map(([group, tally]) => [group, { ...tally }])),
      configured,
      executionFactor,
      paused: new Map(paused),
    }
  }

  restore(checkpoint: SimulationCheckpoint): void {
    const { engine, clients, polls, runningSeats, tallies, configured, executionFactor, paused } = checkpoint
    const { jobs, objects } = checkpoint
    if (clients.length !== this.parts.length || polls.length !== this.polls.length)
      throw new Error('the checkpoint is from a simulation of another workload')
    this.server.restore(runningSeats, this.engine.restore(engine))
    this.jobs.restore(jobs)
    this.objects = objects
    this.clients = this.clientsWith(clients.map(copyOfState))
    this.polls = polls.map((state) => [...state])
    this.tallyOf = new Map([...tallies].map(([group, tally]) => [group, { ...tally }]))
    this.configured = configured
    this.executionFactor = executionFactor
    this.paused = new Map(paused)
  }

  private clientsWith(states: readonly ClientState[]): readonly Client[] {
    return this.parts.flatMap(({ plan }, number) => {
      const state = states[number]
      if (state === undefined) return []
      const random = randomOf(state.random)
      const failureRandom = state.failures === undefined ? random : randomOf(state.failures)
      return [{ number, plan, state, random, failureRandom }]
    })
  }

  private later(ns: Nanoseconds, task: Task): void {
    this.plan(task, this.engine.nowNs + ns)
  }

  private plan(task: Task, atNs: Nanoseconds): void {
    const planned: Planned = { timerPlace: -1, task }
    this.engine.appointments.set(planned, atNs)
  }

  private happen(task: Task): void {
    switch (task.kind) {
      case 'call':
        return makeCall(this.client(task.client), this.world)
      case 'retry':
        return this.send(task.flight)
      case 'count':
        return this.countObjects(task.object)
      case 'minute':
        this.onMinute?.()
        return this.later(MINUTE_NS, task)
      case 'bypass over':
      case 'wait over':
        return this.server.due(task)
    }
  }

  private client(number: number): Client {
    const client = this.clients[number]
    if (client === undefined) throw new Error(`there is no client ${number}`)
    return client
  }

  private send(flight: Flight): void {
    const pausedNs = this.paused.get(this.groupOf(flight)) ?? 0
    if (pausedNs > this.nowNs) return this.later(pausedNs - this.nowNs, { kind: 'retry', flight })
    const { random } = this.client(flight.client)
    const call = this.callOf(flight)
    const executionNs = Math.round(drawExecutionNs(call, random) * this.executionFactor)
    this.tally(flight).offered += 1
    this.server.send(call, flight, executionNs)
  }

  private callOf({ client, call: place }: Pick<Flight, 'client' | 'call'>): PreparedCall {
    const call = callOf(this.client(client).plan, place)
    if (call === undefined) throw new Error(`client ${client} has no call ${place}`)
    return call
  }

  private sendsFirst(call: Call): boolean {
    const needs = this.callOf(call).jobs?.needs
    if (needs === undefined) return false
    const { client, sentNs } = call
    this.assign(needs, { waiting: { client, sentNs } })
    return true
  }

  private assign(group: string, job: Job): void {
    const free = this.jobs.add(group, job)
    if (free !== undefined) this.give(free, job)
  }

  private give(client: number, job: Job): void {
    const { state, plan, random } = this.client(client)
    state.job = job
    this.later(plan.kind === 'on demand' ? drawNs(plan.think, random) : 0, { kind: 'call', client })
  }

  private settle(flight: Flight, outcome: Outcome): void {
    this.tally(flight)[outcome.kind] += 1
    const causes = outcome.kind === 'served' ? this.callOf(flight).jobs?.causes : undefined
    if (causes !== undefined) this.assign(causes, {})
    answered(this.client(flight.client), flight, outcome, this.world)
  }

  groupOf({ client }: Pick<Call, 'client'>): string {
    return this.parts[client]?.group ?? ''
  }

  private tally(flight: Flight): Tally {
    const tally = this.tallyOf.get(this.groupOf(flight))
    if (tally === undefined) throw new Error(`client ${flight.client} is in no group`)
    return tally
  }

  /** Passes object counts to the engine's estimator as a server's own polls do. */
  private countObjects(object: number): void {
    const kind = this.workload.objects[object]
    const state = this.polls[object]
    if (kind === undefined || state === undefined) return
    this.engine.objectStatistics.set(kind.key, kind.count, kind.averageSize)
    this.later(drawNs(STATISTICS_PERIOD, randomOf(state)), { kind: 'count', object })
  }
}
