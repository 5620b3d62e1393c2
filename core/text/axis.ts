import { significantly } from './format.ts'

/** Round numbers and clock times along chart axes, on screen or in a report. */

/** Unix milliseconds at both ends of an axis. */
interface TimeSpan {
  readonly from: number
  readonly to: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const STEPS_MS = [
  SECOND,
  2 * SECOND,
  5 * SECOND,
  10 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
] as const

export interface TimeTick {
  readonly at: number
  readonly label: string
}

/** Where "round" clock times lie and how they are formatted. The caller supplies the zone. */
export interface ClockFace {
  /** Clock time with seconds: `03:12:43`. */
  time(at: number): string
  /** Clock time − UTC, milliseconds. */
  readonly offsetMs: number
}

/** Round instants inside the domain, at least `minGap` pixels apart. Seconds are printed only when they matter. */
export function timeTicks(domain: TimeSpan, width: number, face: ClockFace, minGap = 76): readonly TimeTick[] {
  const span = domain.to - domain.from
  if (span <= 0 || width <= 0) return []
  const atLeast = (span / width) * minGap
  const step = STEPS_MS.find((candidate) => candidate >= atLeast) ?? Math.ceil(atLeast / (24 * HOUR)) * 24 * HOUR
  const first = Math.ceil((domain.from + face.offsetMs) / step) * step - face.offsetMs
  const ticks: TimeTick[] = []
  for (let at = first; at <= domain.to; at += step) {
    const label = face.time(at)
    ticks.push({ at, label: step < MINUTE ? label : label.slice(0, 5) })
  }
  return ticks
}

export interface ValueAxis {
  readonly max: number
  readonly ticks: readonly number[]
}

/**
 * An axis from 0 that holds `largest` with about `count` steps of 1, 2 or 5 times a power of ten. Amounts in whole
 * units (`integers`) never get fractional ticks.
 */
export function valueAxis(largest: number, count = 4, integers = true): ValueAxis {
  const top = Number.isFinite(largest) && largest > 0 ? largest : 1
  const rough = top / Math.max(1, count)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10]
    .map((factor) => (integers ? Math.max(1, factor * power) : factor * power))
    .reduce((best, other) => (Math.abs(top / other - count) < Math.abs(top / best - count) ? other : best))
  const steps = Math.max(1, Math.ceil(top / step - 1e-9))
  return { max: steps * step, ticks: Array.from({ length: steps + 1 }, (_, i) => significantly(i * step, 12)) }
}
