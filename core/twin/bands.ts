import type { Band, Earlier, Quantity, Unsure } from '../contract/forecast.ts'
import { median } from '../frame/quantile.ts'
import { DEFAULT_REQUEST_TIMEOUT_SECONDS } from '../frame/reading.ts'
import { plain } from '../text/format.ts'
import { MOST_WIDENING } from './judge.ts'
import { meanOf } from './observe.ts'

/** How a quantity behaves. Bands are computed on a logarithmic scale, on which `least` more is nothing. */
interface Nature {
  readonly least: number
  /** Upper bound on any server. */
  readonly most?: number
  /** Deviation of a part of the history from the others before anything is known, on that scale. */
  readonly usual: number
  /** The forecast of a change is wrong by about this part of the change. */
  readonly ofChange: number
  /** A restart changes it by about this, also where the runs show nothing: caches are empty, clients in step. */
  readonly ofRestart: number
}

/** No request waits longer than a quarter of the request timeout. */
const LONGEST_WAIT_SECONDS = DEFAULT_REQUEST_TIMEOUT_SECONDS / 4

const NATURE: Readonly<Record<Quantity, Nature>> = {
  waitP50: { least: 0.005, most: LONGEST_WAIT_SECONDS, usual: 0.8, ofChange: 0.3, ofRestart: 0.3 },
  waitP99: { least: 0.005, most: LONGEST_WAIT_SECONDS, usual: 0.4, ofChange: 0.3, ofRestart: 0.3 },
  rejectedPerSecond: { least: 0.2, usual: 0.5, ofChange: 0.3, ofRestart: 0.3 },
  seats: { least: 1, usual: 0.1, ofChange: 0.2, ofRestart: 0.2 },
  current: { least: 1, usual: 0.12, ofChange: 0.15, ofRestart: 0.15 },
}
/** So many parts of a history weigh as much as what is usual. */
const USUAL_PARTS = 2

/** A value on the logarithmic scale of its quantity, and back. */
export const scaled = (quantity: Quantity, value: number): number => Math.log(value + NATURE[quantity].least)
const unscaled = (quantity: Quantity, value: number): number => Math.exp(value) - NATURE[quantity].least

/** One run's forecast of a quantity, on its scale. */
export interface Foreseen {
  readonly value: number
  /** Of the run without the edit. */
  readonly shown: number
  /** Of the twin without the edit, as far as the value is not corrected for it. */
  readonly error: number
}

/**
 * The forecast of one run: as far as the edit leaves the level unchanged, the server continues as observed, so the run
 * with the edit is corrected by the difference between server and twin without it.
 */
export function foresee(quantity: Quantity, now: number, after: number, shown: number): Foreseen {
  const [from, to, twin] = [scaled(quantity, now), scaled(quantity, after), scaled(quantity, shown)]
  const same = Math.exp(-Math.abs(to - twin))
  return { value: to + same * (from - twin), shown: twin, error: (1 - same) * Math.abs(from - twin) }
}

/** What a quantity of a level did in equal parts of the history, one after the other. */
export interface Past {
  readonly values: readonly number[]
  readonly partSeconds: number
}

/**
 * Half of a 90 % interval for the next `seconds` if the server continues as in the past, on the quantity's scale: each
 * part of the history is foretold from the other parts, and Student's distribution allows for how few there are.
 */
export function ownHalf(quantity: Quantity, { values, partSeconds }: Past, seconds: number): number {
  const points = values.map((value) => scaled(quantity, value))
  const count = points.length
  const mean = meanOf(points) ?? 0
  const squares = points.reduce((sum, point) => sum + (point - mean) ** 2, 0)
  const known = USUAL_PARTS + Math.max(0, count - 1)
  const deviation = Math.sqrt((squares + USUAL_PARTS * NATURE[quantity].usual ** 2) / known)
  const student = 1.645 * (1 + 1.2 / known)
  // A longer time than a part averages more of what comes and goes, but not of what changes for good.
  const averaged = Math.max(LEAST_AVERAGED, Math.min(1, Math.sqrt(partSeconds / seconds)))
  return student * deviation * Math.hypot(averaged, 1 / Math.sqrt(Math.max(1, count)))
}
const LEAST_AVERAGED = 0.5

export interface Evidence {
  readonly quantity: Quantity
  /** Mean over the history; absent where the level had no requests. */
  readonly now: number | undefined
  /** One for each run. */
  readonly foreseen: readonly Foreseen[]
  /** The longest p99 of the waits of these runs, seconds. */
  readonly longestWait: number
  readonly past: Past
  /** Seconds of the waves in which the requests of the level come, and of the part of one that the runs are about. */
  readonly wave?: { readonly seconds: number; readonly part: number } | undefined
  readonly seconds: number
  /** Whether the edit restarts the server. */
  readonly restarts: boolean
  readonly earlier: Earlier[Quantity]
}

/** Of a level that the edit adds, on the scale of its quantities. */
const UNKNOWN_CHANGE = 1

/** Of the logarithm, compared with what is nothing. */
const ROUNDING = 1e-9

/** Half-widths up to this part of the value are useful. */
const MOST_HALF = 1
/** A direction is only stated if the value changes by more than this. */
const LEAST_CHANGE = Math.log(1.1)

/** The band of a quantity, or its direction alone and why; nothing without runs. */
export function bandOrDirection(evidence: Evidence): { readonly band: Band } | { readonly unsure: Unsure } | undefined {
  const { quantity, now, foreseen, past, seconds, restarts, earlier } = evidence
  if (foreseen.length === 0) return undefined
  const { most = Number.POSITIVE_INFINITY, ofChange, ofRestart, least } = NATURE[quantity]
  const from = scaled(quantity, now ?? 0)
  const ascending = foreseen.map(({ value }) => value).toSorted((a, b) => a - b)
  const at = (q: number): number => ascending[Math.round(q * (ascending.length - 1))] ?? 0
  const middle = median(ascending) ?? 0
  const error = median(foreseen.map((one) => one.error)) ?? 0
  const shown = foreseen.map((one) => one.shown).toSorted((a, b) => a - b)
  const bySeed = ((shown.at(-1) ?? 0) - (shown[0] ?? 0)) / 2
  const more = Math.hypot(
    Math.max(ownHalf(quantity, past, seconds), bySeed),
    error,
    ofChange * (now === undefined ? UNKNOWN_CHANGE : middle - from),
    restarts ? ofRestart : 0,
  )
  const factor = Math.min(MOST_WIDENING, earlier?.widening ?? 1)
  const [low, high] = [
    middle - factor * Math.hypot(middle - at(BAND.low), more),
    middle + factor * Math.hypot(at(BAND.high) - middle, more),
  ]
  const value = (on: number): number => {
    const back = unscaled(quantity, on)
    return back < least * ROUNDING ? 0 : Math.min(most, back)
  }
  const band = { low: value(low), point: value(middle), high: value(high) }
  const half = (band.high - band.low) / 2 / Math.max(band.point, least)
  const held = heldWhy(earlier) ?? waveWhy(evidence) ?? thresholdWhy(evidence)
  if (half <= MOST_HALF && held === undefined) return { band }
  const to = low > from + LEAST_CHANGE ? 'rises' : high < from - LEAST_CHANGE ? 'falls' : undefined
  return {
    unsure: {
      ...(to !== undefined && { to }),
      why: held ?? `its band would exceed ±${plain.percent(MOST_HALF)}`,
    },
  }
}
/** Quantiles of the values of the runs. */
const BAND = { low: 0.05, high: 0.95 } as const

/**
 * Rejections begin where a queue is just full or a request has just waited too long: near that, a little more or less load
 * decides about their number.
 */
function thresholdWhy({ quantity, now = 0, foreseen, longestWait }: Evidence): string | undefined {
  const { least } = NATURE[quantity]
  const perSecond = foreseen.map(({ value }) => unscaled(quantity, value))
  if (quantity !== 'rejectedPerSecond' || now >= least || Math.min(...perSecond) >= least) return undefined
  if (Math.max(...perSecond) > least * ROUNDING) return 'its runs differ in whether any request is rejected'
  return longestWait > LONGEST_WAIT_SECONDS / 2 ? 'its requests wait almost as long as they may' : undefined
}

/** Another part of a wave has other waits and rejections; how much seats and limits differ, the history shows. */
const waveWhy = ({ quantity, wave }: Evidence): string | undefined =>
  wave === undefined || quantity === 'seats' || quantity === 'current'
    ? undefined
    : `its requests come in waves of about ${plain.fixed(wave.seconds)} s, and this is ${plain.fixed(wave.part)} s of one`

const heldWhy = (earlier: Earlier[Quantity]): string | undefined =>
  earlier === undefined || earlier.widening <= MOST_WIDENING
    ? undefined
    : `it held in ${earlier.inside} of ${earlier.numbers} forecasts here`
