import type { Environment } from '../../main/ports/environment.ts'

/** Time of a source and of what it reads runs so many times faster than that of the network. */
const SPEED = 40
/** Unix milliseconds at which it begins. */
export const EPOCH = 1_800_000_000_000
const started = performance.now()

export const fastEnvironment: Environment = {
  now: () => Math.round(EPOCH + (performance.now() - started) * SPEED),
  random: () => 0.5,
  after(ms, callback) {
    const timer = setTimeout(callback, ms / SPEED)
    return () => clearTimeout(timer)
  },
}

/** The value of the counters of a page at an instant: one more each second. */
export const stepOf = (at: number): number => Math.round((at - EPOCH) / 1_000) + 100_000
