import { namedState, type Random, randomOf } from '../simulate/random.ts'
import { runBase } from '../sweep/points.ts'
import type { SweepBase } from '../sweep/sweep.ts'
import { type Before, judge } from './judge.ts'
import { better, type Choice, isMet, type Judged, type TunePlan } from './tune.ts'

/** Independent searches that can run concurrently: the same number on every machine, so that the answer is the same. */
export const ISLANDS = 4
/** Size of an island's elite, from which later choices are made. */
const ELITE = 5
/** Consecutive choices that were already tried, or that a server would reject, after which an island is done. */
const MOST_REPEATS = 200

export interface Island {
  /** Best first. */
  readonly best: readonly Judged[]
  /** Choices that were run. */
  readonly runs: number
}

/**
 * One island of the search: starts with single changes of the levels that goals name, continues with random changes of
 * the best so far, and shrinks the choices that meet the goals. `undefined` when `mayGoOn`, called before every run
 * with the completed part, ended it.
 */
export function searchIsland(
  plan: TunePlan,
  base: SweepBase,
  island: number,
  mayGoOn: (part: number) => boolean = () => true,
): Island | undefined {
  const random = randomOf(namedState(plan.seed, `island ${island}`))
  const result = runBase(base)
  if (result === undefined) return undefined
  const before: Before = { base, result }
  const unchanged: Choice = plan.knobs.map(() => undefined)
  const first = judge(plan, before, unchanged)
  let best: readonly Judged[] = first === undefined ? [] : [first]
  const tried = new Set([keyOf(unchanged)])
  const beginnings = beginningsOf(plan, unchanged).filter((_, index) => index % ISLANDS === island)
  const most = Math.max(1, Math.floor(plan.evaluations / ISLANDS))
  let [runs, repeats] = [0, 0]
  while (runs < most && repeats < MOST_REPEATS && plan.knobs.length > 0) {
    if (!mayGoOn(runs / most)) return undefined
    const choice = beginnings.shift() ?? variation(plan, best, random)
    const isNew = !tried.has(keyOf(choice))
    tried.add(keyOf(choice))
    const judged = isNew ? judge(plan, before, choice) : undefined
    repeats = judged === undefined ? repeats + 1 : 0
    if (judged === undefined) continue
    runs += 1
    best = [...best, judged].toSorted((a, b) => better(a.score, b.score)).slice(0, ELITE * 2)
  }
  return { best, runs }
}

const keyOf = (choice: Choice): string => choice.map((value) => value ?? '').join(' ')

/** Each knob of the levels that goals name, at its ends and next to its present value. */
function beginningsOf({ goals, knobs }: TunePlan, unchanged: Choice): Choice[] {
  const levels = new Set(goals.flatMap(({ of }) => (of?.kind === 'level' ? [of.name] : [])))
  return knobs.flatMap(({ of, values, present }, index) => {
    if (levels.size > 0 && !levels.has(of.name)) return []
    const at = present === undefined ? -1 : values.indexOf(present)
    const tries = new Set([values[at + 2], values.at(-1), values[0]])
    return [...tries]
      .filter((value) => value !== undefined && value !== present)
      .map((value) => unchanged.with(index, value))
  })
}

function variation(plan: TunePlan, best: readonly Judged[], random: Random): Choice {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)]
  const from = random() < 0.6 ? best[0] : pick(best.slice(0, ELITE))
  const choice = from?.choice ?? plan.knobs.map(() => undefined)
  const changed = choice.flatMap((value, index) => (value === undefined ? [] : [index]))
  if (changed.length > 0 && random() < (from !== undefined && isMet(from.score) ? 0.6 : 0.2)) {
    return smaller(plan, choice, pick(changed) ?? 0, random)
  }
  const moves = random() < 0.7 ? 1 : 2
  let next = choice
  for (let move = 0; move < moves; move++) next = moved(plan, next, Math.floor(random() * plan.knobs.length), random)
  return next
}

/** The choice without one of its changes, or with a smaller one. */
function smaller({ knobs }: TunePlan, choice: Choice, index: number, random: Random): Choice {
  const { values = [], present } = knobs[index] ?? {}
  const value = choice[index]
  if (present === undefined || value === undefined || random() < 0.5) return choice.with(index, undefined)
  const next = values[values.indexOf(value) + (value > present ? -1 : 1)]
  return choice.with(index, next === present ? undefined : next)
}

/** The choice with one knob a step up or down, or anywhere. */
function moved({ knobs }: TunePlan, choice: Choice, index: number, random: Random): Choice {
  const knob = knobs[index]
  if (knob === undefined) return choice
  const { values, present } = knob
  const at = values.indexOf(choice[index] ?? present ?? values[0] ?? 0)
  const step = random() < 0.6 ? (random() < 0.5 ? -1 : 1) : Math.floor(random() * values.length) - at
  const next = values[Math.max(0, Math.min(values.length - 1, at + step))]
  return choice.with(index, next === present ? undefined : next)
}
