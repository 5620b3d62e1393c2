import type { ServerCall } from '../simulate/server.ts'
import { nsToSeconds } from '../units.ts'
import { Measure } from '../whatif/measure.ts'
import { resultOf, type VariantResult } from '../whatif/results.ts'
import { check, type Checked, type Counts } from './check.ts'
import { playbackOf } from './playback.ts'
import type { Verdict } from '../contract/scenario.ts'
import type { AnyScenario } from './read.ts'
import { runStoreVariant } from './runStore.ts'
import type { Scenario, ScenarioVariant } from './scenario.ts'
import type { StoreVariant } from './store.ts'
import { trafficOf } from './traffic.ts'

/** Result of one variant of a scenario. */
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
  /** The kind of server that the clients use. */
  readonly of: AnyScenario['of']
  readonly runs: readonly ScenarioRun[]
  readonly passed: boolean
}

interface RunOptions {
  readonly seed?: number | undefined
  readonly mayGoOn?: (part: number) => boolean
}

/** Runs every variant with the same seed. `undefined` when `mayGoOn`, called with the completed part, ended it. */
export function runAnyScenario(any: AnyScenario, options: RunOptions = {}): ScenarioOutcome | undefined {
  const seed = options.seed ?? any.scenario.seed
  const runs =
    any.of === 'server'
      ? judgedRuns(any.scenario, options, (variant: ScenarioVariant, goOn) =>
          runVariant({ ...any.scenario, seed }, variant, goOn),
        )
      : judgedRuns(any.scenario, options, (variant: StoreVariant, goOn) => {
          const result = runStoreVariant({ ...any.scenario, seed }, variant, goOn)
          return result && { result }
        })
  if (runs === undefined) return undefined
  const { name, title, teaches, seconds, statisticsFrom } = any.scenario
  const passed = runs.every((run) => run.passed)
  return { of: any.of, name, title, teaches, seed, seconds, statisticsFrom, runs, passed }
}

interface Judgeable<V> extends Pick<Scenario, 'criteria' | 'assertions'> {
  readonly variants: readonly V[]
}

function judgedRuns<V extends Pick<ScenarioVariant, 'name' | 'verdict'>>(
  scenario: Judgeable<V>,
  { mayGoOn }: RunOptions,
  run: (variant: V, goOn: ((part: number) => boolean) | undefined) => Ran | undefined,
): readonly ScenarioRun[] | undefined {
  const runs: ScenarioRun[] = []
  for (const [index, variant] of scenario.variants.entries()) {
    const goOn = mayGoOn && ((part: number) => mayGoOn((index + part) / scenario.variants.length))
    const ran = run(variant, goOn)
    if (ran === undefined) return undefined
    runs.push(judged(scenario, variant, ran))
  }
  return runs
}

function judged(
  scenario: Pick<Scenario, 'criteria' | 'assertions'>,
  { name, verdict: expected }: Pick<ScenarioVariant, 'name' | 'verdict'>,
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

/** Result of one variant. */
interface Ran {
  readonly result: VariantResult
  readonly counts?: Counts
}

/** Runs one variant by itself. `undefined` when `mayGoOn` ended it. */
export function runVariant(
  scenario: Scenario,
  variant: ScenarioVariant,
  mayGoOn?: (part: number) => boolean,
): Ran | undefined {
  const { fromNs, untilNs } = trafficOf(scenario)
  const playback = playbackOf(scenario, variant, () => measure.lose())
  const { simulation, engine } = playback
  const clientOf = ({ owner }: ServerCall): string => simulation.groupOf(owner)
  const executionNsOf = ({ owner }: ServerCall): number => owner.executionNs
  const measure: Measure<ServerCall> = new Measure(engine, { clientOf, executionNsOf, fromNs, untilNs })
  if (!playback.runTo(untilNs, mayGoOn && (() => mayGoOn(playback.nowNs / untilNs)))) return undefined
  const history = { adjustments: playback.adjustments(), fromNs, untilNs }
  const result = resultOf(variant.name, measure.end(), [history], nsToSeconds(untilNs - fromNs))
  return { result, counts: playback.counts() }
}
