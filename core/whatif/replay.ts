import type { Ticket } from '../engine/ticket.ts'
import type { Call } from '../run/run.ts'
import { type Nanoseconds, nsToSeconds } from '../units.ts'
import type { Arrivals } from './arrivals.ts'
import { RunCharts } from './charts.ts'
import { Decisions } from './decisions.ts'
import { Measure, poolOf } from './measure.ts'
import { observeRun, type RunFigures, type WhatIfOptions } from './observe.ts'
import { resultOf, type VariantResult } from './results.ts'
import { Servers, type Sent } from './servers.ts'
import type { Variant } from './variant.ts'
import { isWithoutLevels } from '../frame/reading.ts'

/** Number of arrivals between two calls of `mayGoOn`. */
const ARRIVALS_AT_ONCE = 256

/** Runs a list of arrivals through one variant from beginning to end: the results, and each decision. */
export class Replay {
  readonly variant: Variant
  readonly decisions: Decisions
  private readonly arrivals: Arrivals
  private readonly servers: Servers
  private readonly measures: readonly Measure<Call<Sent>>[]
  private readonly charts: RunCharts | undefined
  private readonly observed: (() => RunFigures) | undefined

  /** `charted`: also records numbers over time. */
  constructor(
    variant: Variant,
    arrivals: Arrivals,
    { charted = false, figures = false, windowSeconds }: WhatIfOptions = {},
  ) {
    this.variant = variant
    this.arrivals = arrivals
    this.decisions = new Decisions(arrivals.list.length)
    this.servers = new Servers(variant, arrivals, {
      onPlaced: (index, ticket) => this.place(index, ticket),
      onDecision: (call, atNs, atOnce) => this.decisions.note(call.owner.index, call, atNs, atOnce),
    })
    this.charts = charted ? new RunCharts(this.servers.engines, variant, arrivals) : undefined
    const counted = {
      clientOf: ({ owner }: Call<Sent>) => owner.arrival.client,
      fromNs: arrivals.fromNs,
      untilNs: arrivals.endNs,
    }
    const workOf = ({ owner }: Call<Sent>) => owner.arrival.executionNs
    this.observed = figures
      ? observeRun(this.servers.engines, variant, { ...counted, workOf, windowSeconds })
      : undefined
    this.measures = this.servers.engines.map(
      (engine) =>
        new Measure(engine, {
          ...counted,
          executionNsOf: arrivals.capacity && (({ owner }) => owner.work.executionNs),
        }),
    )
  }

  /** Number of requests that have arrived so far. */
  get arrived(): number {
    return this.servers.arrived
  }

  /** Processes all events before the arrival with this number, which is not delivered yet. */
  runToArrival(index: number): void {
    this.servers.runToArrival(index)
  }

  /** Processes all events up to `ns`. */
  runTo(ns: Nanoseconds): void {
    this.servers.runTo(ns)
  }

  /** Runs to the end; `false` when `mayGoOn`, called now and then, ended it earlier. */
  runToEnd(mayGoOn: () => boolean = () => true): boolean {
    const { list, endNs } = this.arrivals
    const { charts } = this
    while (this.arrived < list.length) {
      if (this.arrived % ARRIVALS_AT_ONCE === 0 && !mayGoOn()) return false
      if (charts !== undefined && (list[this.arrived]?.atNs ?? 0) > charts.nextNs) charts.sample((ns) => this.runTo(ns))
      else this.servers.giveNext()
    }
    charts?.toEnd((ns) => {
      this.runTo(ns)
      return true
    })
    this.runTo(endNs)
    return true
  }

  /** The current state of a level, on the server of a request; `undefined` if there is none with this name. */
  levelNamed(index: number, name: string): LevelNow | undefined {
    const arrival = this.arrivals.list[index]
    const run = arrival && this.servers.serverOf(arrival)
    const level = run?.engine.levels().find(({ plan }) => plan.name === name)
    if (level === undefined) return undefined
    const { current, queueSet } = level
    return { current, seatsInUse: queueSet.seatsInUse, waiting: queueSet.waitingCount }
  }

  /** Ends the replay. */
  result(): VariantResult {
    const { fromNs, endNs } = this.arrivals
    const cells = this.measures.flatMap((measure) => measure.end())
    const histories = this.servers.engines.map((engine) => ({
      adjustments: engine.adjustments(),
      fromNs,
      untilNs: endNs,
    }))
    const series = this.charts?.series()
    const measured = resultOf(this.variant.name, cells, histories, nsToSeconds(endNs - fromNs))
    const result = { ...measured, ...this.observed?.() }
    return series === undefined ? result : { ...result, series }
  }

  private place(index: number, ticket: Ticket<Call<Sent>> | undefined): void {
    if (ticket === undefined) return this.decisions.place(index, '', { level: '', schema: '', seats: 0 })
    if (isWithoutLevels(this.variant)) {
      const pool = poolOf(ticket)
      return this.decisions.place(index, pool, { level: pool, schema: '', seats: 1 })
    }
    const { lane, maxSeats: seats } = ticket
    this.decisions.place(index, lane, { level: lane.level.plan.name, schema: lane.schema, seats })
  }
}

/** State of a priority level at one instant. */
export interface LevelNow {
  readonly current: number
  readonly seatsInUse: number
  readonly waiting: number
}
