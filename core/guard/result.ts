import { builtInObjects } from '../config/builtIn.ts'
import type { ObjectSet } from '../config/objects.ts'
import { type GuardChange, type GuardQuestion, isLevelChange, type Rail, railInput, type RailInput } from './changes.ts'
import type { GuardFinding, GuardRail, GuardResult } from './finding.ts'

/** Rails about the state that an edit leads to. The others are about the way there, or about what the operator expects. */
const ABOUT_RESULT: ReadonlySet<GuardRail> = new Set(['system-traffic', 'matching', 'seats', 'inversion', 'sharding'])

/**
 * Findings of a rail with the result of the edit judged by itself, and not by its distance from a base that may be
 * broken: what is no worse than now, than before the last edit or than upstream’s own objects is no risk of this edit.
 */
export function withResults(
  name: GuardRail,
  rail: Rail,
  found: readonly GuardFinding[],
  { question, input }: { readonly question: GuardQuestion; readonly input: RailInput },
): readonly GuardFinding[] {
  if (!ABOUT_RESULT.has(name) || !found.some(isRisk)) return found
  const { after, context } = question
  const against = (before: ObjectSet, is: ObjectSet = after): readonly GuardFinding[] =>
    rail(railInput({ before, after: is, context })).filter(isRisk)
  const upstream = against(withBuiltIn(after, input.changes, builtInObjects(context.version ?? '')))
  const former = context.former && against(context.former)
  const back = against(after, question.before)
  const resultOf = (finding: GuardFinding): GuardResult => {
    const has = (other: readonly GuardFinding[]): boolean => other.some((one) => isSame(one, finding))
    if (!has(upstream)) return 'upstream'
    if (former !== undefined && !has(former)) return 'former'
    const now = back.find((one) => isSame(one, finding))
    return (now?.risk ?? 0) > (finding.risk ?? Infinity) ? 'better' : 'worse'
  }
  return found.map((finding) => {
    if (!isRisk(finding)) return finding
    const result = resultOf(finding)
    return { ...finding, result, ...(result !== 'worse' && { severity: 'expected' as const }) }
  })
}

const isRisk = ({ severity }: GuardFinding): boolean => severity === 'blocks' || severity === 'warns'

/** The same risk of the same object; `seats/none` and `seats/one` are two degrees of one. */
const isSame = (a: GuardFinding, b: GuardFinding): boolean =>
  a.objects[0]?.name === b.objects[0]?.name && (a.code === b.code || (a.risk !== undefined && b.risk !== undefined))

/** A configuration whose changed objects are upstream’s; without those that upstream does not have. */
function withBuiltIn({ levels, schemas }: ObjectSet, changes: readonly GuardChange[], builtIn: ObjectSet): ObjectSet {
  const namesOf = (isLevel: boolean): ReadonlySet<string> =>
    new Set(changes.flatMap((change) => (isLevelChange(change) === isLevel ? [change.name] : [])))
  const back = <T extends { readonly metadata: { readonly name: string } }>(
    present: readonly T[],
    own: readonly T[],
    names: ReadonlySet<string>,
  ): readonly T[] => [
    ...present.filter(({ metadata }) => !names.has(metadata.name)),
    ...own.filter(({ metadata }) => names.has(metadata.name)),
  ]
  return {
    levels: back(levels, builtIn.levels, namesOf(true)),
    schemas: back(schemas, builtIn.schemas, namesOf(false)),
  }
}
