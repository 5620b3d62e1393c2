import { remember } from './remember.ts'

/** Work in pieces: after each it yields the fraction that is done, at the end it returns the result. */
export type Work<T> = Generator<number, T, void>

/** Does all of it at once. */
export function finish<T>(work: Work<T>): T {
  for (;;) {
    const piece = work.next()
    if (piece.done === true) return piece.value
  }
}

/** Work that is a part of other work: from one fraction of that to another. */
export function* asPart<T>(work: Work<T>, from: number, to: number): Work<T> {
  for (;;) {
    const piece = work.next()
    if (piece.done === true) return piece.value
    yield from + (to - from) * piece.value
  }
}

/** Does each work once, where it comes to its end, and evicts the least recently used results. */
export function rememberWork<A extends readonly unknown[], T extends object>(
  most: number,
  work: (...about: A) => Work<T>,
) {
  const results = remember(most, (): { result?: T } => ({}))
  return function* (key: string, ...about: A): Work<T> {
    const known = results(key)
    return (known.result ??= yield* work(...about))
  }
}
