import { significantly } from '../text/format.ts'
import type { Effect, Measured, Score } from '../contract/effect.ts'
import { QUANTITIES } from '../bounds.ts'
import type { Band, Earlier, ForecastReport, Quantities, Quantity, Unsure } from '../contract/forecast.ts'
import { MS_PER_SECOND } from '../units.ts'

/** Length of the measurement; 0 if there is none. */
export const measuredSeconds = (measured: Measured | undefined): number =>
  measured === undefined ? 0 : (measured.untilMs - measured.fromMs) / MS_PER_SECOND

/** A forecast and its measured counterpart: a band, or a direction where there is none. */
export interface Judged {
  readonly level: string
  readonly quantity: Quantity
  /** Before the edit. */
  readonly now: number
  readonly band?: Band
  readonly unsure?: Unsure
  readonly measured: number
  /** In its band, or in the direction that was stated. */
  readonly right: boolean
  /** Forecast or measured to be more than negligible. */
  readonly matters: boolean
}

/** A number with a band. */
export type Banded = Judged & { readonly band: Band }
export const isBanded = (judged: Judged): judged is Banded => judged.band !== undefined

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
  levels.flatMap(({ level, now, bands, unsure }) => {
    const came = measured.find((one) => one.level === level)?.quantities
    const arrivals = now?.arrivalsPerSecond ?? came?.arrivalsPerSecond ?? 0
    if (came === undefined || arrivals < FEWEST_ARRIVALS) return []
    return QUANTITIES.flatMap((quantity): readonly Judged[] => {
      const [band, direction, value] = [bands[quantity], unsure?.[quantity], came[quantity]]
      if (value === undefined) return []
      const base = { level, quantity, now: now?.[quantity] ?? 0, measured: value }
      const matters = (...values: readonly number[]): boolean => Math.max(value, ...values) > NOTHING[quantity]
      if (band !== undefined) {
        const shown = (one: number): number => significantly(one, SHOWN_DIGITS)
        const right = shown(value) >= shown(band.low) && shown(value) <= shown(band.high)
        return [{ ...base, band, right, matters: matters(band.point) }]
      }
      if (direction === undefined) return []
      const right = direction.to === 'rises' ? value > base.now : value < base.now
      return [{ ...base, unsure: direction, right, matters: matters(base.now) }]
    })
  })

/** Distance of a number from its band, in half-widths of the band; 0 inside. */
const distanceOf = ({ band: { low, high }, measured }: Banded): number =>
  Math.max(0, low - measured, measured - high) / Math.max((high - low) / 2, Number.EPSILON)

/** The number farthest outside its band; `undefined` if all are inside. */
export const worstMiss = (judged: readonly Judged[]): Banded | undefined =>
  judged
    .filter(isBanded)
    .filter(({ right }) => !right)
    .toSorted((a, b) => distanceOf(b) - distanceOf(a))[0]

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
  const quantities = QUANTITIES.flatMap((quantity) => {
    const own = last.flatMap(({ numbers }) => numbers.filter((one) => one.quantity === quantity))
    const banded = own.filter(isBanded)
    const stated = own.filter(({ unsure }) => unsure?.to !== undefined)
    if (banded.length + stated.length === 0) return []
    const right = (of: readonly Judged[]): number => of.filter((one) => one.right).length
    return [
      {
        quantity,
        numbers: banded.length,
        inside: right(banded),
        directions: stated.length,
        rightDirections: right(stated),
      },
    ]
  })
  return quantities.length === 0 ? undefined : { edits: last.length, quantities }
}

/** Fewer numbers cannot represent nine in ten, and edits before the last `WIDENING_EDITS` are outdated. */
const FEWEST_NUMBERS = 10
const WIDENING_EDITS = 20
const BAND_PART = 0.9
/** Where bands had to be wider than this, they are useless. */
export const MOST_WIDENING = 3

/**
 * How the last forecasts held, by quantity, and the factor by which their bands should have been wider for nine in ten
 * of the numbers to lie inside (split conformal prediction). Quantities without enough numbers are left out.
 */
export function earlierOf(effects: readonly Effect[]): Earlier {
  const all = scored(effects, WIDENING_EDITS).flatMap(({ effect, numbers }) =>
    numbers.filter(isBanded).map((one) => ({ ...one, widened: effect.forecast?.widened?.[one.quantity] ?? 1 })),
  )
  return Object.fromEntries(
    [...Map.groupBy(all, ({ quantity }) => quantity)].flatMap(([quantity, of]) => {
      if (of.length < FEWEST_NUMBERS) return []
      const needed = of.map((one) => deviationOf(one) * one.widened).toSorted((a, b) => a - b)
      const place = Math.min(needed.length, Math.ceil(BAND_PART * (needed.length + 1)))
      const inside = of.filter(({ right }) => right).length
      return [[quantity, { numbers: of.length, inside, widening: Math.max(1, needed[place - 1] ?? 1) }]]
    }),
  )
}

/** Distance of the measured value from the forecast, in half-widths of the band on that side. */
function deviationOf({ band: { low, point, high }, measured }: Banded): number {
  const half = measured > point ? high - point : point - low
  return Math.abs(measured - point) / Math.max(half, Number.EPSILON)
}
