import type { ServerCall } from '../simulate/server.ts'
import { nsToSeconds, secondsToNs } from '../units.ts'
import { Measure } from '../whatif/measure.ts'
import { observeRun } from '../whatif/observe.ts'
import { resultOf, type VariantResult } from '../whatif/results.ts'
import { check, type Checked, type Counts } from './check.ts'
import { playbackOf } from './playback.ts'
import type { RunCourse, Verdict } from '../contract/scenario.ts'
import type { FirstDifference } from '../contract/whatif.ts'
import { CourseCounts } from './course.ts'
import { DecisionLog } from './firstDifference.ts'
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
  readonly course?: RunCourse
  readonly first?: FirstDifference
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
  /** Each run contains its course, and where it first differs from the first variant with levels. */
  readonly charted?: boolean
}

/** Runs every variant with the same seed. `undefined` when `mayGoOn`, called with the completed part, ended it. */
export function runAnyScenario(given: AnyScenario, options: RunOptions = {}): ScenarioOutcome | undefined {
  const seed = options.seed ?? given.scenario.seed
  const { charted = false } = options
  let first: DecisionLog | undefined
  const runs =
    given.of === 'server'
      ? judgedRuns(given.scenario, options, (variant: ScenarioVariant, goOn) => {
          if (!charted) return runVariant({ ...given.scenario, seed }, variant, goOn, { figures: true })
          const isStepped = variant.algorithm !== 'max-in-flight'
          const log = isStepped && first === undefined ? new DecisionLog(variant.name) : undefined
          const ran = runVariant({ ...given.scenario, seed }, variant, goOn, {
            figures: true,
            counts: new CourseCounts(secondsToNs(given.scenario.seconds)),
            ...(log !== undefined && { log }),
            ...(isStepped && first !== undefined && { first }),
          })
          first ??= log
          return ran
        })
      : judgedRuns(given.scenario, options, (variant: StoreVariant, goOn) => {
          const counts = charted ? new CourseCounts(secondsToNs(given.scenario.seconds)) : undefined
          const result = runStoreVariant({ ...given.scenario, seed }, variant, goOn, counts)
          return result && { result, ...(counts !== undefined && { course: counts.course() }) }
        })
  if (runs === undefined) return undefined
  const { name, title, teaches, seconds, statisticsFrom } = given.scenario
  const passed = runs.every((run) => run.passed)
  return { of: given.of, name, title, teaches, seed, seconds, statisticsFrom, runs, passed }
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
  { result, counts, ...more }: Ran,
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
    ...more,
  }
}

/** Result of one variant. */
interface Ran {
  readonly result: VariantResult
  readonly counts?: Counts
  readonly course?: RunCourse
  readonly first?: FirstDifference
}

/** What is recorded of a run beside its result. */
interface Recorded {
  /** Its result has fairness, and what CoDel had to decide by. */
  readonly figures: boolean
  readonly counts?: CourseCounts
  /** Takes the decisions of this run. */
  readonly log?: DecisionLog
  /** Those of the run with which this one is compared. */
  readonly first?: DecisionLog
}

/** Runs one variant by itself. `undefined` when `mayGoOn` ended it. */
export function runVariant(
  scenario: Scenario,
  variant: ScenarioVariant,
  mayGoOn?: (part: number) => boolean,
  recorded?: Recorded,
): Ran | undefined {
  const { fromNs, untilNs } = trafficOf(scenario)
  const playback = playbackOf(scenario, variant, () => measure.lose())
  const { simulation, engine } = playback
  const clientOf = ({ owner }: ServerCall): string => simulation.groupOf(owner)
  const executionNsOf = ({ owner }: ServerCall): number => owner.executionNs
  const measure: Measure<ServerCall> = new Measure(engine, {
    clientOf,
    executionNsOf,
    fromNs,
    untilNs,
    course: recorded?.counts,
  })
  const counted = { clientOf, workOf: executionNsOf, fromNs, untilNs }
  const observed = recorded?.figures === true ? observeRun([engine], variant, counted) : undefined
  recorded?.log?.record(engine)
  const difference = recorded?.first?.compare(variant.name, engine)
  if (!playback.runTo(untilNs, mayGoOn && (() => mayGoOn(playback.nowNs / untilNs)))) return undefined
  const history = { adjustments: playback.adjustments(), fromNs, untilNs }
  const measured = resultOf(variant.name, measure.end(), [history], nsToSeconds(untilNs - fromNs))
  const result = { ...measured, ...observed?.() }
  const first = difference?.()
  return {
    result,
    counts: playback.counts(),
    ...(recorded?.counts !== undefined && { course: recorded.counts.course() }),
    ...(first !== undefined && { first }),
  }
}
