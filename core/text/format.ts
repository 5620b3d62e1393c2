import { isOfRun } from '../units.ts'
/**
 * The one place where numbers, times and counts become text (design: type, space, density, numbers). An unknown value
 * is written as unknown, never as 0. Seats are seats, requests are requests: nothing here converts.
 */

/** Where a text is read: `screen` has typographic signs; `plain` has those of every terminal, log and search. */
export type Dialect = 'screen' | 'plain'

const SIGNS = {
  screen: { thousands: '\u202f', minus: '−', unknown: '–' },
  plain: { thousands: ',', minus: '-', unknown: '-' },
} as const

/** An unknown value on the screen. */
export const UNKNOWN = SIGNS.screen.unknown
/** A value that cannot apply. */
export const NOT_APPLICABLE = 'n/a'

type Value = number | null | undefined

/** The zone of clock times. */
export type Clock = 'utc' | 'local'

/** Bounds of a quantile in seconds; without `upTo` it lies in the last bucket. */
interface QuantileRange {
  readonly above: number
  readonly upTo?: number | undefined
}

const known = (value: Value): value is number => typeof value === 'number' && Number.isFinite(value)

/** The number that is nearest, with so many decimals. */
export const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals))

/** The number that is nearest, with so many significant digits. */
export const significantly = (value: number, digits: number): number => Number(value.toPrecision(digits))

/** The form that goes with a number: `plural(1, 'is', 'are')`. */
export const plural = (count: Value, one: string, many: string): string => (count === 1 ? one : many)

/** The formatter of a dialect. Clock times are in the zone that `clock` returns at the time. */
export function createFormat(dialect: Dialect, clock: () => Clock = () => 'utc') {
  const signs = SIGNS[dialect]
  const grouped = (whole: string): string => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, signs.thousands)
  /** The text of a known value. */
  const orUnknown =
    (text: (value: number) => string) =>
    (value: Value): string =>
      known(value) ? text(value) : signs.unknown

  /** A count of any size, exactly: `3 905 000 064 000`. */
  const digits = (count: bigint): string => grouped(String(count))

  /** Fixed decimals and grouped thousands. */
  function fixed(value: Value, decimals = 0): string {
    if (!known(value)) return signs.unknown
    const [whole = '0', fraction] = Math.abs(value).toFixed(decimals).split('.')
    const text = fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`
    return value < 0 && Number(whole + (fraction ?? '')) !== 0 ? signs.minus + text : text
  }

  /** Whole seats or requests: `307`, `10 087`. */
  const seats = (value: Value): string => fixed(value)

  /** An average number of seats, one decimal: `911.5`. */
  const seatsAverage = (value: Value): string => fixed(value, 1)

  /** Virtual time and work, three decimals: `48 211.402`. */
  const seatSeconds = (value: Value): string => fixed(value, 3)

  /** Three significant digits without a unit, for columns; whole from 100 on: `0.123`, `11.8`, `1 204`. */
  const significant = orUnknown((value) => {
    const size = Math.abs(value)
    if (size === 0) return '0'
    if (size >= 99.95) return fixed(value)
    if (size >= 9.995) return fixed(value, 1)
    if (size >= 0.9995) return fixed(value, 2)
    if (size >= 0.0005) return fixed(value, 3)
    return value > 0 ? '<0.001' : `${signs.minus}<0.001`
  })

  /** The same for sentences, where nothing lines up: `12`, not `12.0`. */
  const amount = (value: Value): string =>
    significant(value)
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, '')

  /** A number and what it counts: `1 seat`, `1 204 requests`. */
  const counted = (value: Value, one: string, many = `${one}s`): string =>
    // By what is shown: 1.002 is written as 1.
    `${amount(value)} ${amount(value) === '1' ? one : many}`

  /** `11.8 /s`. */
  const rate = orUnknown((value) => `${significant(value)} /s`)

  /** A wait or a latency, given in seconds: `0.6 ms`, `212 ms`, `6.42 s`, `14.2 s`, `2 min 5 s`. */
  const seconds = orUnknown((value) => {
    const size = Math.abs(value)
    if (size === 0) return '0 ms'
    if (size < 0.009_95) return `${fixed(value * 1_000, 1)} ms`
    if (size < 0.999_5) return `${fixed(value * 1_000)} ms`
    if (size < LONG_SECONDS) return `${significant(value)} s`
    return value < 0 ? signs.minus + span(size) : span(size)
  })

  const ms = orUnknown((value) => seconds(value / 1_000))

  /**
   * A quantile of waits in seconds from a histogram, which is a range: `≤ 5 ms`, `20–50 ms`, `> 15 s`; `≈ 15.1 s` where
   * the range is narrow.
   */
  function quantile(estimate: Value, of: QuantileRange | undefined): string {
    if (!known(estimate)) return signs.unknown
    // Where only the number is known, too, the limit stands for all that is beyond it.
    const range = of ?? (estimate === WAIT_LIMIT ? { above: WAIT_LIMIT } : undefined)
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

  /** Decimal units: `163 kB`, `1.8 MB`. */
  const bytes = orUnknown((value) => {
    const units = ['B', 'kB', 'MB', 'GB', 'TB']
    let size = value
    let unit = 0
    while (Math.abs(size) >= 999.5 && unit < units.length - 1) {
      size /= 1_000
      unit += 1
    }
    return `${fixed(size, unit > 1 && Math.abs(size) < 99.95 ? 1 : 0)} ${units[unit] ?? ''}`
  })

  /** A share given as a fraction of 1: `90 %`; `<1 %` where it is little and not nothing. */
  function percent(share: Value, decimals = 0): string {
    if (!known(share)) return signs.unknown
    const least = 10 ** -decimals
    return share > 0 && share * 100 < least / 2 ? `<${fixed(least, decimals)} %` : `${fixed(share * 100, decimals)} %`
  }

  /** The factor of the borrowing solver: `0.3229`. */
  const fairFraction = (value: Value): string => fixed(value, 4)

  /** Three digits, so that chances which are nearly as good differ: `2.21 %`, and below one in a thousand `2.8e−5`. */
  const probability = orUnknown((value) => {
    if (value === 0) return '0 %'
    return value >= 0.001 ? `${amount(value * 100)} %` : value.toExponential(1).replace('-', signs.minus)
  })

  /** A text with the sign of its value; zero is unsigned: `+62`, `−25`, `0`. */
  const signed = (text: (value: Value) => string) =>
    orUnknown((value) => (value > 0 && /[1-9]/.test(text(value)) ? `+${text(value)}` : text(value)))

  /** A text that another process wrote in the plain dialect, with the thousands of this one. */
  const said = (text: string): string => text.replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, signs.thousands)

  /** A signed difference: `+62`, `−25`, `0`. */
  const change = (value: Value, decimals = 0): string => signed((one) => fixed(one, decimals))(value)

  /** An age given in milliseconds, of which seconds do not matter after two minutes: `0.8 s`, `14 s`, `3 min`. */
  const age = orUnknown((value) => {
    const total = Math.max(0, value) / 1_000
    if (total < 9.95) return `${fixed(total, 1)} s`
    return total < LONG_SECONDS ? `${fixed(total)} s` : span(60 * Math.round(total / 60))
  })

  /** A length of time in seconds, exact below an hour: `45 s`, `10 min`, `1 min 30 s`, `2 h 5 min`. */
  const span = orUnknown((value) => {
    const total = Math.round(value)
    if (total < 60) return `${total} s`
    const minutes = Math.floor(total / 60)
    if (minutes < 60) return total % 60 === 0 ? `${minutes} min` : `${minutes} min ${total % 60} s`
    const hours = `${fixed(Math.floor(minutes / 60))} h`
    return minutes % 60 === 0 ? hours : `${hours} ${minutes % 60} min`
  })

  /** The same of milliseconds. */
  const length = orUnknown((value) => span(value / 1_000))

  const parts = (at: number): { readonly date: string; readonly time: string; readonly millis: string } => {
    const shifted = clock() === 'utc' ? at : at - new Date(at).getTimezoneOffset() * 60_000
    const iso = new Date(shifted).toISOString()
    return { date: iso.slice(0, 10), time: iso.slice(11, 19), millis: iso.slice(19, 23) }
  }

  /** On the screen, an instant of a run is its seconds since the start: `12 s`. */
  const ofRun = (at: number, decimals = 0): string | undefined =>
    dialect === 'screen' && isOfRun(at) ? `${fixed(at / 1_000, decimals)} s` : undefined

  /** Clock time of a Unix time in milliseconds: `03:12:43`; with milliseconds only in lists of events. */
  function time(at: Value, options: { readonly millis?: boolean } = {}): string {
    if (!known(at)) return signs.unknown
    const run = ofRun(at, options.millis === true ? 3 : 0)
    if (run !== undefined) return run
    const { time: text, millis } = parts(at)
    return options.millis === true ? text + millis : text
  }

  /** Date and clock time: `2026-11-21 03:12:43`. */
  const dateTime = orUnknown((at) => ofRun(at) ?? `${parts(at).date} ${parts(at).time}`)

  /** The zone of clock times, for captions: `UTC` or `local time`. */
  const zone = (): string => (clock() === 'utc' ? 'UTC' : 'local time')

  /** The same with its zone, for sentences and tables that are read elsewhere: `2026-11-21 03:12:43 UTC`. */
  const instant = orUnknown((at) => ofRun(at) ?? `${dateTime(at)} ${zone()}`)

  return {
    fixed,
    digits,
    seats,
    counted,
    seatsAverage,
    seatSeconds,
    significant,
    amount,
    rate,
    seconds,
    quantile,
    ms,
    bytes,
    percent,
    fairFraction,
    probability,
    said,
    signed,
    change,
    age,
    span,
    length,
    time,
    dateTime,
    instant,
    zone,
  } as const
}

export type Format = ReturnType<typeof createFormat>

/** Text for terminals, reports and logs, with clock times in UTC. */
export const plain = createFormat('plain')

/** A configured value, of which nothing is left out: at most three decimals. */
export const exact = (value: number): string => plain.fixed(value, 3).replace(/\.?0+$/, '')

/** Seconds from which on a time is written in minutes. */
const LONG_SECONDS = 119.5

/** The edge of a range of seconds in two significant digits, rounded outwards, and its unit. */
function edge(value: number, round: (n: number) => number): { readonly text: string; readonly unit: 's' | 'ms' } {
  const unit = value >= 1 ? 's' : 'ms'
  const size = unit === 's' ? value : value * 1_000
  const step = size > 0 ? 10 ** (Math.floor(Math.log10(size)) - 1) : 1
  // A step of 0.1 has no exact binary value: a size that is already on a step must not be rounded to the next one.
  return { text: String(significantly(round(significantly(size / step, 12)) * step, 2)), unit }
}

/** A range whose ends differ by less than this is shown as its middle. */
const NARROW = 1.1
/**
 * Seconds at which requests time out in their queues by default: the bucket above it holds those, and its upper bound
 * means nothing.
 */
const WAIT_LIMIT = 15
