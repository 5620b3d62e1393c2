import {
  type Answer,
  type ApfEngine,
  type ApfEngineOptions,
  createApfEngine,
  runTo,
} from '../../core/engine/apfEngine.ts'
import type { EngineRequest, Ticket } from '../../core/engine/ticket.ts'

/** A clock of this machine that never goes back, and a timer on it. Milliseconds with fractions. */
export interface MonotonicClock {
  now(): number
  /** Calls back once after `ms` unless the returned function was called. */
  after(ms: number, callback: () => void): () => void
}

const NS_PER_MS = 1e6

/**
 * An engine driven by a clock: whatever is done to it happens now, and what it wants to be woken for happens when it is
 * due, to the millisecond that timers have.
 */
export interface EngineHost<T> {
  readonly engine: ApfEngine<T>
  /** Nanoseconds since its start. */
  nowNs(): number
  arrive(request: EngineRequest<T>): Answer<T>
  finish(ticket: Ticket<T>): void
  cancel(ticket: Ticket<T>): boolean
  watchInitialised(ticket: Ticket<T>): void
  endWatch(ticket: Ticket<T>): void
  configure: ApfEngine<T>['configure']
  /** Advances the engine to the current time so that it can be inspected. */
  settle(): void
  close(): void
}

export function createEngineHost<T>(options: ApfEngineOptions<T>, clock: MonotonicClock): EngineHost<T> {
  const engine = createApfEngine(options)
  const startedMs = clock.now()
  let plannedNs = Number.POSITIVE_INFINITY
  let cancelPlan = (): void => undefined
  let closed = false

  const nowNs = (): number => Math.max(engine.nowNs, Math.floor((clock.now() - startedMs) * NS_PER_MS))
  const plan = (): void => {
    const nextNs = engine.nextWakeNs()
    if (closed || nextNs >= plannedNs) return
    cancelPlan()
    plannedNs = nextNs
    cancelPlan = clock.after(Math.max(0, Math.ceil((nextNs - nowNs()) / NS_PER_MS)), () => {
      plannedNs = Number.POSITIVE_INFINITY
      runTo(engine, nowNs())
      plan()
    })
  }
  const now = <R>(act: () => R): R => {
    runTo(engine, nowNs())
    const result = act()
    plan()
    return result
  }
  return {
    engine,
    nowNs,
    arrive: (request) => now(() => engine.arrive(request)),
    finish: (ticket) => now(() => engine.finish(ticket)),
    cancel: (ticket) => now(() => engine.cancel(ticket)),
    watchInitialised: (ticket) => now(() => engine.watchInitialised(ticket)),
    endWatch: (ticket) => now(() => engine.endWatch(ticket)),
    configure: (configuration) => now(() => engine.configure(configuration)),
    settle: () => now(() => undefined),
    close() {
      closed = true
      cancelPlan()
    },
  }
}
