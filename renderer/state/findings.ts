import { useEffect } from 'react'
import { create } from 'zustand'
import type { Diagnosis } from '../../core/contract/diagnosis.ts'
import { LOOKED_AT_MS, onAnswer } from './answer.ts'
import { useConnected } from './connection.ts'
import { askedOf, usePastPart, useSettledMoment } from './past.ts'
import { answerOf } from './running.ts'

type Findings = Diagnosis['findings']
const NONE: Findings = []

/** Of one connection, now or at an instant of its past, as long as a pane shows them. */
const findingsStore = create<{ readonly of: string | undefined; readonly findings: Findings }>(() => ({
  of: undefined,
  findings: NONE,
}))

/** Interval between two diagnoses of the present. */
const EVERY_MS = 10_000

/** The diagnoses of the shown source, which all panes that show findings share. */
let followed: { readonly of: string; readonly stop: () => void; panes: number } | undefined

const keyOf = (connection: number, at: number | undefined): string => `${connection} ${at}`

function follow(connection: number, at: number | undefined): () => void {
  const of = keyOf(connection, at)
  if (followed?.of !== of) {
    followed?.stop()
    const tell = (findings: Findings): void => findingsStore.setState({ of, findings })
    tell(NONE)
    const stop = onAnswer(
      (signal) => answerOf('diagnosis', { connection, ...(at !== undefined && { at }) }, { signal }),
      ({ findings }) => tell(findings),
      { ...(at === undefined ? { everyMs: EVERY_MS } : { restMs: LOOKED_AT_MS }), onProblem: () => tell(NONE) },
    )
    followed = { of, stop, panes: 0 }
  }
  const own = followed
  own.panes += 1
  return () => {
    own.panes -= 1
    if (own.panes > 0) return
    own.stop()
    if (followed !== own) return
    followed = undefined
    findingsStore.setState({ of: undefined, findings: NONE })
  }
}

/**
 * The findings at the shown instant, first cause first, while they are wanted; none while a pointer moves through the
 * past.
 */
export function useFindings(isWanted: boolean): Findings {
  const past = usePastPart(askedOf)
  const at = useSettledMoment()?.at
  const present = useConnected()?.id
  const connection = past === undefined ? present : at === undefined ? undefined : past
  const shown = isWanted ? connection : undefined
  const findings = findingsStore((store) =>
    shown !== undefined && store.of === keyOf(shown, at) ? store.findings : NONE,
  )
  useEffect(() => (shown === undefined ? undefined : follow(shown, at)), [shown, at])
  return findings
}
