import type { Effect, Measured, Score } from '../contract/effect.ts'
import { type Band, type ForecastReport, QUANTITIES, type Quantities, type Quantity } from '../contract/forecast.ts'
import { MS_PER_SECOND } from '../units.ts'

/** Length of what was measured; 0 of nothing. */
export const measuredSeconds = (measured: Measured | undefined): number =>
  measured === undefined ? 0 : (measured.untilMs - measured.fromMs) / MS_PER_SECOND

/** A value that was forecast, and what came of it. */
export interface Judged {
  readonly level: string
  readonly quantity: Quantity
  /** Before the edit. */
  readonly now: number
  readonly band: Band
  readonly measured: number
  readonly inside: boolean
  /** Neither forecast nor measured to be as good as nothing. */
  readonly matters: boolean
}

/** Below these a value is as good as nothing: seconds, requests per second, seats. */
const NOTHING: Readonly<Record<Quantity, number>> = {
  waitP50: 0.01,
  waitP99: 0.01,
  rejectedPerSecond: 0.2,
  seats: 1,
  current: 1,
}
/** Of a level with fewer requests than this each second nothing is counted. */
const FEWEST_ARRIVALS = 1

/** Every number of a forecast beside what was measured; what a page does not report is left out. */
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
      const inside = value >= band.low && value <= band.high
      const matters = Math.max(value, band.point) > NOTHING[quantity]
      return [{ level, quantity, now: now[quantity] ?? 0, band, measured: value, inside, matters }]
    })
  })

/** How far a number lies outside its band, in half-widths of it; 0 inside. */
const distanceOf = ({ band: { low, high }, measured }: Judged): number =>
  Math.max(0, low - measured, measured - high) / Math.max((high - low) / 2, Number.EPSILON)

/** The number that lies farthest outside its band; `undefined` where all lie inside. */
export const worstMiss = (judged: readonly Judged[]): Judged | undefined =>
  judged.filter(({ inside }) => !inside).toSorted((a, b) => distanceOf(b) - distanceOf(a))[0]

/** The numbers of an effect that count: those that matter, once enough was measured. */
export function judgedOf({ forecast, measured }: Effect): readonly Judged[] {
  if (forecast === undefined || measured === undefined) return []
  return judge(forecast, measured.levels).filter(({ matters }) => matters)
}

/** A score is of so many edits, and each of them was measured for so long. */
const SCORED_EDITS = 5
const SCORED_SECONDS = 60

/** How the last forecasts did, of effects with the newest first; `undefined` without any evidence. */
export function scoreOf(effects: readonly Effect[]): Score | undefined {
  const scored = effects
    .filter(({ measured }) => measuredSeconds(measured) >= SCORED_SECONDS)
    .map(judgedOf)
    .filter(({ length }) => length > 0)
    .slice(0, SCORED_EDITS)
  const numbers = scored.flat()
  if (numbers.length === 0) return undefined
  return { edits: scored.length, numbers: numbers.length, inside: numbers.filter(({ inside }) => inside).length }
}

/** `7 of 9 numbers inside their bands over the last 5 edits`. */
export const scoreText = ({ edits, numbers, inside }: Score): string =>
  `${inside} of ${numbers} ${numbers === 1 ? 'number' : 'numbers'} inside ${numbers === 1 ? 'its band' : 'their bands'} over the last ${edits === 1 ? 'edit' : `${edits} edits`}`
