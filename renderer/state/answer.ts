import { toProblem, type Problem } from '../../core/errors.ts'

/** How long an instant of the past must be shown before its data is read: a moving pointer does not need the others. */
export const LOOKED_AT_MS = 80

interface AnswerOptions {
  /** Delay before the first call; the subject must not change during it. */
  readonly restMs?: number | undefined
  /** Interval from an answer to the next call; absent: one call only. */
  readonly everyMs?: number | undefined
  /** Called when there is no answer; absent: the previous answer stays. */
  readonly onProblem?: (problem: Problem) => void
}

/**
 * Calls `ask` and passes the answers to `take` until the returned function is called: an effect returns it. The signal
 * aborts then, too.
 */
export function onAnswer<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  take: (answer: T) => void,
  { restMs, everyMs, onProblem }: AnswerOptions = {},
): () => void {
  const end = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const read = async (): Promise<void> => {
    await ask(end.signal).then(
      (answer) => void (end.signal.aborted || take(answer)),
      (thrown: unknown) => void (end.signal.aborted || onProblem?.(toProblem(thrown))),
    )
    if (!end.signal.aborted && everyMs !== undefined) timer = setTimeout(() => void read(), everyMs)
  }
  if (restMs === undefined) void read()
  else timer = setTimeout(() => void read(), restMs)
  return () => {
    end.abort()
    clearTimeout(timer)
  }
}
