import { plain, plural, significantly } from '../text/format.ts'
import type { Effect, Measured, Score } from '../contract/effect.ts'
import { QUANTITIES } from '../bounds.ts'
import type { Band, ForecastReport, Quantities, Quantity } from '../contract/forecast.ts'
import { MS_PER_SECOND } from '../units.ts'

/** Length of the measurement; 0 if there is none. */
export const measuredSeconds = (measured: Measured | undefined): number =>
  measured === undefined ? 0 : (measured.untilMs - measured.fromMs) / MS_PER_SECOND

/** A forecast value and its measured counterpart. */
export interface Judged {
  readonly level: string
  readonly quantity: Quantity
  /** Before the edit. */
  readonly now: number
  readonly band: Band
  readonly measured: number
  readonly inside: boolean
  /** Forecast or measured to be more than negligible. */
  readonly matters: boolean
}

/** Smaller values are negligible: seconds, requests per second, seats. */
const NOTHING: Readonly<Record<Quantity, number>> = {
  waitP50: 0.01,
  waitP99: 0.01,
  rejectedPerSecond: 0.2,
  seats: 1,
  current: 1,
}
/** Numbers are shown with as many, and judged as they are shown. */
const SHOWN_DIGITS = 3
/** A level with fewer requests per second is not counted. */
const FEWEST_ARRIVALS = 1

/** Every number of a forecast with its measured counterpart. Numbers that a page does not report are left out. */
export const judge = (
  { levels }: Pick<ForecastReport, 'levels'>,
  measured: readonly { readonly level: string; readonly quantities: Quantities }[],
): readonly Judged[] =>
  levels.flatMap(({ level, now, bands }) => {
    const came = measured.find((one) => one.level === level)?.quantities
    if (came === undefined || now === undefined || now.arrivalsPerSecond < FEWEST_ARRIVALS) return []
    return QUANTITIES.flatMap((quantity): readonly Judged[] => {
      const [band, value] = [bands[quantity], came[quantity]]
      if (band === undefined || value === undefined) return []
      const shown = (one: number): number => significantly(one, SHOWN_DIGITS)
      const inside = shown(value) >= shown(band.low) && shown(value) <= shown(band.high)
      const matters = Math.max(value, band.point) > NOTHING[quantity]
      return [{ level, quantity, now: now[quantity] ?? 0, band, measured: value, inside, matters }]
    })
  })

/** Distance of a number from its band, in half-widths of the band; 0 inside. */
const distanceOf = ({ band: { low, high }, measured }: Judged): number =>
  Math.max(0, low - measured, measured - high) / Math.max((high - low) / 2, Number.EPSILON)

/** The number farthest outside its band; `undefined` if all are inside. */
export const worstMiss = (judged: readonly Judged[]): Judged | undefined =>
  judged.filter(({ inside }) => !inside).toSorted((a, b) => distanceOf(b) - distanceOf(a))[0]

/** The numbers of an effect that count: those that are not negligible, once enough was measured. */
export function judgedOf({ forecast, measured }: Effect): readonly Judged[] {
  if (forecast === undefined || measured === undefined) return []
  return judge(forecast, measured.levels).filter(({ matters }) => matters)
}

/** A score covers this many edits, each measured for at least this long. */
const SCORED_EDITS = 5
const SCORED_SECONDS = 60

/** The last edits with numbers that count, from effects sorted newest first. */
function scored(effects: readonly Effect[], most: number) {
  return effects
    .filter(({ measured }) => measuredSeconds(measured) >= SCORED_SECONDS)
    .map((effect) => ({ effect, numbers: judgedOf(effect) }))
    .filter(({ numbers }) => numbers.length > 0)
    .slice(0, most)
}

/** The accuracy of the last forecasts, from effects sorted newest first; `undefined` without any evidence. */
export function scoreOf(effects: readonly Effect[]): Score | undefined {
  const last = scored(effects, SCORED_EDITS)
  const all = last.flatMap(({ numbers }) => numbers)
  if (all.length === 0) return undefined
  return { edits: last.length, numbers: all.length, inside: all.filter(({ inside }) => inside).length }
}

/** Fewer numbers cannot represent nine in ten, and edits before the last `WIDENING_EDITS` are outdated. */
const FEWEST_NUMBERS = 10
const WIDENING_EDITS = 20
const BAND_PART = 0.9
const MOST_WIDENING = 3

/**
 * The factor by which the bands of the last forecasts should have been wider for nine in ten of their numbers to lie
 * inside (split conformal prediction); between 1 and 3, and 1 without enough evidence.
 */
export function wideningOf(effects: readonly Effect[]): number {
  const needed = scored(effects, WIDENING_EDITS)
    .flatMap(({ effect, numbers }) => numbers.map((one) => deviationOf(one) * (effect.forecast?.widening ?? 1)))
    .toSorted((a, b) => a - b)
  if (needed.length < FEWEST_NUMBERS) return 1
  const place = Math.min(needed.length, Math.ceil(BAND_PART * (needed.length + 1)))
  return Math.min(MOST_WIDENING, Math.max(1, needed[place - 1] ?? 1))
}

/** Distance of the measured value from the forecast, in half-widths of the band on that side. */
function deviationOf({ band: { low, point, high }, measured }: Judged): number {
  const half = measured > point ? high - point : point - low
  return Math.abs(measured - point) / Math.max(half, Number.EPSILON)
}

/** `7 of 9 numbers inside their bands over the last 5 edits`. */
export const scoreText = ({ edits, numbers, inside }: Score): string =>
  `${inside} of ${plain.counted(numbers, 'number inside its band', 'numbers inside their bands')} over the last ${plural(edits, 'edit', plain.counted(edits, 'edit'))}`
