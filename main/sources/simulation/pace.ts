import { type Nanoseconds, NS_PER_MS } from '../../../core/units.ts'

/**
 * Maps real time to simulated time. Real time is in milliseconds, simulated time in nanoseconds.
 *
 * After `lagBehind`, the pace does not catch up with what was missed.
 */
export interface Pace {
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

export function createPace(speed: number): Pace {
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
export interface Speedometer {
  note(nowMs: number, atNs: Nanoseconds): void
  /** Simulated seconds per second; 0 before there is anything to compare. */
  read(): number
  /** The pace was changed: earlier values no longer count. */
  forget(): void
}

const WINDOW_MS = 2_000

export function createSpeedometer(): Speedometer {
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
