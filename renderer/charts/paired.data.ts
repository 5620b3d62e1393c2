import { sumOfKnown } from '../../core/frame/reading.ts'
import { rejectedRate } from '../../core/history/range.ts'
import type { Series } from '../../core/history/series.ts'

/** Requests of all levels answered 429 at each point, per second; `undefined` where that is not known. */
export const rejectedPoints = ({
  times,
  levels,
}: Series): readonly { readonly at: number; readonly rate: number | undefined }[] =>
  times.map((at, index) => ({ at, rate: sumOfKnown(levels.map((level) => rejectedRate(level, index) ?? undefined)) }))
