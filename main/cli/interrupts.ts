/** Terminal, npm and bootstrap may each forward the same interrupt, within this time; milliseconds. */
const SAME_MS = 500

/**
 * A handler of interrupts: the first ends the command in order, and a later one, of a person who does not wait for what
 * still ends, at once. `now` in milliseconds.
 */
export function createInterrupts(end: () => void, endAtOnce: () => void, now: () => number): () => void {
  let first: number | undefined
  return () => {
    first ??= now()
    if (now() - first <= SAME_MS) end()
    else endAtOnce()
  }
}
