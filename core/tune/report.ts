import { plain } from '../text/format.ts'
import type {
  GoalEvidence,
  LevelEvidence,
  LevelNumbers,
  SettingChange,
  TuneAnswer,
  TuneProposal,
} from '../contract/tune.ts'
import type { GuardFinding } from '../guard/finding.ts'
import { changesBetween } from '../guard/changes.ts'
import type { DraftChange } from '../manifest/export.ts'
import { writeManifest } from '../manifest/write.ts'
import { assertionText, check } from '../scenario/check.ts'
import { type Assertion, MEASURES } from '../scenario/scenario.ts'
import { withSeed } from '../sweep/fields.ts'
import { runBase } from '../sweep/points.ts'
import { settingName, type SweepBase } from '../sweep/sweep.ts'
import { rejectedOf, type VariantResult } from '../whatif/results.ts'
import { crossedBy, guardRailText, isNoRise, largestRise, rises } from './guardRail.ts'
import { findingsOf, withChoice } from './judge.ts'
import { missedBy } from './missed.ts'
import { better, type Choice, type GuardRail, isMet, type Judged, type TunePlan } from './tune.ts'

/** A choice as an edit, with its effects. */
export interface Proposal {
  readonly changes: readonly SettingChange[]
  readonly objects: readonly DraftChange[]
  readonly goals: readonly GoalEvidence[]
  readonly guardRails: readonly GoalEvidence[]
  readonly levels: readonly LevelEvidence[]
  /** What gets worse, one sentence each. */
  readonly costs: readonly string[]
  /** Findings of the Editor's guard rails about it. */
  readonly findings: readonly GuardFinding[]
  /** Seeds with which all goals and guard rails hold, and with which they do not; recorded requests have none. */
  readonly seeds: { readonly met: readonly number[]; readonly missed: readonly number[] }
  readonly met: boolean
}

export interface TuneReport {
  readonly name: string
  /**
   * The best edit found: of those that meet everything, the one with the most seeds; without changes if no edit was
   * better than the present objects.
   */
  readonly answer: Proposal
  /** The best edit that changes other settings. */
  readonly runnerUp?: Proposal
  /** Edits that were run. */
  readonly evaluations: number
}

/** Additional seeds with which an answer is checked: this one and those that follow. */
const SECOND_SEED = 101
/** Choices that meet everything with the base's seed and are run with the others: of the best and of other settings. */
const MOST_LIKE_BEST = 3
const MOST_OTHERS = 3

const settingsOf = (choice: Choice): string => choice.map((value) => (value === undefined ? '' : 'x')).join(' ')

/**
 * The best choices of all islands, best first: those that may hold with the most seeds, and those that change other
 * settings if they are better than no change.
 */
export function bestOf(islands: readonly (readonly Judged[])[]): readonly Choice[] {
  const all = islands.flat().toSorted((a, b) => better(a.score, b.score))
  const [first] = all
  if (first === undefined) return []
  const settings = settingsOf(first.choice)
  const unchanged = all.find(({ score }) => score.change === 0)
  const met = isMet(first.score)
  const likeBest = all.filter(({ choice, score }) => settingsOf(choice) === settings && isMet(score))
  const others = all.filter(
    ({ choice, score }) =>
      settingsOf(choice) !== settings &&
      (isMet(score) || !met) &&
      (met || unchanged === undefined || better(score, unchanged.score) < 0),
  )
  const checked = new Map<string, Judged>()
  for (const one of [first, ...likeBest.slice(0, MOST_LIKE_BEST), ...others.slice(0, met ? MOST_OTHERS : 1)])
    checked.set(one.choice.join(' '), one)
  return [...checked.values()].toSorted((a, b) => better(a.score, b.score)).map(({ choice }) => choice)
}

/**
 * The evidence for choices, best first. Of those that meet everything, one with more seeds comes before one that
 * changes less. `undefined` when `mayGoOn`, called before every run with the completed part, ended it.
 */
export function tuneReport(
  plan: TunePlan,
  base: SweepBase,
  { choices, evaluations }: { readonly choices: readonly Choice[]; readonly evaluations: number },
  mayGoOn: (part: number) => boolean = () => true,
): TuneReport | undefined {
  const tried = choices.length === 0 ? [plan.knobs.map(() => undefined)] : choices
  const seeded = base.kind === 'requests' ? [] : otherSeeds(base, plan.seeds)
  const runs = (1 + seeded.length) * (1 + tried.length)
  let done = 0
  const run = (one: SweepBase | undefined): VariantResult | undefined =>
    one === undefined || !mayGoOn(done++ / runs) ? undefined : runBase(one)
  const before = run(base)
  const others: { readonly seed: number; readonly was: VariantResult }[] = []
  for (const seed of seeded) {
    const was = run(withSeed(base, seed))
    if (was === undefined) return undefined
    others.push({ seed, was })
  }
  const proposals: { readonly choice: Choice; readonly proposal: Proposal }[] = []
  for (const choice of tried) {
    const after = withChoice(base, plan.knobs, choice)
    if (before === undefined || typeof after === 'string') return undefined
    const result = run(after)
    if (result === undefined) return undefined
    const outcomes = base.kind === 'requests' ? [] : [{ seed: seedOf(base), met: holds(plan, before, result) }]
    for (const { seed, was } of others) {
      const is = run(withSeed(after, seed))
      if (is === undefined) return undefined
      outcomes.push({ seed, met: holds(plan, was, is) })
    }
    const seedsThat = (met: boolean): readonly number[] =>
      outcomes.filter((one) => one.met === met).map(({ seed }) => seed)
    const seeds = { met: seedsThat(true), missed: seedsThat(false) }
    proposals.push({ choice, proposal: proposalOf(plan, choice, { base, after, before, result }, seeds) })
  }
  // The sort is stable: choices that hold with the same number of seeds keep their order.
  const ranked = proposals.toSorted(
    ({ proposal: a }, { proposal: b }) =>
      Number(b.met) - Number(a.met) || (a.met ? b.seeds.met.length - a.seeds.met.length : 0),
  )
  const [first] = ranked
  if (first === undefined) return undefined
  const second = ranked.find(
    ({ choice, proposal }) => settingsOf(choice) !== settingsOf(first.choice) && proposal.changes.length > 0,
  )
  const { proposal: answer } = first
  const runnerUp = answer.changes.length === 0 ? undefined : second?.proposal
  return { name: plan.name, answer, ...(runnerUp && { runnerUp }), evaluations }
}

type Seeded = Exclude<SweepBase, { readonly kind: 'requests' }>
const seedOf = (base: Seeded): number => (base.kind === 'scenario' ? base.scenario.seed : base.traffic.seed)

const otherSeeds = (base: Seeded, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => SECOND_SEED + index)
    .filter((seed) => seed !== seedOf(base))
    .slice(0, count - 1)

interface Compared {
  readonly base: SweepBase
  readonly after: SweepBase
  readonly before: VariantResult
  readonly result: VariantResult
}

const holds = (plan: TunePlan, before: VariantResult, after: VariantResult): boolean =>
  plan.goals.every((goal) => missedBy(goal, after) === 0) &&
  plan.guardRails.every((rail) => crossedBy(rail, before, after) === 0)

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
    guardRails: plan.guardRails.map((rail) => railEvidence(rail, before, result)),
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

function railEvidence(rail: GuardRail, before: VariantResult, after: VariantResult): GoalEvidence {
  if (!isNoRise(rail)) return evidenceOf(rail, before, after)
  const [was, is] = largestRise(rail, before, after)
  return {
    goal: guardRailText(rail),
    unit: MEASURES[rail.measure],
    before: was,
    after: is,
    metBefore: true,
    metAfter: crossedBy(rail, before, after) === 0,
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

/** A level that serves this much less is reported. */
const SERVED_FACTOR = 0.98

function costsOf({ level, before, after }: LevelEvidence): readonly string[] {
  return [
    ...(rises('ms', before.waitP99, after.waitP99)
      ? [`Requests in ${level} wait longer: p99 ${plain.ms(before.waitP99)} → ${plain.ms(after.waitP99)}.`]
      : []),
    ...(rises('%', before.rejectedPercent, after.rejectedPercent)
      ? [
          `Requests in ${level} are rejected more often: ${plain.percent(before.rejectedPercent / 100, 1)} → ${plain.percent(after.rejectedPercent / 100, 1)}.`,
        ]
      : []),
    ...(after.served < before.served * SERVED_FACTOR
      ? [`${level} serves fewer requests: ${before.served} → ${after.served}.`]
      : []),
  ]
}

/** The same in the form of the contract: manifests as text, findings as sentences. */
export const tuneAnswer = ({ answer, runnerUp, evaluations }: TuneReport, notes: readonly string[]): TuneAnswer => ({
  answer: shownProposal(answer),
  ...(runnerUp && { runnerUp: shownProposal(runnerUp) }),
  evaluations,
  notes,
})

function shownProposal({ objects, findings, ...proposal }: Proposal): TuneProposal {
  return {
    ...proposal,
    // An edit of levels does not delete any.
    objects: objects.flatMap(({ kind, name, to }) =>
      to === null ? [] : [{ kind, name, text: writeManifest(kind, to) }],
    ),
    findings: findings.map(({ message }) => message),
  }
}
