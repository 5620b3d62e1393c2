/** Time and randomness, passed in: only the outermost edge uses the real ones. */
export interface Environment {
  /** Unix milliseconds. */
  readonly now: () => number
  /** Uniform in [0, 1). */
  readonly random: () => number
  /** Calls back once after `ms` unless the returned function was called. */
  readonly after: (ms: number, callback: () => void) => () => void
}

/** The real clock and real randomness: for the outermost edge only. */
export const systemEnvironment: Environment = {
  now: () => Date.now(),
  random: () => Math.random(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** Calls repeatedly until the returned function is called. */
export function repeat({ after }: Pick<Environment, 'after'>, ms: number, call: () => void): () => void {
  let cancel = (): void => undefined
  const again = (): void => {
    cancel = after(ms, () => {
      call()
      again()
    })
  }
  again()
  return () => cancel()
}
