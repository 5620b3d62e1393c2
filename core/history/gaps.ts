import { staleAfterMs } from '../frame/staleAfter.ts'
import type { UnixMs } from '../units.ts'
import type { Series } from './series.ts'

/**
 * A stretch of time without a sample: from the last one before it to the first one after it, or, where samples are merged, to
 * the start of the step that this one lies in.
 */
export interface Gap {
  readonly from: UnixMs
  readonly to: UnixMs
}

type Sampled = Pick<Series, 'times' | 'samples' | 'stepSeconds' | 'mergedSeconds'>

/**
 * Stretches in which nothing was recorded, ascending; with `isKnown`, those in which nothing was recorded of what it looks
 * at, by the index of the point. What comes before the first sample and after the last one is none of them.
 */
export function gapsOf(series: Sampled, isKnown?: (index: number) => boolean): readonly Gap[] {
  const { times, samples, mergedSeconds } = series
  const known = knownIn(series, isKnown)
  const distances = distancesOf(series, known)
  const usual = middleOf(distances)
  return distances.flatMap((distance, i): Gap[] => {
    const [before = 0, after = 0] = [known[i], known[i + 1]]
    const isSilent = samples.slice(before + 1, after).includes(0)
    if (!isSilent && !isLong(distance, usual, distances, i)) return []
    return [{ from: times[before] ?? 0, to: startOf(times[after] ?? 0, mergedSeconds * 1_000) }]
  })
}

/** Where the samples of a point may begin: its time is that of the last one. */
const startOf = (at: UnixMs, stepMs: number): UnixMs => (stepMs === 0 ? at : (Math.ceil(at / stepMs) - 1) * stepMs)

/** The same within a stretch of time, whose start and end may lie in a gap. */
export function gapsWithin(series: Sampled, { from, to }: Gap): readonly Gap[] {
  const known = knownIn(series).map((index) => series.times[index] ?? 0)
  const inside = known.filter((at) => at >= from && at <= to)
  const [first, last] = [inside[0], inside.at(-1)]
  if (first === undefined || last === undefined) return [{ from, to }]
  // The sample that is due at either end may come late, as any other.
  const lateMs = lateAfterMs(series)
  const start = startOf(first, series.mergedSeconds * 1_000)
  return [
    ...(known[0] === first && start - from > lateMs ? [{ from, to: start }] : []),
    ...gapsOf(series).map((gap) => ({ from: Math.max(from, gap.from), to: Math.min(to, gap.to) })),
    ...(known.at(-1) === last && to - last > lateMs ? [{ from: last, to }] : []),
  ].filter((gap) => msOf(gap) > 0)
}

/** So many distances on each side show what is usual at a place: a simulation may be sampled at another pace later. */
const AROUND = 2

const isLong = (distance: number, usual: number, distances: readonly number[], i: number): boolean =>
  distance > staleAfterMs(usual) &&
  distance > staleAfterMs(middleOf(distances.slice(Math.max(0, i - AROUND), i + AROUND + 1)))

/** The gap that an instant lies in. */
export const gapAround = (series: Sampled, at: UnixMs): Gap | undefined =>
  gapsOf(series).find(({ from, to }) => from < at && at < to)

/** Milliseconds after the newest point of a series from which on the next one is missing. */
export function lateAfterMs(series: Sampled, isKnown?: (index: number) => boolean): number {
  const distances = distancesOf(series, knownIn(series, isKnown))
  return staleAfterMs(distances.length === 0 ? series.stepSeconds * 1_000 : middleOf(distances))
}

const knownIn = ({ times, samples }: Sampled, isKnown?: (index: number) => boolean): readonly number[] =>
  [...times.keys()].filter((index) => (samples[index] ?? 0) > 0 && isKnown?.(index) !== false)

const distancesOf = ({ times }: Sampled, known: readonly number[]): readonly number[] =>
  known.slice(1).map((index, i) => (times[index] ?? 0) - (times[known[i] ?? 0] ?? 0))

/** Of two in the middle the smaller one; 0 of none. */
const middleOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0

/** How gaps are written: `from 03:07:20 to 03:12:40`, and a length of milliseconds. */
export interface GapWords {
  readonly stretch: (gap: Gap) => string
  readonly length: (ms: number) => string
}

/**
 * `no samples from 03:07:20 to 03:12:40 (5 min)`; of several how many there are, how long in all, and the longest one.
 * Empty where there is none.
 */
export function gapsPhrase(gaps: readonly Gap[], { stretch, length }: GapWords): string {
  const [longest] = gaps.toSorted((a, b) => msOf(b) - msOf(a))
  if (longest === undefined) return ''
  const one = `${stretch(longest)} (${length(msOf(longest))})`
  if (gaps.length === 1) return `no samples ${one}`
  const all = gaps.reduce((sum, gap) => sum + msOf(gap), 0)
  return `no samples in ${gaps.length} gaps, ${length(all)} in all, the longest ${one}`
}

/** Milliseconds of a gap. */
export const msOf = ({ from, to }: Gap): number => to - from
