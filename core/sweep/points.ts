import { checkObject } from '../config/checkObject.ts'
import { manifestOf } from '../config/content.ts'
import { measuredIn } from '../scenario/check.ts'
import { MOST_REQUESTS, mostRequestsOf } from '../scenario/checkScenario.ts'
import { runVariant } from '../scenario/run.ts'
import { namedState, randomOf } from '../simulate/random.ts'
import { Replay } from '../whatif/replay.ts'
import { simulatedResult } from '../whatif/simulated.ts'
import type { VariantResult } from '../whatif/results.ts'
import { withSetting } from './fields.ts'
import type { PointResult } from '../contract/sweep.ts'
import type { Setting, SweepBase, SweepPlan } from './sweep.ts'

/** Number of points of a sweep. They are numbered from 0. */
export function pointCount({ parameters, search }: SweepPlan): number {
  if (search.kind === 'random') return search.count
  return parameters.reduce((product, { values }) => product * values.length, 1)
}

/** The value of each parameter at a point: the same on every machine, in whatever order points are computed. */
export function pointAt({ parameters, search }: SweepPlan, point: number): readonly number[] {
  if (search.kind === 'random') {
    const random = randomOf(namedState(search.seed, `point ${point}`))
    return parameters.map(({ values }) => values[Math.floor(random() * values.length)] ?? 0)
  }
  let rest = point
  return parameters
    .toReversed()
    .map(({ values }) => {
      const value = values[rest % values.length] ?? 0
      rest = Math.floor(rest / values.length)
      return value
    })
    .toReversed()
}

/** The points of shard `shard` of `shards`, both counted from 0: ranges whose lengths differ by at most one. */
export function pointsOfShard(plan: SweepPlan, shard: number, shards: number): readonly number[] {
  const count = pointCount(plan)
  const from = Math.floor((shard * count) / shards)
  return Array.from({ length: Math.floor(((shard + 1) * count) / shards) - from }, (_, index) => from + index)
}

/** The base with these values, or a sentence with the reason why they are invalid. */
export function withValues(
  base: SweepBase,
  settings: readonly Setting[],
  values: readonly number[],
): SweepBase | string {
  let changed = base
  for (const [index, setting] of settings.entries()) {
    const next = withSetting(changed, setting, values[index] ?? 0)
    if (typeof next === 'string') return `${next}.`
    changed = next
  }
  return problemOf(changed, settings) ?? changed
}

function problemOf(base: SweepBase, settings: readonly Setting[]): string | undefined {
  const { objects, version } = base.variant
  const changed = new Set(settings.flatMap(({ of }) => (of?.kind === 'level' ? [of.name] : [])))
  for (const level of objects.levels) {
    if (!changed.has(level.metadata.name)) continue
    const { findings } = checkObject(manifestOf('PriorityLevelConfiguration', level), version)
    const error = findings.find(({ severity }) => severity === 'error')
    if (error !== undefined) return `${level.metadata.name}: ${error.message}`
  }
  if (base.kind !== 'scenario') return undefined
  return mostRequestsOf(base.scenario) > MOST_REQUESTS
    ? `The clients may send more than ${MOST_REQUESTS} requests.`
    : undefined
}

/** Runs the base on a server. `undefined` when `mayGoOn`, called now and then, ended it. */
export function runBase(base: SweepBase, mayGoOn?: () => boolean): VariantResult | undefined {
  if (base.kind === 'scenario') return runVariant(base.scenario, base.variant, mayGoOn)?.result
  if (base.kind === 'clients') return simulatedResult(base.traffic, base.variant, mayGoOn)
  const replay = new Replay(base.variant, base.arrivals)
  return replay.runToEnd(mayGoOn) ? replay.result() : undefined
}

/** Runs one point. `undefined` when `mayGoOn`, called now and then, ended it. */
export function runPoint(
  base: SweepBase,
  plan: Pick<SweepPlan, 'parameters' | 'results'>,
  { point, values }: Pick<PointResult, 'point' | 'values'>,
  mayGoOn?: () => boolean,
): PointResult | undefined {
  const changed = withValues(base, plan.parameters, values)
  if (typeof changed === 'string') return { point, values, problem: changed }
  const result = runBase(changed, mayGoOn)
  return result && { point, values, results: plan.results.map((measured) => measuredIn(result, measured)) }
}
