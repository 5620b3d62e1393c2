import type { Run } from '../../core/run/run.ts'
import { type Nanoseconds, NS_PER_MS, nsToMs } from '../../core/units.ts'

/** A clock of this machine that never goes back, and a timer on it. Milliseconds with fractions. */
export interface MonotonicClock {
  now(): number
  /** Calls back once after `ms` unless the returned function was called. */
  after(ms: number, callback: () => void): () => void
}

/** A run in the time of a clock: due things happen on time, to the millisecond precision of timers. */
export interface ClockedRun {
  /** Runs the action at the present, and everything that follows from it at once. */
  act<R>(what: () => R): R
  /** Brings the run to the present. */
  settle(): void
  close(): void
}

export function driveByClock<O>(run: Run<O>, clock: MonotonicClock): ClockedRun {
  const startedMs = clock.now()
  let plannedNs = Number.POSITIVE_INFINITY
  let cancelPlan = (): void => undefined
  let closed = false

  const nowNs = (): Nanoseconds => Math.max(run.engine.nowNs, Math.floor((clock.now() - startedMs) * NS_PER_MS))
  const plan = (): void => {
    const { nextNs } = run
    if (closed || nextNs >= plannedNs) return
    cancelPlan()
    plannedNs = nextNs
    cancelPlan = clock.after(Math.max(0, Math.ceil(nsToMs(nextNs - nowNs()))), () => {
      plannedNs = Number.POSITIVE_INFINITY
      run.moveTo(nowNs())
      plan()
    })
  }
  const act = <R>(what: () => R): R => {
    run.moveTo(nowNs())
    const result = what()
    // It may have set something that is due now.
    run.moveTo(run.engine.nowNs)
    plan()
    return result
  }
  return {
    act,
    settle: () => act(() => undefined),
    close() {
      closed = true
      cancelPlan()
    },
  }
}
