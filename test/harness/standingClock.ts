import type { Environment } from '../../main/ports/environment.ts'

/** A clock that stands until it is moved. */
export function standingClock(startMs: number) {
  let now = startMs
  let timers: { readonly at: number; readonly call: () => void }[] = []
  const environment: Environment = {
    now: () => now,
    random: () => 0.5,
    after(ms, call) {
      const timer = { at: now + ms, call }
      timers.push(timer)
      return () => void (timers = timers.filter((one) => one !== timer))
    },
  }
  return {
    environment,
    /** Advances the time and runs the timers that are due. */
    advance: (ms: number): void => {
      const end = now + ms
      for (;;) {
        const [next] = timers.toSorted((a, b) => a.at - b.at)
        if (next === undefined || next.at > end) break
        timers = timers.filter((one) => one !== next)
        now = Math.max(now, next.at)
        next.call()
      }
      now = end
    },
    /** Advances the time without running timers. */
    sleep: (ms: number) => void (now += ms),
    /** Sets the wall clock; timers still fire after the same time. */
    set: (ms: number): void => {
      timers = timers.map(({ at, call }) => ({ at: at + ms, call }))
      now += ms
    },
    /** How many calls are due at some time. */
    timers: () => timers.length,
  }
}
