import { toProblem, type Problem } from '../../core/contract/errors.ts'

/** An instant of the past that is shown for so long is one that is looked at: a pointer that moves on needs no others. */
export const LOOKED_AT_MS = 80

interface AnswerOptions {
  /** What is asked about must stand for so long. */
  readonly restMs?: number | undefined
  /** From an answer to the next question; absent: it is asked once. */
  readonly everyMs?: number | undefined
  /** Why there is no answer; absent: what was known stays. */
  readonly onProblem?: (problem: Problem) => void
}

/** Asks, and takes what is answered until the returned function is called: an effect returns it. */
export function onAnswer<T>(
  ask: () => Promise<T>,
  take: (answer: T) => void,
  { restMs, everyMs, onProblem }: AnswerOptions = {},
): () => void {
  let ended = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const read = async (): Promise<void> => {
    await ask().then(
      (answer) => void (ended || take(answer)),
      (thrown: unknown) => void (ended || onProblem?.(toProblem(thrown))),
    )
    if (!ended && everyMs !== undefined) timer = setTimeout(() => void read(), everyMs)
  }
  if (restMs === undefined) void read()
  else timer = setTimeout(() => void read(), restMs)
  return () => {
    ended = true
    clearTimeout(timer)
  }
}
