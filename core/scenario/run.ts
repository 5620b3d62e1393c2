import { withEdit } from '../impact/applyManifests.ts'
import { constant } from '../simulate/random.ts'
import type { Call } from '../simulate/server.ts'
import type { Simulation } from '../simulate/simulation.ts'
import type { Workload } from '../simulate/workload.ts'
import { nsToSeconds, secondsToNs } from '../units.ts'
import { Measure } from '../whatif/measure.ts'
import { resultOf, type VariantResult } from '../whatif/results.ts'
import { simulationOf, type SimulatedTraffic } from '../whatif/simulated.ts'
import type { Variant } from '../whatif/variant.ts'
import { check, type Checked } from './check.ts'
import type { Scenario, ScenarioVariant, Verdict } from './scenario.ts'

/** What one variant made of a scenario. */
export interface ScenarioRun {
  readonly result: VariantResult
  /** Whether all criteria hold; absent without criteria. */
  readonly verdict?: Verdict
  readonly expected?: Verdict
  readonly criteria: readonly Checked[]
  readonly assertions: readonly Checked[]
  /** All assertions hold, and the verdict is the expected one. */
  readonly passed: boolean
}

export interface ScenarioOutcome extends Pick<
  Scenario,
  'name' | 'title' | 'teaches' | 'seed' | 'seconds' | 'statisticsFrom'
> {
  readonly runs: readonly ScenarioRun[]
  readonly passed: boolean
}

/** Runs every variant with the same seed. `undefined` when `mayGoOn`, asked now and then, ended it. */
export function runScenario(
  scenario: Scenario,
  { seed = scenario.seed, mayGoOn }: { readonly seed?: number | undefined; readonly mayGoOn?: () => boolean } = {},
): ScenarioOutcome | undefined {
  const runs: ScenarioRun[] = []
  for (const variant of scenario.variants) {
    const result = runVariant({ ...scenario, seed }, variant, mayGoOn)
    if (result === undefined) return undefined
    runs.push(judged(scenario, variant, result))
  }
  const { name, title, teaches, seconds, statisticsFrom } = scenario
  const passed = runs.every((run) => run.passed)
  return { name, title, teaches, seed, seconds, statisticsFrom, runs, passed }
}

function judged(scenario: Scenario, { name, verdict: expected }: ScenarioVariant, result: VariantResult): ScenarioRun {
  const mine = ({ variants }: { readonly variants?: readonly string[] }): boolean => variants?.includes(name) ?? true
  const criteria = scenario.criteria.filter(mine).map((one) => check(one, result))
  const assertions = scenario.assertions.filter(mine).map((one) => check(one, result))
  const prevented = criteria.every(({ holds }) => holds)
  const verdict = criteria.length === 0 ? undefined : prevented ? 'prevented' : 'not prevented'
  return {
    result,
    ...(verdict !== undefined && { verdict }),
    ...(expected !== undefined && { expected }),
    criteria,
    assertions,
    passed: assertions.every(({ holds }) => holds) && (expected === undefined || expected === verdict),
  }
}

function runVariant(scenario: Scenario, variant: ScenarioVariant, mayGoOn?: () => boolean): VariantResult | undefined {
  const traffic = trafficOf(scenario)
  const { fromNs, untilNs } = traffic
  const simulation = simulationOf(traffic, serverOf(variant))
  const clientOf = (call: Call): string => simulation.groupOf(call)
  const executionNsOf = (call: Call): number => call.executionNs
  const measure = new Measure(simulation.engine, { clientOf, executionNsOf, fromNs, untilNs })
  let { objects } = variant
  for (const { at, configuration, executionFactor, pause } of scenario.phases.toSorted((a, b) => a.at - b.at)) {
    if (!simulation.runTo(secondsToNs(at), mayGoOn)) return undefined
    if (configuration !== undefined) simulation.configure((objects = withEdit(objects, configuration)))
    if (executionFactor !== undefined) simulation.slow(executionFactor)
    if (pause !== undefined) pauseClients(simulation, pause)
  }
  if (!simulation.runTo(untilNs, mayGoOn)) return undefined
  const history = { adjustments: simulation.engine.adjustments(), fromNs, untilNs }
  return resultOf(variant.name, measure.end(), [history], nsToSeconds(untilNs - fromNs))
}

const pauseClients = (
  simulation: Simulation,
  { clients, seconds }: { readonly clients: string; readonly seconds: number },
): void => simulation.pause(clients, simulation.nowNs + secondsToNs(seconds))

/** The clients of a scenario; how long handlers take does not depend on the load. */
export function trafficOf({ clients, stored, seed, seconds, statisticsFrom }: Scenario): SimulatedTraffic {
  const workload: Workload = {
    namespaces: 1,
    objects: stored,
    // Every call says how long it takes.
    service: { byVerb: {}, otherwise: constant(0), bytesPerSecond: 1, capacity: [] },
    groups: clients,
  }
  return { workload, seed, startUnixMs: 0, fromNs: secondsToNs(statisticsFrom), untilNs: secondsToNs(seconds) }
}

export const serverOf = (variant: ScenarioVariant): Variant => ({ ...variant, servers: 1, executionFactor: 1 })
