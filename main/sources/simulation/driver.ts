import type { Stride } from '../../../core/contract/simulation.ts'
import { goOn } from '../../../core/run/timeline.ts'
import type { Simulation } from '../../../core/simulate/simulation.ts'
import { MS_PER_DAY, msToNs, type Nanoseconds, secondsToNs, NS_PER_MS } from '../../../core/units.ts'
import type { Environment } from '../../ports/environment.ts'

/** The engine's clock is an integer below 2^53, which is 104 days. */
const END_NS = msToNs(100 * MS_PER_DAY)

/** How long the process may be kept busy at once, and how long it is free in between; milliseconds. */
const BUSY_MS = 15
const FREE_MS = 1
/** How far the simulation may fall behind, in real time, before it skips what it missed. */
const LET_GO_MS = 1_000
/** A simulation without requests has no decisions; a stride is never longer than this, simulated. */
const LONGEST_STRIDE_NS = secondsToNs(60)
/** Most strides longer than an event in one call, because the caller waits for them. */
const MOST_STRIDES = 10
/** Between two checks of the clock when nothing is urgent. */
const TICK_MS = 50
/** Minimum real time between two frames. */
const LEAST_FRAME_MS = 50

export interface DriverOptions {
  readonly simulation: Simulation
  readonly environment: Environment
  /** A clock of this machine, to measure computation: it advances while the environment's stands still. Milliseconds. */
  readonly stopwatch: () => number
  /** Simulated time that is computed as fast as possible before the simulation keeps pace. */
  readonly backfillNs: Nanoseconds
  readonly onFrame: () => void
  readonly onDump: () => void
}

/** Runs a simulation at the pace of a clock without ever keeping the process busy for long. */
export interface Driver {
  readonly speed: number
  readonly paused: boolean
  readonly reachedSpeed: number
  /** The history before the present is still being computed. */
  readonly isBehind: boolean
  readonly ended: boolean
  start(signal: AbortSignal): void
  setCadence(frameMs: number, dumpMs: number | null): void
  /** Changes the interval of dumps alone. */
  setDumpInterval(dumpMs: number | null): void
  setPace(speed: number, paused: boolean): void
  /** Advances by this many strides; only while paused. */
  step(times: number, stride: Stride): void
  /** Emits a frame and a dump of the present. */
  tell(): void
}

export function createDriver(options: DriverOptions): Driver {
  const { simulation, environment, stopwatch, onFrame, onDump } = options
  /** Up to here everything is computed as fast as possible. */
  let { backfillNs } = options
  const pace = createPace(1)
  const speedometer = createSpeedometer()
  let frameMs = 1_000
  let dumpMs: number | null = null
  let nextFrameNs = 0
  let nextDumpMs = 0
  let lastTickMs = Number.NEGATIVE_INFINITY
  let signal: AbortSignal | undefined
  let cancel = (): void => undefined

  /**
   * Simulated time between two frames. Slower than real time, frames keep their real interval; faster, their simulated
   * interval as long as that is not too frequent to show.
   */
  const frameStepNs = (): Nanoseconds => {
    const stepMs = pace.speed < 1 ? frameMs * pace.speed : Math.max(frameMs, pace.speed * LEAST_FRAME_MS)
    return Math.max(1, msToNs(stepMs))
  }

  /** Frames are on the grid of their interval, so that their instants do not depend on how far each tick went. */
  const planFrame = (): void => {
    const step = frameStepNs()
    nextFrameNs = (Math.floor(simulation.nowNs / step) + 1) * step
  }
  const frame = (): void => {
    onFrame()
    planFrame()
  }
  const tell = (): void => {
    onFrame()
    if (dumpMs !== null) onDump()
  }
  const isBehind = (): boolean => simulation.nowNs < backfillNs
  const dumpIfDue = (nowMs: number): void => {
    if (dumpMs === null || (nowMs < nextDumpMs && nextDumpMs - nowMs <= dumpMs) || isBehind()) return
    nextDumpMs = nowMs + dumpMs
    onDump()
  }

  /** Runs towards the target for a moment; returns whether it got there. */
  const advance = (targetNs: Nanoseconds): boolean => {
    const until = stopwatch() + BUSY_MS
    const mayGoOn = (): boolean => stopwatch() < until
    for (;;) {
      const stopNs = Math.min(targetNs, nextFrameNs)
      if (!simulation.runTo(stopNs, mayGoOn)) return false
      if (stopNs === nextFrameNs) frame()
      if (stopNs >= targetNs) return true
      if (!mayGoOn()) return false
    }
  }

  const tick = (): void => {
    const now = environment.now()
    // The clock was set back: waiting until it catches up could take hours.
    if (now < lastTickMs && !isBehind()) pace.lagBehind(now, simulation.nowNs)
    lastTickMs = now
    const targetNs = Math.min(pace.targetNs(now), END_NS)
    const arrived = advance(targetNs)
    const behind = isBehind()
    const missedNs = targetNs - simulation.nowNs
    if (!behind && missedNs > msToNs(LET_GO_MS) * pace.speed) pace.lagBehind(now, simulation.nowNs)
    if (!behind) speedometer.note(now, simulation.nowNs)
    dumpIfDue(now)
    schedule(arrived)
  }

  const schedule = (arrived: boolean): void => {
    cancel()
    if (signal === undefined || signal.aborted || simulation.nowNs >= END_NS) return
    if (pace.paused && arrived) return
    const now = environment.now()
    const frameIn = pace.dueMs(nextFrameNs) - now
    const dumpIn = dumpMs === null ? Number.POSITIVE_INFINITY : nextDumpMs - now
    const wait = arrived ? Math.max(FREE_MS, Math.min(TICK_MS, frameIn, dumpIn)) : FREE_MS
    cancel = environment.after(Math.ceil(wait), tick)
  }

  return {
    get speed() {
      return pace.speed
    },
    get paused() {
      return pace.paused
    },
    get reachedSpeed() {
      return pace.paused ? 0 : speedometer.read()
    },
    get isBehind() {
      return isBehind()
    },
    get ended() {
      return simulation.nowNs >= END_NS
    },
    start(given) {
      signal = given
      signal.addEventListener('abort', () => cancel(), { once: true })
      pace.set(environment.now(), simulation.nowNs + backfillNs, pace.speed, pace.paused)
      schedule(false)
    },
    setCadence(newFrameMs, newDumpMs) {
      frameMs = newFrameMs
      dumpMs = newDumpMs
      nextDumpMs = environment.now()
      if (signal === undefined) return
      planFrame()
      schedule(!isBehind())
    },
    setDumpInterval(newDumpMs) {
      dumpMs = newDumpMs
      nextDumpMs = environment.now()
      schedule(!isBehind())
    },
    setPace(speed, paused) {
      // A change before the history is complete must not cut it off.
      pace.set(environment.now(), Math.max(simulation.nowNs, backfillNs), speed, paused)
      speedometer.forget()
      if (signal === undefined) return
      planFrame()
      schedule(!isBehind())
    },
    step(times, stride) {
      // To step through single events, skip the rest of the history.
      backfillNs = Math.min(backfillNs, simulation.nowNs)
      const most = stride === 'event' ? times : Math.min(times, MOST_STRIDES)
      for (let done = 0; done < most; done++) {
        if (!goOn(simulation, stride, Math.min(simulation.nowNs + LONGEST_STRIDE_NS, END_NS))) break
      }
      pace.set(environment.now(), simulation.nowNs, pace.speed, true)
      planFrame()
      tell()
    },
    tell,
  }
}

/**
 * Maps real time to simulated time. Real time is in milliseconds, simulated time in nanoseconds.
 *
 * After `lagBehind`, the pace does not catch up with what was missed.
 */
interface Pace {
  readonly speed: number
  readonly paused: boolean
  /** The time at which the simulation should be. */
  targetNs(nowMs: Nanoseconds): number
  /** When it should reach `ns`; `Infinity` while paused. */
  dueMs(ns: Nanoseconds): number
  /** Sets the speed from here on. */
  set(nowMs: number, atNs: Nanoseconds, speed: number, paused: boolean): void
  /** The simulation has only reached this time. */
  lagBehind(nowMs: number, atNs: Nanoseconds): void
}

function createPace(speed: number): Pace {
  let state = { fromMs: 0, fromNs: 0, speed, paused: false }
  return {
    get speed() {
      return state.speed
    },
    get paused() {
      return state.paused
    },
    targetNs: (nowMs) =>
      state.paused
        ? state.fromNs
        : state.fromNs + Math.max(0, Math.floor((nowMs - state.fromMs) * NS_PER_MS * state.speed)),
    dueMs: (ns) =>
      state.paused ? Number.POSITIVE_INFINITY : state.fromMs + (ns - state.fromNs) / (NS_PER_MS * state.speed),
    set(nowMs, atNs, newSpeed, paused) {
      state = { fromMs: nowMs, fromNs: atNs, speed: newSpeed, paused }
    },
    lagBehind(nowMs, atNs) {
      state = { ...state, fromMs: nowMs, fromNs: atNs }
    },
  }
}

/** The speed over the last seconds of real time. */
interface Speedometer {
  note(nowMs: number, atNs: Nanoseconds): void
  /** Simulated seconds per second; 0 before there is anything to compare. */
  read(): number
  /** The pace was changed: earlier values no longer count. */
  forget(): void
}

const WINDOW_MS = 2_000

function createSpeedometer(): Speedometer {
  let notes: { readonly ms: number; readonly ns: Nanoseconds }[] = []
  return {
    note(ms, ns) {
      notes.push({ ms, ns })
      while (notes.length > 2 && ms - (notes[1]?.ms ?? ms) > WINDOW_MS) notes.shift()
    },
    read() {
      const [first, last] = [notes[0], notes.at(-1)]
      if (first === undefined || last === undefined || last.ms <= first.ms) return 0
      return (last.ns - first.ns) / ((last.ms - first.ms) * NS_PER_MS)
    },
    forget() {
      notes = []
    },
  }
}
