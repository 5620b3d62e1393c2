import { useEffect } from 'react'
import { create } from 'zustand'
import type { Diagnosis } from '../../core/contract/diagnosis.ts'
import { onAnswer } from './answer.ts'
import { useConnected } from './connection.ts'
import { askedOf, usePastPart } from './past.ts'
import { answerOf } from './running.ts'

type Findings = Diagnosis['findings']
const NONE: Findings = []

/** Of one connection, as long as a pane shows them. */
const findingsStore = create<{ readonly of: number | undefined; readonly findings: Findings }>(() => ({
  of: undefined,
  findings: NONE,
}))

/** Interval between two diagnoses. */
const EVERY_MS = 10_000

/** The diagnoses of the shown source, which all panes that show findings share. */
let followed: { readonly id: number; readonly stop: () => void; panes: number } | undefined

function follow(id: number): () => void {
  if (followed?.id !== id) {
    followed?.stop()
    const tell = (findings: Findings): void => findingsStore.setState({ of: id, findings })
    tell(NONE)
    const stop = onAnswer(
      (signal) => answerOf('diagnosis', { connection: id }, { signal }),
      ({ findings }) => tell(findings),
      { everyMs: EVERY_MS, onProblem: () => tell(NONE) },
    )
    followed = { id, stop, panes: 0 }
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
 * The findings of the present, first cause first, while they are wanted; none of the past, which takes longer to
 * diagnose than a user waits.
 */
export function useFindings(isWanted: boolean): Findings {
  const past = usePastPart(askedOf)
  const connected = useConnected()
  const id = isWanted && past === undefined ? connected?.id : undefined
  const findings = findingsStore((store) => (store.of === id ? store.findings : NONE))
  useEffect(() => (id === undefined ? undefined : follow(id)), [id])
  return id === undefined ? NONE : findings
}
