/**
 * Numbers for people (design: type, space, density, numbers). An unknown value reads "–", never 0; a value that cannot
 * apply reads "n/a". Seats are seats, requests are requests: nothing here converts.
 */
export const UNKNOWN = '–'
export const NOT_APPLICABLE = 'n/a'

const THIN = '\u202f'
const MINUS = '−'

type Value = number | null | undefined

const known = (value: Value): value is number => typeof value === 'number' && Number.isFinite(value)

const grouped = (whole: string): string => whole.replace(/\B(?=(\d{3})+$)/g, THIN)

/** A count of any size, exactly: `3 905 000 064 000`. */
const digits = (count: bigint): string => grouped(String(count))

/** Fixed decimals, thin spaces between thousands, true minus. */
export function fixed(value: Value, decimals = 0): string {
  if (!known(value)) return UNKNOWN
  const [whole = '0', fraction] = Math.abs(value).toFixed(decimals).split('.')
  const text = fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`
  return value < 0 && Number(whole + (fraction ?? '')) !== 0 ? MINUS + text : text
}

/** Whole seats or requests: `307`, `10 087`. */
const seats = (value: Value): string => fixed(value)

/** A number and what it counts: `1 seat`, `1 204 requests`. */
const counted = (value: Value, noun: string): string => `${fixed(value)} ${noun}${value === 1 ? '' : 's'}`

/** An average number of seats, one decimal: `911.5`. */
const seatsAverage = (value: Value): string => fixed(value, 1)

/** Virtual time and work, three decimals: `48 211.402`. */
const seatSeconds = (value: Value): string => fixed(value, 3)

/** Three significant digits without a unit; whole from 100 on: `0.123`, `11.8`, `1 204`. */
function significant(value: Value): string {
  if (!known(value)) return UNKNOWN
  const size = Math.abs(value)
  if (size === 0) return '0'
  if (size >= 99.95) return fixed(value)
  if (size >= 9.995) return fixed(value, 1)
  if (size >= 0.9995) return fixed(value, 2)
  if (size >= 0.0005) return fixed(value, 3)
  return value > 0 ? '<0.001' : `${MINUS}<0.001`
}

/** `11.8 /s`. */
const rate = (value: Value): string => (known(value) ? `${significant(value)} /s` : UNKNOWN)

/** A wait or a latency, given in seconds: `0.6 ms`, `212 ms`, `6.42 s`, `14.2 s`. */
function seconds(value: Value): string {
  if (!known(value)) return UNKNOWN
  const size = Math.abs(value)
  if (size === 0) return '0 ms'
  if (size < 0.009_95) return `${fixed(value * 1_000, 1)} ms`
  if (size < 0.999_5) return `${fixed(value * 1_000)} ms`
  if (size < 9.995) return `${fixed(value, 2)} s`
  return `${fixed(value, 1)} s`
}

/** The edge of a range of seconds in two significant digits, rounded outwards, and its unit. */
function edge(value: number, round: (n: number) => number): { readonly text: string; readonly unit: 's' | 'ms' } {
  const unit = value >= 1 ? 's' : 'ms'
  const amount = unit === 's' ? value : value * 1_000
  const step = amount > 0 ? 10 ** (Math.floor(Math.log10(amount)) - 1) : 1
  // A step of 0.1 has no exact binary value: an amount that is already on a step must not be rounded to the next one.
  const rounded = round(Number((amount / step).toPrecision(12))) * step
  return { text: String(Number(rounded.toPrecision(2))), unit }
}

/**
 * A quantile of waits in seconds from a histogram, which is a range: `≤ 5 ms`, `20–50 ms`, `> 15 s`; `≈ 15.1 s` where
 * the range is narrow.
 */
function quantile(
  estimate: Value,
  range: { readonly above: number; readonly upTo?: number | undefined } | undefined,
): string {
  if (!known(estimate)) return UNKNOWN
  if (range === undefined) return `≈ ${seconds(estimate)}`
  const { above, upTo } = range
  const least = edge(above, Math.floor)
  if (upTo === undefined) return `> ${least.text} ${least.unit}`
  if (above > 0 && upTo <= NARROW * above) return `≈ ${seconds(Math.min(Math.max(estimate, above), upTo))}`
  const most = edge(upTo, Math.ceil)
  if (above <= 0) return upTo <= 0 ? '0 ms' : `≤ ${most.text} ${most.unit}`
  if (above === WAIT_LIMIT) return `> ${least.text} ${least.unit}`
  const from = least.unit === most.unit ? least.text : `${least.text} ${least.unit}`
  return `${from}–${most.text} ${most.unit}`
}
/** A range whose ends differ by less than this is shown as its middle. */
const NARROW = 1.1
/**
 * Seconds at which requests time out in their queues by default: the bucket above it holds those, and its upper bound
 * means nothing.
 */
const WAIT_LIMIT = 15

const ms = (value: Value): string => (known(value) ? seconds(value / 1_000) : UNKNOWN)

/** Decimal units: `163 kB`, `1.8 MB`. */
function bytes(value: Value): string {
  if (!known(value)) return UNKNOWN
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let amount = value
  let unit = 0
  while (Math.abs(amount) >= 999.5 && unit < units.length - 1) {
    amount /= 1_000
    unit += 1
  }
  return `${fixed(amount, unit > 1 && Math.abs(amount) < 99.95 ? 1 : 0)} ${units[unit] ?? ''}`
}

/** A share given as a fraction of 1: `90 %`. */
const percent = (share: Value): string => (known(share) ? `${fixed(share * 100)} %` : UNKNOWN)

/** The factor of the borrowing solver: `0.3229`. */
const fairFraction = (value: Value): string => fixed(value, 4)

/** The fair fraction p in words: the limit of a level that neither min nor max holds is p times its demand. */
const granted = (p: Value): { readonly value: string; readonly unit?: string } =>
  p === 0 ? { value: 'minimum' } : { value: percent(p), unit: 'of demand' }

/** `2.3 %` from one in a thousand on, below that two significant digits: `2.8e−5`. */
function probability(value: Value): string {
  if (!known(value)) return UNKNOWN
  if (value === 0) return '0 %'
  if (value >= 0.001) return `${fixed(value * 100, 1)} %`
  return value.toExponential(1).replace('-', MINUS)
}

/** A signed difference; zero is unsigned: `+62`, `−25`, `0`. */
function change(value: Value, decimals = 0): string {
  const text = fixed(value, decimals)
  return known(value) && value > 0 && Number(value.toFixed(decimals)) !== 0 ? `+${text}` : text
}

/** An age given in milliseconds: `0.8 s`, `14 s`, `3 min`, `2 h 04 min`. */
function age(value: Value): string {
  if (!known(value)) return UNKNOWN
  const total = Math.max(0, value) / 1_000
  if (total < 9.95) return `${fixed(total, 1)} s`
  if (total < 119.5) return `${fixed(total)} s`
  const minutes = Math.round(total / 60)
  if (minutes < 120) return `${minutes} min`
  return `${fixed(Math.floor(minutes / 60))} h ${String(minutes % 60).padStart(2, '0')} min`
}

/** A length of time in seconds, formatted as a range: `45 s`, `10 min`, `6 h`, `2 h 30 min`. */
function span(value: Value): string {
  if (!known(value)) return UNKNOWN
  const total = Math.round(value)
  if (total < 60) return `${total} s`
  const minutes = Math.round(total / 60)
  if (minutes < 60) return `${minutes} min`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export type Clock = 'utc' | 'local'
let clock: Clock = 'utc'

/** Sets the zone of every clock time from now on; the settings store calls it, like setting a locale. */
export function setClock(zone: Clock): void {
  clock = zone
}

function parts(at: number, zone: Clock): { date: string; time: string; millis: string } {
  const shifted = zone === 'utc' ? at : at - new Date(at).getTimezoneOffset() * 60_000
  const iso = new Date(shifted).toISOString()
  return { date: iso.slice(0, 10), time: iso.slice(11, 19), millis: iso.slice(19, 23) }
}

/** Clock time of a Unix time in milliseconds: `03:12:43`; with milliseconds only in lists of events. */
function time(at: Value, options: { millis?: boolean } = {}): string {
  if (!known(at)) return UNKNOWN
  const { time: text, millis } = parts(at, clock)
  return options.millis === true ? text + millis : text
}

/** Date and clock time: `2026-11-21 03:12:43`. */
function dateTime(at: Value): string {
  if (!known(at)) return UNKNOWN
  const { date, time: text } = parts(at, clock)
  return `${date} ${text}`
}

/** The zone of clock times, for captions: `UTC` or `local time`. */
const zone = (): string => (clock === 'utc' ? 'UTC' : 'local time')

export const format = {
  fixed,
  digits,
  seats,
  counted,
  seatsAverage,
  seatSeconds,
  significant,
  rate,
  seconds,
  quantile,
  ms,
  bytes,
  percent,
  fairFraction,
  granted,
  probability,
  change,
  age,
  span,
  time,
  dateTime,
  zone,
} as const
