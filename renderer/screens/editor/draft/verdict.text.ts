import type { ChangeVerdict } from '../../../../core/contract/objects.ts'

/** What became, or would become, of one change. `applied`: it was no dry run. */
export function outcomeText({ outcome, theirs, conflicts }: ChangeVerdict, applied: boolean): string {
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
      return applied ? 'got no answer: it is not known whether it was changed.' : 'got no answer.'
    case 'skipped':
      return 'was left out, because an earlier one was not accepted.'
  }
}
