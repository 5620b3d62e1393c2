import type { ObjectRef } from '../../../../core/guard/finding.ts'
import type { UnderstoodDraft } from '../../../state/draft.logic.ts'

/** One problem of the draft, and where to mend it. */
export interface DraftProblem extends ObjectRef {
  readonly shown: string
  readonly field: string
  readonly severity: 'error' | 'warning'
  readonly message: string
}

/** All findings of the draft; those of one object first where one is named, errors before warnings. */
export function problemsOf({ reads }: UnderstoodDraft, first: ObjectRef | undefined): readonly DraftProblem[] {
  const rank = ({ kind, name, severity }: DraftProblem): number =>
    (severity === 'error' ? 0 : 2) + (kind === first?.kind && name === first.name ? 0 : 1)
  return reads
    .flatMap(({ entry: { kind, name }, name: shown, findings }) =>
      findings.map(({ field, severity, message }): DraftProblem => ({ kind, name, shown, field, severity, message })),
    )
    .toSorted((a, b) => rank(a) - rank(b))
}

/** `1 error, 2 warnings`. */
export function countText(problems: readonly { readonly severity: 'error' | 'warning' }[]): string {
  const count = (severity: 'error' | 'warning'): number => problems.filter((one) => one.severity === severity).length
  const [errors, warnings] = [count('error'), count('warning')]
  return [
    ...(errors > 0 ? [`${errors} ${errors === 1 ? 'error' : 'errors'}`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`] : []),
  ].join(', ')
}
