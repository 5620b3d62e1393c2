import type { PromSeries } from '../../../core/prom/answer.ts'
import type { FamilyGroup } from '../../../core/prom/asked.ts'
import type { Answered, Reply } from './api.ts'
import type { Unanswered } from './problems.ts'

/** The combined results of the groups of families. */
export interface Gathered {
  readonly ok: true
  readonly series: readonly PromSeries[]
  readonly warnings: readonly string[]
  readonly ms: number
  readonly bytes: number
  /** Series of the largest group. */
  readonly largest: number
}

/** Queries one group after the other, and ends with the first that fails. */
export async function gatherGroups(
  groups: readonly FamilyGroup[],
  ask: (names: FamilyGroup) => Promise<Reply>,
): Promise<Gathered | Unanswered> {
  const answers: Answered[] = []
  for (const names of groups) {
    const reply = await ask(names)
    if (!reply.ok) return reply
    answers.push(reply)
  }
  const sum = (of: (answer: Answered) => number): number => answers.reduce((total, answer) => total + of(answer), 0)
  return {
    ok: true,
    series: answers.flatMap(({ series }) => series),
    warnings: [...new Set(answers.flatMap(({ warnings }) => warnings))],
    ms: sum(({ ms }) => ms),
    bytes: sum(({ bytes }) => bytes),
    largest: Math.max(0, ...answers.map(({ series }) => series.length)),
  }
}
