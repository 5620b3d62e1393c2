import { isJsonObject } from '../../../../core/config/jsonValues.ts'
import type { ChangeVerdict, ObjectsState } from '../../../../core/contract/objects.ts'
import { unixMsOf } from '../../../../core/units.ts'

/** What became, or would become, of one change. `applied`: it was no dry run. */
export function outcomeText({ outcome, theirs, conflicts, problem }: ChangeVerdict, applied: boolean): string {
  switch (outcome) {
    case 'accepted':
      return applied ? 'is applied.' : 'would be accepted.'
    case 'unchanged':
      return applied ? 'was already in this state.' : 'is already in this state.'
    case 'conflict':
      if (conflicts.length > 0) return 'has fields with another field manager; it was not changed.'
      return theirs === undefined
        ? 'differs from the version that the draft is based on; it was not changed.'
        : 'was changed by someone else in the meantime; your change was not applied.'
    case 'rejected':
      return applied ? 'was rejected by the server and not changed.' : 'would be rejected by the server.'
    case 'forbidden':
      return 'cannot be changed with these credentials.'
    case 'throttled':
      return 'was not changed: the server rejected the request with 429. Apply it again when the server is less busy.'
    case 'failed':
      // Whether it is known that nothing was done, the problem beside it says.
      return applied ? 'was not confirmed by the server.' : 'received no response.'
    case 'skipped':
      return problem === undefined ? 'was not sent, because the server did not accept an earlier one.' : 'was not sent.'
  }
}

/** Whether nothing but what other managers own is in the way: it can be taken over. */
export function needsTakeover(verdicts: readonly ChangeVerdict[]): boolean {
  const bad = verdicts.filter(({ outcome }) => outcome !== 'accepted' && outcome !== 'unchanged')
  return bad.length > 0 && bad.every(({ conflicts }) => conflicts.length > 0)
}

/** What became of an application as a whole: `Applied`, `Partly applied`, `Not applied`. */
export function appliedTitle(verdicts: readonly ChangeVerdict[]): string {
  const done = verdicts.filter(({ outcome }) => outcome === 'accepted' || outcome === 'unchanged').length
  if (done === verdicts.length) return 'Applied'
  return done > 0 ? 'Partly applied' : 'Not applied'
}

/** Says nothing of other objects: of several, earlier ones may have been applied. */
export function retryText({ until, attempt, most }: NonNullable<ObjectsState['waiting']>, now: number): string {
  const seconds = Math.max(0, Math.ceil((unixMsOf(until) - now) / 1_000))
  return `The server rejected the request with 429 and did not carry it out. Next attempt in ${seconds} s (${attempt} of ${most}).`
}

/** Levels that were changed or that changed schemas lead to, each once; what was deleted has no charts any more. */
export function affectedLevels(verdicts: readonly ChangeVerdict[]): readonly string[] {
  const names = verdicts.flatMap(({ kind, name, outcome, object }) => {
    if (outcome !== 'accepted' || object === undefined) return []
    if (kind === 'PriorityLevelConfiguration') return [name]
    const { spec } = object
    const to = isJsonObject(spec) ? spec['priorityLevelConfiguration'] : undefined
    const level = isJsonObject(to) ? to['name'] : undefined
    return typeof level === 'string' ? [level] : []
  })
  return [...new Set(names)]
}
