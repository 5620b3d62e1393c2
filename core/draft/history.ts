/** Steps that can be taken back and done again. A value: every function gives another one. */
export interface History<T> {
  /** Oldest first. */
  readonly past: readonly T[]
  readonly present: T
  /** Next first. */
  readonly future: readonly T[]
  /** The last step, as long as it may go on growing. */
  readonly last?: { readonly group: string; readonly at: number }
}

const MOST_STEPS = 500
/** Milliseconds of rest that end a step: what is typed without one is taken back together. */
const REST_MS = 800

export const startHistory = <T>(present: T): History<T> => ({ past: [], present, future: [] })

/**
 * Takes a step. Steps of the same group that follow each other within a moment are one: the letters of a word, the
 * presses of an arrow key. `at` is Unix milliseconds.
 */
export function recordStep<T>(
  history: History<T>,
  next: T,
  step?: { readonly group: string; readonly at: number },
): History<T> {
  const { past, present, last } = history
  if (next === present) return history
  const grows = step !== undefined && last?.group === step.group && step.at - last.at < REST_MS
  const before = grows ? past : [...past, present].slice(-MOST_STEPS)
  return { past: before, present: next, future: [], ...(step !== undefined && { last: step }) }
}

export function undoStep<T>({ past, present, future }: History<T>): History<T> {
  const before = past.at(-1)
  if (before === undefined) return { past, present, future }
  return { past: past.slice(0, -1), present: before, future: [present, ...future] }
}

export function redoStep<T>({ past, present, future }: History<T>): History<T> {
  const [next, ...later] = future
  if (next === undefined) return { past, present, future }
  return { past: [...past, present], present: next, future: later }
}
