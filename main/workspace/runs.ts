import type { AbortSignalLike } from '../../core/contract/contract.ts'
import type { RunEvent } from '../../core/contract/whatif.ts'
import { ProblemError, toProblem } from '../../core/errors.ts'
import type { Work } from '../../core/work.ts'
import type { Environment } from '../ports/environment.ts'
import type { Following } from '../ports/whatIf.ts'

/** Milliseconds of work after which others are answered. */
const PIECE_MS = 50

/** Does work until the signal aborts, and lets this thread answer others meanwhile. Rejects with `cancelled` then. */
export async function inPieces<T>(work: Work<T>, { onPart, signal }: Partial<Following> = {}): Promise<T> {
  for (;;) {
    // In Headlamp this runs in a browser, which has no setImmediate.
    await new Promise((resolve) => setTimeout(resolve))
    if (signal?.aborted === true) throw new ProblemError('cancelled', 'It was cancelled.')
    const until = performance.now() + PIECE_MS
    let piece = work.next()
    while (piece.done !== true && performance.now() < until) piece = work.next()
    if (piece.done === true) return piece.value
    onPart?.(piece.value)
  }
}

/** The handler of a stream that tells the progress of some work, and its result; its end ends the work. */
export const runOf =
  <P, T>({ now }: Pick<Environment, 'now'>, work: (params: P, following: Following) => Promise<T>) =>
  (params: P, emit: (event: RunEvent<T>) => void, signal: AbortSignalLike): void => {
    const started = now()
    work(params, { onPart: (part) => emit({ kind: 'progress', part }), signal }).then(
      (report) => emit({ kind: 'done', report, elapsedMs: now() - started }),
      (thrown: unknown) => emit({ kind: 'failed', problem: toProblem(thrown) }),
    )
  }
