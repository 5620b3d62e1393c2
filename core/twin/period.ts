import { median } from '../frame/quantile.ts'
import type { UnixMs } from '../units.ts'

/** A number at an instant. */
export interface Sample {
  readonly at: UnixMs
  readonly value: number
}

/** A load that repeats only twice may do so by chance. */
const LEAST_WAVES = 3
const MOST_BINS = 240
/** Correlation of a load with itself one period earlier, and how far it falls within a period. */
const ALIKE = 0.5
/** The same of short waves that begin between bins, where the next but one begin with a bin and are as good. */
const BETWEEN_BINS = 0.4
/** In standard deviations of the correlation of noise. */
const SIGNIFICANT = 3
/** A wave correlates as well with the next but one, by chance up to this much better. */
const AS_GOOD = 0.2

/**
 * The period of the waves in which these values come, in milliseconds; `undefined` unless they repeat at least three
 * times. Of several periods at once, the one with the largest waves. Samples ascend and may have gaps.
 */
export function periodOf(samples: readonly Sample[]): number | undefined {
  const [first, last] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 0]
  const usual = median(samples.slice(1).map(({ at }, i) => at - (samples[i]?.at ?? at))) ?? 0
  const binMs = Math.max(usual, (last - first) / MOST_BINS)
  if (!(binMs > 0)) return undefined
  const values = binned(samples, first, binMs)
  const most = Math.floor(values.length / LEAST_WAVES)
  const correlated = Array.from({ length: 2 * most + 2 }, (_, lag) => correlation(values, lag))
  // Waves do not begin where bins do, so the lags beside each one count; lag 0 has lag 1 on both sides.
  const alike = correlated.map(
    (value, lag) => (at(correlated, Math.abs(lag - 1)) + 2 * value + at(correlated, lag + 1)) / 4,
  )
  const peaks = alike.flatMap((value, lag) => {
    const isPeak = lag <= most && value > at(alike, lag - 1) && value >= at(alike, lag + 1)
    const least = Math.max(BETWEEN_BINS, SIGNIFICANT / Math.sqrt(values.length - lag))
    const hasFallen = value - Math.min(...alike.slice(0, lag)) >= BETWEEN_BINS
    return isPeak && value >= least && hasFallen && at(alike, 2 * lag) >= BETWEEN_BINS ? [{ value, lag }] : []
  })
  const best = Math.max(...peaks.map(({ value }) => value))
  const peak = best < ALIKE ? undefined : peaks.find(({ value }) => value >= best - AS_GOOD)
  return peak && binMs * (peak.lag + vertex(at(alike, peak.lag - 1), peak.value, at(alike, peak.lag + 1)))
}

const at = (values: readonly number[], index: number): number => values[index] ?? 0

type Bins = readonly (number | undefined)[]

/** The mean of each bin; `undefined` where there is no sample. */
function binned(samples: readonly Sample[], first: UnixMs, binMs: number): Bins {
  const bins: { sum: number; count: number }[] = []
  for (const { at: time, value } of samples) {
    const bin = (bins[Math.round((time - first) / binMs)] ??= { sum: 0, count: 0 })
    bin.sum += value
    bin.count++
  }
  return Array.from(bins, (bin) => bin && bin.sum / bin.count)
}

/** Of the values with those `lag` bins later; 0 where either do not vary. */
function correlation(values: Bins, lag: number): number {
  let [count, x, y, xx, yy, xy] = [0, 0, 0, 0, 0, 0]
  for (let i = 0; i < values.length - lag; i++) {
    const [a, b] = [values[i], values[i + lag]]
    if (a === undefined || b === undefined) continue
    count++
    x += a
    y += b
    xx += a * a
    yy += b * b
    xy += a * b
  }
  const [varianceX, varianceY] = [count * xx - x * x, count * yy - y * y]
  const least = 1e-9 * count * (xx + yy)
  return varianceX <= least || varianceY <= least
    ? 0
    : (count * xy - x * y) / (Math.sqrt(varianceX) * Math.sqrt(varianceY))
}

/** Where a parabola through three values, of which the middle one is the largest, is highest: from the middle one. */
function vertex(before: number, middle: number, after: number): number {
  const bend = before - 2 * middle + after
  return bend === 0 ? 0 : (before - after) / (2 * bend)
}
