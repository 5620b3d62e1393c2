import type { ServerFacts } from '../engine/facts.ts'
import type { ServerCall } from '../simulate/server.ts'
import { createSimulation, type Simulation } from '../simulate/simulation.ts'
import type { ClientGroup, Workload } from '../simulate/workload.ts'
import { type Nanoseconds, nsToSeconds, type Seats, type UnixMs } from '../units.ts'
import type { Arrival, Arrivals } from './arrivals.ts'
import { RunCharts } from './charts.ts'
import { Measure } from './measure.ts'
import { observeRun, type WhatIfOptions } from './observe.ts'
import { resultOf, type VariantResult } from './results.ts'
import { engineOptions, type Variant } from './variant.ts'

/** Clients of a simulated cluster, and the measured part of the run. */
export interface SimulatedTraffic {
  readonly workload: Workload
  readonly seed: number
  readonly startUnixMs: UnixMs
  readonly fromNs: Nanoseconds
  readonly untilNs: Nanoseconds
  /** Smoothed demand at the start, by level; zero if absent. */
  readonly smoothed?: ReadonlyMap<string, Seats>
}

/** Simulates the clients with one server of this variant. */
export function simulationOf(traffic: SimulatedTraffic, variant: Variant): Simulation {
  const { workload, seed, startUnixMs, untilNs, smoothed } = traffic
  const simulation = createSimulation({
    ...engineOptions(variant, startUnixMs, untilNs),
    seed,
    workload,
    configuration: variant.objects,
    executionFactor: variant.executionFactor,
  })
  if (smoothed !== undefined) simulation.remember(smoothed)
  return simulation
}

/**
 * The requests that the clients send to a server of this variant, as a list: retries and pauses in it follow from its
 * decisions. `undefined` when `mayGoOn`, called now and then with the completed part, ended it.
 */
export function simulatedArrivals(
  traffic: SimulatedTraffic,
  variant: Variant,
  mayGoOn: (part: number) => boolean = () => true,
): Arrivals | undefined {
  const { workload, startUnixMs, untilNs } = traffic
  // Each variant multiplies execution times by its own factor.
  const simulation = simulationOf(traffic, { ...variant, executionFactor: 1 })
  const list: Arrival[] = []
  simulation.engine.subscribe((event) => {
    if (event.kind !== 'arrived') return
    const { user, info, query, payload } = event.ticket.payload
    const { executionNs, watchNs } = payload.owner
    const request = { user, info, query }
    list.push({ atNs: simulation.nowNs, request, client: simulation.groupOf(payload.owner), executionNs, watchNs })
  })
  if (!simulation.runTo(untilNs, () => mayGoOn(simulation.nowNs / untilNs))) return undefined
  const facts: ServerFacts = {
    objects: new Map(workload.objects.map(({ key, count, averageSize }) => [key, { count, averageSize }])),
    watches: [],
  }
  const notes = [
    "The arrivals are those of the baseline: clients do not react to a candidate's decisions. Closed-loop clients do.",
    ...(workload.groups.some(needsOthers) ? [NEEDS_NOTE] : []),
  ]
  return { startUnixMs, fromNs: 0, endNs: untilNs, list, facts, capacity: workload.service.capacity, notes }
}

const NEEDS_NOTE = 'Handlers do not wait for the requests that they need: only closed-loop clients model that.'

const needsOthers = ({ behaviour }: ClientGroup): boolean =>
  behaviour.kind !== 'informer' && behaviour.calls.some(({ jobs }) => jobs?.needs !== undefined)

/** Runs the clients with one server of this variant, reacting to it. `undefined` when `mayGoOn` ended it, as above. */
export function simulatedResult(
  traffic: SimulatedTraffic,
  variant: Variant,
  mayGoOn: (part: number) => boolean = () => true,
  { charted = false, figures = false, windowSeconds }: WhatIfOptions = {},
): VariantResult | undefined {
  const { fromNs, untilNs, startUnixMs } = traffic
  const simulation = simulationOf(traffic, variant)
  const clientOf = ({ owner }: ServerCall): string => simulation.groupOf(owner)
  const executionNsOf = ({ owner }: ServerCall): number => owner.executionNs
  const measure = new Measure(simulation.engine, { clientOf, executionNsOf, fromNs, untilNs })
  const counted = { clientOf, workOf: executionNsOf, fromNs, untilNs, windowSeconds }
  const observed = figures ? observeRun([simulation.engine], variant, counted) : undefined
  const goOn = (): boolean => mayGoOn(simulation.nowNs / untilNs)
  const charts = charted ? new RunCharts([simulation.engine], variant, { startUnixMs, endNs: untilNs }) : undefined
  if (charts?.toEnd((ns) => simulation.runTo(ns, goOn)) === false) return undefined
  if (!simulation.runTo(untilNs, goOn)) return undefined
  const series = charts?.series()
  const history = { adjustments: simulation.engine.adjustments(), fromNs, untilNs }
  const measured = resultOf(variant.name, measure.end(), [history], nsToSeconds(untilNs - fromNs))
  const result = { ...measured, ...observed?.() }
  return series === undefined ? result : { ...result, series }
}
