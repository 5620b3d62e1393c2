import { useEffect, useState } from 'react'
import type { Problem } from '../../core/contract/errors.ts'
import { onAnswer } from './answer.ts'
import { askedOf, usePastPart } from './past.ts'
import { instantOf, timeStore, useTimePart } from './time.ts'

/** What was found last, which stays when a later examination fails. */
export interface Examined<T> {
  readonly found?: T
  readonly problem?: Problem
}

/**
 * Examines the source as it is shown: the present every `everyMs` as long as the page is open, an instant of the past
 * once.
 *
 * `read` asks; another one asks at once. `shown`: the connection, if any. `turn`: how often the reader asked again; what
 * was found before stays until the next answer is there.
 */
export function useExamination<T>(
  read: (at: number | undefined) => Promise<T>,
  { shown, turn, everyMs }: { readonly shown: number | undefined; readonly turn: number; readonly everyMs: number },
): { readonly examined: Examined<T> | undefined; readonly isExamining: boolean } {
  const past = usePastPart(askedOf)
  const instant = useTimePart(instantOf)
  const of = `${past ?? shown ?? ''} ${past === undefined ? '' : (instant ?? '')}`
  const [last, setLast] = useState<{ readonly of: string; readonly turn: number; readonly examined: Examined<T> }>()
  useEffect(() => {
    if (shown === undefined) return undefined
    return onAnswer(
      () => read(past === undefined ? undefined : instantOf(timeStore.getState())),
      (found) => setLast({ of, turn, examined: { found } }),
      {
        everyMs: past === undefined ? everyMs : undefined,
        onProblem: (problem) =>
          setLast((before) => ({ of, turn, examined: { ...(before?.of === of && before.examined), problem } })),
      },
    )
  }, [of, shown, past, read, turn, everyMs])
  return { examined: last?.of === of ? last.examined : undefined, isExamining: last?.turn !== turn }
}
