import type { RunEvent } from '../../core/contract/whatif.ts'
import type { Problem } from '../../core/errors.ts'

/** A computation of the other side in its own thread, from its start on. */
export type Running<R> =
  | { readonly state: 'running'; readonly part: number }
  | { readonly state: 'failed'; readonly problem: Problem }
  | { readonly state: 'done'; readonly report: R; readonly elapsedMs: number }

export type Listen<R> = (onEvent: (event: RunEvent<R>) => void, onProblem: (problem: Problem) => void) => () => void

/** Starts it with `listen` and follows it until it ends. Returns the function that ends it and its thread. */
export function followRun<R>(listen: Listen<R>, onChange: (run: Running<R>) => void): () => void {
  let stop: (() => void) | undefined
  const end = (run: Running<R>): void => {
    stop?.()
    onChange(run)
  }
  onChange({ state: 'running', part: 0 })
  stop = listen(
    (event) => {
      switch (event.kind) {
        case 'progress':
          return onChange({ state: 'running', part: event.part })
        case 'done':
          return end({ state: 'done', report: event.report, elapsedMs: event.elapsedMs })
        case 'failed':
          return end({ state: 'failed', problem: event.problem })
      }
    },
    (problem) => end({ state: 'failed', problem }),
  )
  return stop
}
