import type { GuardFinding } from '../guard/finding.ts'
import { changesBetween } from '../guard/changes.ts'
import type { DraftChange } from '../manifest/export.ts'
import { assertionText, check } from '../scenario/check.ts'
import { type Assertion, MEASURES } from '../scenario/scenario.ts'
import { withSeed } from '../sweep/fields.ts'
import { runBase } from '../sweep/points.ts'
import { settingName, type SweepBase } from '../sweep/sweep.ts'
import { rejectedOf, type VariantResult } from '../whatif/results.ts'
import { findingsOf, missedBy, withChoice } from './judge.ts'
import { better, type Choice, isMet, type Judged, type TunePlan } from './tune.ts'

/** A goal or guard rail with what was measured before and after the edit. */
export interface GoalEvidence {
  /** `wait p99 of level workload-high ≤ 1000 ms`. */
  readonly goal: string
  readonly unit: string
  readonly before: number
  readonly after: number
  readonly metBefore: boolean
  readonly metAfter: boolean
}

/** One level before and after. Waits in milliseconds, 0 where nothing was dispatched. */
export interface LevelEvidence {
  readonly level: string
  readonly before: LevelNumbers
  readonly after: LevelNumbers
}

export interface LevelNumbers {
  readonly offered: number
  readonly served: number
  readonly rejectedPercent: number
  readonly waitP99: number
  readonly seats: number
  /** Mean; absent where nothing limits the level. */
  readonly limit?: number
}

export interface SettingChange {
  readonly setting: string
  /** Absent where the object has no such field. */
  readonly from?: number
  readonly to: number
}

/** A choice as an edit, with what it does. */
export interface Proposal {
  readonly changes: readonly SettingChange[]
  readonly objects: readonly DraftChange[]
  readonly goals: readonly GoalEvidence[]
  readonly guardRails: readonly GoalEvidence[]
  readonly levels: readonly LevelEvidence[]
  /** What gets worse, a sentence each. */
  readonly costs: readonly string[]
  /** Of the guard rails of the Editor, what does not pass. */
  readonly findings: readonly GuardFinding[]
  /** Seeds with which everything holds, and with which it does not; recorded requests have none. */
  readonly seeds: { readonly met: readonly number[]; readonly missed: readonly number[] }
  readonly met: boolean
}

export interface TuneReport {
  readonly name: string
  /** The best edit that was found; without changes where nothing better was found than the present objects. */
  readonly answer: Proposal
  /** The best edit that changes other settings. */
  readonly runnerUp?: Proposal
  /** Edits that were run. */
  readonly evaluations: number
}

/** Seeds besides that of the base with which an answer is checked. */
const MORE_SEEDS = [101, 102] as const

/** The best choice of all islands, and the best that changes other settings, if that is better than no change. */
export function bestOf(islands: readonly (readonly Judged[])[]): readonly Choice[] {
  const all = islands.flat().toSorted((a, b) => better(a.score, b.score))
  const [first] = all
  if (first === undefined) return []
  const settings = ({ choice }: Judged): string => choice.map((value) => (value === undefined ? '' : 'x')).join(' ')
  const unchanged = all.find(({ score }) => score.change === 0)
  const second = all.find(
    (one) =>
      settings(one) !== settings(first) &&
      (isMet(one.score) || !isMet(first.score)) &&
      (unchanged === undefined || better(one.score, unchanged.score) < 0),
  )
  return second === undefined ? [first.choice] : [first.choice, second.choice]
}

/** The evidence for choices, the best first. `undefined` when `mayGoOn`, asked before every run, ended it. */
export function tuneReport(
  plan: TunePlan,
  base: SweepBase,
  { choices, evaluations }: { readonly choices: readonly Choice[]; readonly evaluations: number },
  mayGoOn: () => boolean = () => true,
): TuneReport | undefined {
  const proposals: Proposal[] = []
  const before = runBase(base, mayGoOn)
  for (const choice of choices.length === 0 ? [plan.knobs.map(() => undefined)] : choices) {
    const after = withChoice(base, plan.knobs, choice)
    if (before === undefined || typeof after === 'string') return undefined
    const result = runBase(after, mayGoOn)
    if (result === undefined) return undefined
    const seeds = seedsOf(plan, { base, after, before, result }, mayGoOn)
    if (seeds === undefined) return undefined
    proposals.push(proposalOf(plan, choice, { base, after, before, result }, seeds))
  }
  const [answer, runnerUp] = proposals
  return answer && { name: plan.name, answer, ...(runnerUp && { runnerUp }), evaluations }
}

interface Compared {
  readonly base: SweepBase
  readonly after: SweepBase
  readonly before: VariantResult
  readonly result: VariantResult
}

const holds = (plan: TunePlan, before: VariantResult, after: VariantResult): boolean =>
  plan.goals.every((goal) => missedBy(goal, after) === 0) &&
  plan.guardRails.every((rail) => missedBy(rail, after) <= missedBy(rail, before))

function seedsOf(
  plan: TunePlan,
  { base, after, before, result }: Compared,
  mayGoOn: () => boolean,
): Proposal['seeds'] | undefined {
  if (base.kind === 'requests') return { met: [], missed: [] }
  const { seed: first } = base.kind === 'scenario' ? base.scenario : base.traffic
  const outcomes = [{ seed: first, met: holds(plan, before, result) }]
  for (const seed of MORE_SEEDS) {
    const [old, edited] = [withSeed(base, seed), withSeed(after, seed)]
    const was = old && runBase(old, mayGoOn)
    const is = edited && runBase(edited, mayGoOn)
    if (was === undefined || is === undefined) return undefined
    outcomes.push({ seed, met: holds(plan, was, is) })
  }
  const seedsThat = (met: boolean): readonly number[] =>
    outcomes.filter((one) => one.met === met).map(({ seed }) => seed)
  return { met: seedsThat(true), missed: seedsThat(false) }
}

function proposalOf(plan: TunePlan, choice: Choice, compared: Compared, seeds: Proposal['seeds']): Proposal {
  const { base, after, before, result } = compared
  const changes = plan.knobs.flatMap((knob, index): SettingChange[] => {
    const to = choice[index]
    if (to === undefined) return []
    return [{ setting: settingName(knob), ...(knob.present !== undefined && { from: knob.present }), to }]
  })
  const levels = levelsOf(before, result)
  return {
    changes,
    objects: changesBetween(base.variant.objects, after.variant.objects).map(({ kind, name, from, to }) => ({
      kind,
      name,
      from,
      to,
    })),
    goals: plan.goals.map((goal) => evidenceOf(goal, before, result)),
    guardRails: plan.guardRails.map((rail) => evidenceOf(rail, before, result)),
    levels,
    costs: levels.flatMap(costsOf),
    findings: findingsOf(base, after).filter(({ severity }) => severity === 'blocks' || severity === 'warns'),
    seeds,
    met: holds(plan, before, result),
  }
}

function evidenceOf(assertion: Assertion, before: VariantResult, after: VariantResult): GoalEvidence {
  return {
    goal: assertionText(assertion),
    unit: MEASURES[assertion.measure],
    before: check(assertion, before).value,
    after: check(assertion, after).value,
    metBefore: missedBy(assertion, before) === 0,
    metAfter: missedBy(assertion, after) === 0,
  }
}

function levelsOf(before: VariantResult, after: VariantResult): readonly LevelEvidence[] {
  return before.levels.flatMap(({ level }): LevelEvidence[] => {
    const [was, is] = [numbersOf(before, level), numbersOf(after, level)]
    return was.offered + is.offered === 0 ? [] : [{ level, before: was, after: is }]
  })
}

const NO_NUMBERS: LevelNumbers = { offered: 0, served: 0, rejectedPercent: 0, waitP99: 0, seats: 0 }

function numbersOf({ levels }: VariantResult, name: string): LevelNumbers {
  const found = levels.find(({ level }) => level === name)
  if (found === undefined) return NO_NUMBERS
  const { offered, served, expired, waitMs, seats, limits } = found
  const rejected = rejectedOf(found)
  const ended = served + expired + rejected
  const rejectedPercent = ended === 0 ? 0 : (100 * rejected) / ended
  return { offered, served, rejectedPercent, waitP99: waitMs.p99, seats, ...(limits && { limit: limits.current }) }
}

/** Changes that are smaller are noise, or do not matter. */
const LEAST = { waitMs: 5, waitFactor: 1.1, percent: 0.1, servedFactor: 0.98 } as const

function costsOf({ level, before, after }: LevelEvidence): readonly string[] {
  const ms = (value: number): string => `${value.toFixed(0)} ms`
  const percent = (value: number): string => `${value.toFixed(1)} %`
  return [
    ...(after.waitP99 > before.waitP99 * LEAST.waitFactor && after.waitP99 - before.waitP99 > LEAST.waitMs
      ? [`${level} waits longer: p99 ${ms(before.waitP99)} → ${ms(after.waitP99)}.`]
      : []),
    ...(after.rejectedPercent - before.rejectedPercent > LEAST.percent
      ? [`${level} is rejected more often: ${percent(before.rejectedPercent)} → ${percent(after.rejectedPercent)}.`]
      : []),
    ...(after.served < before.served * LEAST.servedFactor
      ? [`${level} serves fewer requests: ${before.served} → ${after.served}.`]
      : []),
  ]
}
