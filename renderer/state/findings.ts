import { useEffect, useState } from 'react'
import type { Diagnosis } from '../../core/contract/diagnosis.ts'
import { onAnswer } from './answer.ts'
import { ask, useConnected } from './connection.ts'
import { askedOf, usePastPart } from './past.ts'

/** Interval between two diagnoses. */
const EVERY_MS = 10_000

/**
 * The findings of the present, first cause first, while they are wanted; none of the past, which takes longer to
 * diagnose than a user waits.
 */
export function useFindings(isWanted: boolean): Diagnosis['findings'] {
  const past = usePastPart(askedOf)
  const connected = useConnected()
  const id = isWanted && past === undefined ? connected?.id : undefined
  const [found, setFound] = useState<{ readonly id: number; readonly findings: Diagnosis['findings'] }>()
  useEffect(() => {
    if (id === undefined) return undefined
    return onAnswer(
      () => ask('diagnosis.read', {}),
      ({ findings }) => setFound({ id, findings }),
      { everyMs: EVERY_MS, onProblem: () => setFound(undefined) },
    )
  }, [id])
  return id !== undefined && found?.id === id ? found.findings : NONE
}

const NONE: Diagnosis['findings'] = []
