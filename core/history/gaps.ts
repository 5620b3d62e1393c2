import { plural } from '../text/format.ts'
import type { Sentence } from '../answer/answer.ts'
import { staleAfterMs } from '../frame/staleAfter.ts'
import type { UnixMs } from '../units.ts'
import type { Series } from './series.ts'

/**
 * A time span without a sample: from the last one before it to the first one after it, or, if samples are merged, to
 * the start of the step of that first one.
 */
export interface Gap {
  readonly from: UnixMs
  readonly to: UnixMs
}

export type Sampled = Pick<Series, 'times' | 'samples' | 'stepSeconds' | 'mergedSeconds'>

/**
 * Time spans in which nothing was recorded, ascending: those with a point that represents no sample (see `Tier.query`).
 * With `isKnown`, by the index of a point, also those of samples that lack the required number. The times before the
 * first sample and after the last one are not included.
 */
export function gapsOf(series: Sampled, isKnown?: (index: number) => boolean): readonly Gap[] {
  const { times, samples, mergedSeconds } = series
  const known = knownIn(series, isKnown)
  return known.slice(1).flatMap((after, i): Gap[] => {
    const before = known[i] ?? 0
    const [from = 0, at = 0] = [times[before], times[after]]
    const between = samples.slice(before + 1, after)
    const lacks = between.length > 0 && at - from > lateAfterMs(series)
    return lacks || between.includes(0) ? [{ from, to: startOf(at, mergedSeconds * 1_000) }] : []
  })
}

/** Earliest time of the samples of a point: its time is that of the last one. */
export const startOf = (at: UnixMs, stepMs: number): UnixMs =>
  stepMs === 0 ? at : (Math.ceil(at / stepMs) - 1) * stepMs

/** Milliseconds after the newest point of a series from which the next one counts as missing. */
export const lateAfterMs = ({ stepSeconds }: Sampled): number => staleAfterMs(stepSeconds * 1_000)

/** Indices of the points that represent samples. */
export const knownIn = ({ times, samples }: Sampled, isKnown?: (index: number) => boolean): readonly number[] =>
  [...times.keys()].filter((index) => (samples[index] ?? 0) > 0 && isKnown?.(index) !== false)

/**
 * `no samples from 03:07:20 to 03:12:40 (5 min 20 s)`; for several their number, and the longest one. Empty if there is
 * none.
 */
export function gapsPhrase(gaps: readonly Gap[], as: 'time' | 'dateTime'): Sentence {
  const [longest] = gaps.toSorted((a, b) => msOf(b) - msOf(a))
  if (longest === undefined) return []
  return [
    `no samples ${plural(gaps.length, '', `in ${gaps.length} gaps, the longest `)}from `,
    { value: longest.from, as },
    ' to ',
    { value: longest.to, as },
    ' (',
    { value: msOf(longest), as: 'length' },
    ')',
  ]
}

/** Milliseconds of a gap. */
export const msOf = ({ from, to }: Gap): number => to - from
