import type { ChangeVerdict } from '../../../../core/contract/objects.ts'

/** What became, or would become, of one change. `applied`: it was no dry run. */
export function outcomeText({ outcome, theirs, conflicts, problem }: ChangeVerdict, applied: boolean): string {
  switch (outcome) {
    case 'accepted':
      return applied ? 'is applied.' : 'would be accepted.'
    case 'unchanged':
      return applied ? 'was like this already.' : 'is like this already.'
    case 'conflict':
      if (conflicts.length > 0) return 'has fields that somebody else manages; nothing was changed.'
      return theirs === undefined
        ? 'is not what the draft began from; nothing was changed.'
        : 'was changed by somebody else meanwhile; nothing was changed.'
    case 'rejected':
      return applied ? 'is rejected by the server.' : 'would be rejected by the server.'
    case 'forbidden':
      return 'may not be changed with these credentials.'
    case 'failed':
      // Whether it is known that nothing was done, the problem beside it says.
      return applied ? 'was not confirmed by the server.' : 'got no answer.'
    case 'skipped':
      return problem === undefined ? 'was not sent, because an earlier one was not accepted.' : 'was not sent.'
  }
}

/** Whether nothing but what other managers own is in the way: it can be taken over. */
export function needsTakeover(verdicts: readonly ChangeVerdict[]): boolean {
  const bad = verdicts.filter(({ outcome }) => outcome !== 'accepted' && outcome !== 'unchanged')
  return bad.length > 0 && bad.every(({ conflicts }) => conflicts.length > 0)
}
