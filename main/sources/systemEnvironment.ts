import type { Environment } from './source.ts'

/** The real clock and the real chance: for the outermost edge only. */
export const systemEnvironment: Environment = {
  now: () => Date.now(),
  random: () => Math.random(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}
