import type { Call } from '../simulate/server.ts'
import { nsToSeconds } from '../units.ts'
import { Measure } from '../whatif/measure.ts'
import { resultOf, type VariantResult } from '../whatif/results.ts'
import { check, type Checked, type Counts } from './check.ts'
import { playbackOf } from './playback.ts'
import type { Verdict } from '../contract/scenario.ts'
import type { Scenario, ScenarioVariant } from './scenario.ts'
import { trafficOf } from './traffic.ts'

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

/** Runs every variant with the same seed. `undefined` when `mayGoOn`, asked now and then with the part that is done, ended it. */
export function runScenario(
  scenario: Scenario,
  {
    seed = scenario.seed,
    mayGoOn,
  }: { readonly seed?: number | undefined; readonly mayGoOn?: (part: number) => boolean } = {},
): ScenarioOutcome | undefined {
  const runs: ScenarioRun[] = []
  for (const [index, variant] of scenario.variants.entries()) {
    const goOn = mayGoOn && ((part: number) => mayGoOn((index + part) / scenario.variants.length))
    const ran = runVariant({ ...scenario, seed }, variant, goOn)
    if (ran === undefined) return undefined
    runs.push(judged(scenario, variant, ran))
  }
  const { name, title, teaches, seconds, statisticsFrom } = scenario
  const passed = runs.every((run) => run.passed)
  return { name, title, teaches, seed, seconds, statisticsFrom, runs, passed }
}

function judged(
  scenario: Scenario,
  { name, verdict: expected }: ScenarioVariant,
  { result, counts }: Ran,
): ScenarioRun {
  const mine = ({ variants }: { readonly variants?: readonly string[] }): boolean => variants?.includes(name) ?? true
  const criteria = scenario.criteria.filter(mine).map((one) => check(one, result, counts))
  const assertions = scenario.assertions.filter(mine).map((one) => check(one, result, counts))
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

/** What one variant comes to. */
interface Ran {
  readonly result: VariantResult
  readonly counts: Counts
}

/** One variant by itself. `undefined` when `mayGoOn` ended it. */
export function runVariant(
  scenario: Scenario,
  variant: ScenarioVariant,
  mayGoOn?: (part: number) => boolean,
): Ran | undefined {
  const { fromNs, untilNs } = trafficOf(scenario)
  const playback = playbackOf(scenario, variant, () => measure.lose())
  const { simulation, engine } = playback
  const clientOf = (call: Call): string => simulation.groupOf(call)
  const executionNsOf = (call: Call): number => call.executionNs
  const measure: Measure<Call> = new Measure(engine, { clientOf, executionNsOf, fromNs, untilNs })
  if (!playback.runTo(untilNs, mayGoOn && (() => mayGoOn(playback.nowNs / untilNs)))) return undefined
  const history = { adjustments: playback.adjustments(), fromNs, untilNs }
  const result = resultOf(variant.name, measure.end(), [history], nsToSeconds(untilNs - fromNs))
  return { result, counts: playback.counts() }
}
