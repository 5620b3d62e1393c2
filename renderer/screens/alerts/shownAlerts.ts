import { useEffect, useState } from 'react'
import type { AlertsState } from '../../../core/contract/alerts.ts'
import type { Problem } from '../../../core/errors.ts'
import { onAnswer } from '../../state/answer.ts'
import { client } from '../../state/client.ts'
import { askedOf, usePastPart, useSettledMoment } from '../../state/past.ts'
import { useAlerts } from '../../state/sourceState.ts'

export interface ShownAlerts {
  /** `undefined` until the rules were evaluated; while another instant is evaluated, the state at the previous one. */
  readonly state: AlertsState | undefined
  /** Set for an instant that cannot be evaluated. */
  readonly problem?: Problem
  readonly isPast: boolean
}

/** Evaluation reads minutes of samples, so it starts only after the same instant was shown for this long. */
const REST_MS = 300

/** The state of the alert rules for the shown source, at present or at the shown instant. */
export function useShownAlerts(): ShownAlerts {
  const present = useAlerts()
  const past = usePastPart(askedOf)
  const instant = useSettledMoment()?.at
  const [answer, setAnswer] = useState<Pick<ShownAlerts, 'state' | 'problem'> & { readonly of: number }>()
  useEffect(() => {
    if (past === undefined || instant === undefined) return undefined
    return onAnswer(
      () => client().call('past.alerts', { connection: past, at: instant }),
      (state) => setAnswer({ of: past, state }),
      { restMs: REST_MS, onProblem: (problem) => setAnswer({ of: past, state: undefined, problem }) },
    )
  }, [past, instant])
  if (past === undefined) return { state: present, isPast: false }
  return { state: undefined, ...(answer?.of === past && answer), isPast: true }
}
