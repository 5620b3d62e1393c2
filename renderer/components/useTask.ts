import { useCallback, useRef, useState } from 'react'
import { toProblem, type Problem } from '../../core/contract/errors.ts'

export type Task<T> =
  | { readonly state: 'idle' }
  | { readonly state: 'busy' }
  | { readonly state: 'done'; readonly value: T; readonly at: number }
  | { readonly state: 'failed'; readonly problem: Problem }

/** One thing at a time that takes a while; the answer of an older start is dropped. */
export function useTask<T>(): [Task<T>, (work: () => Promise<T>) => Promise<boolean>, () => void] {
  const [task, setTask] = useState<Task<T>>({ state: 'idle' })
  const newest = useRef(0)
  const start = useCallback(async (work: () => Promise<T>): Promise<boolean> => {
    newest.current += 1
    const own = newest.current
    setTask({ state: 'busy' })
    try {
      const value = await work()
      if (own === newest.current) setTask({ state: 'done', value, at: Date.now() })
      return true
    } catch (thrown) {
      if (own === newest.current) setTask({ state: 'failed', problem: toProblem(thrown) })
      return false
    }
  }, [])
  const reset = useCallback(() => {
    newest.current += 1
    setTask({ state: 'idle' })
  }, [])
  return [task, start, reset]
}
