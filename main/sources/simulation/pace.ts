import { type Nanoseconds, NS_PER_MS } from '../../../core/units.ts'

/**
 * Which simulated time belongs to which real one. Real time is in milliseconds, simulated time in nanoseconds.
 *
 * A pace that cannot be kept is let go: after `lagBehind`, what was missed is not caught up with.
 */
export interface Pace {
  readonly speed: number
  readonly paused: boolean
  /** Where the simulation ought to be. */
  targetNs(nowMs: Nanoseconds): number
  /** When it ought to be at `ns`; `Infinity` while paused. */
  dueMs(ns: Nanoseconds): number
  /** From here on at this speed. */
  set(nowMs: number, atNs: Nanoseconds, speed: number, paused: boolean): void
  /** The simulation has only come this far. */
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

/** Speed that was reached over the last seconds of real time. */
export interface Speedometer {
  note(nowMs: number, atNs: Nanoseconds): void
  /** Simulated seconds in one; 0 before there is anything to compare. */
  read(): number
  /** The pace was changed: what was before says nothing any more. */
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
