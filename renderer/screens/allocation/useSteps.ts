import { useEffect, useRef, useState } from 'react'
import type { AdjustmentStep } from '../../../core/frame/derived.ts'
import { toProblem, type Problem } from '../../../core/contract/errors.ts'
import { mergeSteps } from './rounds.data.ts'
import { ask } from '../../state/connection.ts'

export type StepsResult =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly steps: readonly AdjustmentStep[] }
  | { readonly state: 'failed'; readonly problem: Problem }

/** What was answered last: of which connection and server, and after which recomputation was seen. */
interface Known {
  readonly of: string
  readonly seen?: string
  readonly steps: readonly AdjustmentStep[]
}

const LOADING: StepsResult = { state: 'loading' }

/**
 * The recomputations of one server's limits, about the last hour. They are asked for once, and again, from the newest
 * on, whenever `seen` changes: it names the newest recomputation that the frames showed.
 */
export function useSteps(connection: number | undefined, server: string, seen: string): StepsResult {
  const of = `${connection ?? ''} ${server}`
  const [answer, setAnswer] = useState<{ readonly of: string; readonly result: StepsResult }>()
  const known = useRef<Known>({ of, steps: [] })
  useEffect(() => {
    if (known.current.of === of && known.current.seen === seen) return undefined
    let gone = false
    const before = known.current.of === of ? known.current.steps : []
    const answered = (newer: readonly AdjustmentStep[]): void => {
      if (gone) return
      const steps = mergeSteps(before, newer)
      known.current = { of, seen, steps }
      setAnswer({ of, result: { state: 'ready', steps } })
    }
    const failed = (thrown: unknown): void => {
      if (!gone) setAnswer({ of, result: { state: 'failed', problem: toProblem(thrown) } })
    }
    ask('allocation.steps', { server, from: before.at(-1)?.at ?? 0, to: Number.MAX_SAFE_INTEGER }).then(
      answered,
      failed,
    )
    return () => {
      gone = true
    }
  }, [of, server, seen])
  return answer?.of === of ? answer.result : LOADING
}
