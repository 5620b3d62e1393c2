import type { UnixMs } from '../units.ts'
import { gapsOf, knownIn, lateAfterMs, msOf, startOf, type Gap, type Sampled } from './gaps.ts'

/** The parts of a time span that were not recorded, ascending; its start and its end may lie in a gap. */
export function gapsWithin(series: Sampled, { from, to }: Gap): readonly Gap[] {
  const known = knownIn(series).map((index) => series.times[index] ?? 0)
  const inside = known.filter((at) => at >= from && at <= to)
  const [first, last] = [inside[0], inside.at(-1)]
  if (first === undefined || last === undefined) return [{ from, to }]
  // The sample that is due at either end may arrive late, like any other.
  const lateMs = lateAfterMs(series)
  const start = startOf(first, series.mergedSeconds * 1_000)
  return [
    ...(known[0] === first && start - from > lateMs ? [{ from, to: start }] : []),
    ...gapsOf(series).map((gap) => ({ from: Math.max(from, gap.from), to: Math.min(to, gap.to) })),
    ...(known.at(-1) === last && to - last > lateMs ? [{ from: last, to }] : []),
  ].filter((gap) => msOf(gap) > 0)
}

/** The gap that contains an instant. */
export const gapAround = (series: Sampled, at: UnixMs): Gap | undefined =>
  gapsOf(series).find(({ from, to }) => from < at && at < to)
