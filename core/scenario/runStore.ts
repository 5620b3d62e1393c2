import { type Timed, Timers } from '../engine/timers.ts'
import { QosEngine } from '../qos/engine.ts'
import type { Decision } from '../qos/decision.ts'
import { atomsOf } from '../qos/request.ts'
import { type Distribution, drawNs, exponential, namedRandom, type Random, uniform } from '../simulate/random.ts'
import { msToNs, type Nanoseconds, nsToMs, secondsToNs } from '../units.ts'
import { newCell, type Cell } from '../whatif/measure.ts'
import { outcomesOf, type VariantResult } from '../whatif/results.ts'
import type { CourseCounts } from './course.ts'
import type { Store, StoreCall, StoreClients, StoreScenario, StoreVariant } from './store.ts'

/** An etcd client gives up a call that has not started by then. */
const PATIENCE_NS = secondsToNs(10)
/** How long a thread waits after a failure, in addition to its think time. */
const AFTER_FAILURE = uniform(500, 1_500)
/** etcd reports its storage use once per second. */
const STATUS_NS = secondsToNs(1)
const REFUSAL_MS = 1

class Task implements Timed {
  timerPlace = -1
  readonly act: () => void
  constructor(act: () => void) {
    this.act = act
  }
}

/** A call that passes through the rules and the store. */
interface Flight {
  readonly call: StoreCall
  readonly cell: Cell
  readonly sentNs: Nanoseconds
  readonly done: (isServed: boolean) => void
  /** The id of its decision. */
  id: number
  state: 'new' | 'queued' | 'over'
}

const noCell = (client: string): Cell => newCell({ level: '', schema: '', flow: '', client })

/** Runs one variant by itself. `undefined` when `mayGoOn`, called now and then with the completed part, ended it. */
export function runStoreVariant(
  scenario: StoreScenario,
  variant: StoreVariant,
  mayGoOn: (part: number) => boolean = () => true,
  course?: CourseCounts,
): VariantResult | undefined {
  const run = new StoreRun(scenario, variant, course)
  const cells = scenario.clients.map((group) => run.begin(group))
  if (!run.toEnd(mayGoOn)) return undefined
  const seconds = scenario.seconds - scenario.statisticsFrom
  return {
    name: variant.name,
    seconds,
    total: withoutFlows(cells, seconds),
    levels: [],
    schemas: [],
    flows: [],
    moreFlows: 0,
    clients: cells.map((cell) => ({ client: cell.client, ...withoutFlows([cell], seconds) })),
    moreClients: 0,
  }
}

function withoutFlows(cells: readonly Cell[], seconds: number) {
  const { jain: _, ...outcomes } = outcomesOf(cells, seconds)
  return outcomes
}

/** Clients of an etcd behind rules: a fixed number of calls run concurrently, the others wait in order of arrival. */
class StoreRun {
  private readonly timers = new Timers<Task>()
  private readonly rules: QosEngine
  private readonly store: Store
  private readonly seed: number
  private readonly fromNs: Nanoseconds
  private readonly untilNs: Nanoseconds
  private readonly delayed = new Map<number, Flight>()
  private queue: Flight[] = []
  /** Index of the first call in the queue. */
  private first = 0
  private running = 0
  private usedBytes: number
  private nowNs: Nanoseconds = 0

  private readonly course: CourseCounts | undefined

  constructor(
    { seed, seconds, statisticsFrom, etcd }: StoreScenario,
    { rules }: StoreVariant,
    course: CourseCounts | undefined,
  ) {
    this.course = course
    this.seed = seed
    this.fromNs = secondsToNs(statisticsFrom)
    this.untilNs = secondsToNs(seconds)
    this.store = etcd
    this.usedBytes = etcd.usedBytes
    this.rules = new QosEngine(rules, (decision) => this.settled(decision))
    this.tellStatus()
  }

  begin(group: StoreClients): Cell {
    const cell = noCell(group.name)
    const { behaviour, clients } = group
    for (let client = 0; client < clients; client++) {
      const calls = group.calls(client)
      const threads = behaviour.kind === 'closed' ? behaviour.threads : 1
      for (let thread = 0; thread < threads; thread++) {
        this.beginThread(group, calls, cell, namedRandom(this.seed, `${group.name}/${client}/${thread}`))
      }
    }
    return cell
  }

  private beginThread(
    { behaviour, fromMs, toMs }: StoreClients,
    calls: readonly StoreCall[],
    cell: Cell,
    random: Random,
  ): void {
    const pause: Distribution = behaviour.kind === 'closed' ? behaviour.think : exponential(1_000 / behaviour.perSecond)
    let sent = 0
    const next = (afterNs: Nanoseconds): void => this.later(afterNs + drawNs(pause, random), send)
    const send = (): void => {
      const call = calls[sent++ % calls.length]
      if (call === undefined || this.nowNs > msToNs(toMs)) return
      const answered = (isServed: boolean): void => next(isServed ? 0 : drawNs(AFTER_FAILURE, random))
      this.arrive({
        call,
        cell,
        sentNs: this.nowNs,
        done: behaviour.kind === 'closed' ? answered : () => {},
        id: 0,
        state: 'new',
      })
      if (behaviour.kind === 'open') next(0)
    }
    next(msToNs(fromMs))
  }

  toEnd(mayGoOn: (part: number) => boolean): boolean {
    for (let steps = 0; ; steps++) {
      if (steps % 10_000 === 0 && !mayGoOn(this.nowNs / this.untilNs)) return false
      const task = this.timers.nextNs
      const settled = this.delayed.size > 0 ? this.rules.nextNs : Number.POSITIVE_INFINITY
      const next = Math.min(task, settled)
      if (next > this.untilNs) return true
      this.nowNs = Math.max(this.nowNs, next)
      if (settled < task) this.rules.advance(this.nowNs)
      else this.timers.takeDue(this.nowNs)?.act()
    }
  }

  private later(ns: Nanoseconds, act: () => void): void {
    this.timers.set(new Task(act), this.nowNs + ns)
  }

  private tellStatus(): void {
    this.rules.setStorageQuotaUsed(this.usedBytes / this.store.quotaBytes)
    this.later(STATUS_NS, () => this.tellStatus())
  }

  private get counts(): boolean {
    return this.nowNs >= this.fromNs
  }

  private arrive(flight: Flight): void {
    if (this.counts) flight.cell.offered += 1
    const decision = this.rules.arrive(flight.call.request, this.nowNs)
    flight.id = decision.id
    if (decision.verdict === 'waiting') this.delayed.set(decision.id, flight)
    else this.decided(decision, flight)
  }

  private settled(decision: Decision): void {
    const flight = this.delayed.get(decision.id)
    this.delayed.delete(decision.id)
    // The rules engine must not be called from its own callback.
    if (flight !== undefined) this.later(0, () => this.decided(decision, flight))
  }

  private decided({ verdict }: Decision, flight: Flight): void {
    if (verdict === 'limited') {
      this.course?.count(flight.cell.client, this.nowNs, 'failed')
      if (this.counts) flight.cell.rejected['concurrency-limit'] += 1
      flight.state = 'over'
      return flight.done(false)
    }
    flight.state = 'queued'
    this.queue.push(flight)
    this.later(PATIENCE_NS, () => this.giveUp(flight))
    this.work()
  }

  /** Starts calls while there is room. */
  private work(): void {
    while (this.running < this.store.concurrency && this.first < this.queue.length) {
      const flight = this.queue[this.first++]
      if (flight?.state === 'queued') this.start(flight)
    }
    if (this.first < 1_024 || this.first * 2 < this.queue.length) return
    this.queue = this.queue.slice(this.first)
    this.first = 0
  }

  private start(flight: Flight): void {
    flight.state = 'over'
    const { call, cell, sentNs } = flight
    if (this.counts) cell.waitsMs.push(nsToMs(this.nowNs - sentNs))
    const writes = atomsOf(call.request).some(({ op }) => op === 'Put')
    const ok = !writes || this.usedBytes < this.store.quotaBytes
    if (ok && writes) this.usedBytes += call.request.requestBytes ?? 0
    this.running += 1
    const workNs = msToNs(ok ? (call.observed.latencyMs ?? 0) : REFUSAL_MS)
    this.later(workNs, () => {
      this.running -= 1
      this.end(flight, ok)
      this.work()
    })
  }

  private giveUp(flight: Flight): void {
    if (flight.state !== 'queued') return
    flight.state = 'over'
    this.end(flight, false)
  }

  private end({ id, call, cell, done }: Flight, ok: boolean): void {
    const { observed } = call
    this.rules.end(id, ok ? observed : { ...observed, ok }, this.nowNs)
    this.course?.count(cell.client, this.nowNs, ok ? 'served' : 'failed')
    if (this.counts && ok) cell.served += 1
    else if (this.counts) cell.expired += 1
    done(ok)
  }
}
