import { plain, plural } from '../text/format.ts'
import type { GoalEvidence } from '../contract/tune.ts'
import type { Proposal } from './report.ts'
import { shortNumber } from '../sweep/heatMap.ts'

/** Whether an edit meets the goals, with how many seeds, and the number of edits tried: a clause. */
export function headline(
  { met, changes, seeds }: Pick<Proposal, 'met' | 'changes' | 'seeds'>,
  evaluations: number,
): string {
  const count = `${plain.counted(evaluations, 'edit')} tried`
  const withSeeds = heldSeeds(seeds)
  const how = withSeeds === undefined ? '' : ` ${withSeeds}`
  if (changes.length === 0) {
    return met ? `the current objects already meet the goals${how} (${count}).` : `no edit found that helps (${count}).`
  }
  return met
    ? `an edit meets the goals${how} (${count}).`
    : `no edit meets the goals; this one comes closest (${count}).`
}

/** `with 4 of 5 seeds`; `undefined` for recorded requests, which have none. */
export function heldSeeds({ met, missed }: Proposal['seeds']): string | undefined {
  const all = met.length + missed.length
  return all === 0 ? undefined : `with ${met.length} of ${plain.counted(all, 'seed')}`
}

/** `ok: goal wait p99 of level workload-high ≤ 1000 ms (1500 → 20 ms)`. */
export function goalText(kind: 'goal' | 'guard rail', { goal, unit, before, after, metAfter }: GoalEvidence): string {
  const values = `${shortNumber(before)} → ${shortNumber(after)}${unit === '' ? '' : ` ${unit}`}`
  return `${metAfter ? 'ok' : 'MISSED'}: ${kind} ${goal} (${values})`
}

/** The seeds with which everything holds; `undefined` for recorded requests. */
export function seedText({ met, missed }: Proposal['seeds']): string | undefined {
  const held = heldSeeds({ met, missed })
  if (held === undefined) return undefined
  const which = missed.length === 0 || met.length === 0 ? '' : `; not with ${listOf(missed)}`
  return `Holds ${held}: ${met.length === 0 ? `not with ${listOf(missed)}` : listOf(met)}${which}.`
}

const listOf = (seeds: readonly number[]): string => `${plural(seeds.length, 'seed', 'seeds')} ${seeds.join(', ')}`

/** Shown where nothing got worse. */
export const NO_COSTS =
  'No level has 10 % longer waits, 0.1 % more of its requests rejected, or 2 % fewer requests served.'
