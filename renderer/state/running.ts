import type { Problem } from '../../core/contract/errors.ts'

/** What the other side computes in a thread of its own, from its start on. */
export type Running<R> =
  | { readonly state: 'running'; readonly part: number }
  | { readonly state: 'failed'; readonly problem: Problem }
  | { readonly state: 'done'; readonly report: R; readonly elapsedMs: number }

type RunEvent<R> =
  | { readonly kind: 'progress'; readonly part: number }
  | { readonly kind: 'failed'; readonly problem: Problem }
  | { readonly kind: 'done'; readonly report: R; readonly elapsedMs: number }

type Listen<R> = (onEvent: (event: RunEvent<R>) => void, onProblem: (problem: Problem) => void) => () => void

/** Starts by `listen`, and follows until it is done or has failed. Returns what ends it, and with it its thread. */
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
