import type { SourceRunName, StreamEvent, StreamParams } from '../../core/contract/contract.ts'
import type { RunEvent } from '../../core/contract/whatif.ts'
import { ProblemError, type Problem } from '../../core/errors.ts'
import { client } from './client.ts'

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

/** How an answer is waited for. */
export interface Waiter {
  /** Called with the fraction that is done. */
  readonly onPart?: (part: number) => void
  /** Ends the run; its answer then does not come. */
  readonly signal: AbortSignal
}

type Answer<N extends SourceRunName> = Extract<StreamEvent<N>, { readonly kind: 'done' }>['report']

/** TypeScript cannot see that the events of such a stream are those of a run. */
interface Runs {
  subscribe<N extends SourceRunName>(
    name: N,
    params: StreamParams<N>,
    ...on: Parameters<Listen<Answer<N>>>
  ): ReturnType<Listen<Answer<N>>>
}

/** The answer of a run about a source. Rejects with `ProblemError`. */
export const answerOf = <N extends SourceRunName>(
  name: N,
  params: StreamParams<N>,
  { onPart, signal }: Waiter,
): Promise<Answer<N>> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const line: Runs = client()
    const stop = followRun<Answer<N>>(
      (...on) => line.subscribe(name, params, ...on),
      (run) => {
        if (run.state === 'running') onPart?.(run.part)
        else if (run.state === 'done') resolve(run.report)
        else reject(ProblemError.of(run.problem))
      },
    )
    signal.addEventListener('abort', stop)
  })
