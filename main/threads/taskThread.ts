import { Worker } from 'node:worker_threads'
import type { AbortSignalLike } from '../../core/contract/contract.ts'
import type { Problem } from '../../core/contract/errors.ts'
import { messageOf } from '../../core/text/text.ts'

export interface TaskThread<E> {
  readonly file: string
  readonly data: unknown
  readonly emit: (event: E) => void
  /** Whether nothing comes after this event. */
  readonly isLast: (event: E) => boolean
  /** What is emitted when the thread ends before its last event. */
  readonly failed: (problem: Problem) => E
  /** A noun: `comparison`. */
  readonly what: string
  readonly tooLarge: Problem
  /** Called once the thread has ended. */
  readonly onExit: () => void
}

/** One task needs no more memory than this. */
const MOST_MEGABYTES = 2_048

/** Runs one task in a thread of its own, until it is over or the signal aborts. */
export function runTaskThread<E>(task: TaskThread<E>, signal: AbortSignalLike): void {
  const { file, data, emit, isLast, failed, what, tooLarge, onExit } = task
  const worker = new Worker(file, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES } })
  let problem: Problem = { code: 'internal', message: `The thread of the ${what} ended. Run it again.` }
  let over = signal.aborted
  worker.on('message', (event: E) => {
    if (over) return
    over = isLast(event)
    emit(event)
  })
  worker.on('error', (error) => {
    problem =
      'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? tooLarge
        : { ...problem, details: messageOf(error) }
  })
  worker.once('exit', () => {
    onExit()
    if (!over) emit(failed(problem))
    over = true
  })
  const stop = (): void => {
    over = true
    void worker.terminate()
  }
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
}
