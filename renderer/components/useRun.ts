import { useEffect, useRef, useState } from 'react'
import type { Problem } from '../../core/errors.ts'
import { onAnswer } from '../state/answer.ts'
import type { Waiter } from '../state/running.ts'

/** A run that a screen waits for, and its last answer about the same subject. */
export interface AskedRun<T> {
  readonly found?: T
  /** Why the last run failed; an earlier answer stays. */
  readonly problem?: Problem
  readonly state: 'running' | 'over' | 'cancelled'
  /** The fraction that is done; 0 where that is unknown. */
  readonly part: number
  /** Ends the run, here and where it computes. */
  readonly cancel: () => void
  /** Starts it again. */
  readonly again: () => void
}

/** The last answer, and what it is of: subject, function and turn. */
interface Last<T> extends Pick<AskedRun<T>, 'found' | 'problem' | 'state'> {
  readonly of: readonly unknown[]
}
const OPEN = { of: [], state: 'running' } as const

/**
 * Runs `read` while the screen is open: a new function runs at once and ends the previous run. What was found stays as
 * long as the `subject` is the same. Nothing runs without a function.
 */
export function useRun<T>(
  subject: string,
  read: ((waiter: Waiter) => Promise<T>) | undefined,
  { everyMs, restMs }: { readonly everyMs?: number | undefined; readonly restMs?: number | undefined } = {},
): AskedRun<T> {
  const [turn, setTurn] = useState(0)
  const [part, setPart] = useState(0)
  const [last, setLast] = useState<Last<T>>(OPEN)
  const end = useRef<() => void>(undefined)
  useEffect(() => {
    if (read === undefined) return undefined
    const of = [subject, read, turn]
    end.current = onAnswer(
      (signal) => read({ signal, onPart: setPart }),
      (found) => setLast({ of, found, state: 'over' }),
      {
        everyMs,
        restMs,
        onProblem: (problem) =>
          setLast((before) => ({ ...(before.of[0] === subject && before), of, problem, state: 'over' })),
      },
    )
    return end.current
  }, [subject, read, turn, everyMs, restMs])
  const { of, ...answer } = last.of[0] === subject ? last : OPEN
  return {
    ...answer,
    state: of[1] === read && of[2] === turn ? answer.state : 'running',
    part,
    cancel() {
      end.current?.()
      setLast({ ...answer, of: [subject, read, turn], state: 'cancelled' })
    },
    again: () => setTurn(turn + 1),
  }
}
