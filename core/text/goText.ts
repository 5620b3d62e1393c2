import { nsToMs, type SeatSeconds, unixMsOf } from '../units.ts'

/** Readers of Go's text forms, as the debug dumps print them (specification 12). `undefined` for anything else. */

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: nsToMs(1),
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}
const DURATION = /^([+-]?)((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/
const DURATION_PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g

/** A duration such as `0s`, `5ms` or `1h2m3.5s`, in milliseconds. */
export function parseGoDuration(text: string): number | undefined {
  const sign = DURATION.exec(text)
  if (sign === null) return undefined
  let ms = 0
  for (const [, amount, unit] of text.matchAll(DURATION_PART)) ms += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0)
  return sign[1] === '-' ? -ms : ms
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/

/** A UTC time with up to nine decimals, in Unix milliseconds. Below a microsecond a double does not tell times apart. */
export function parseGoTime(text: string): number | undefined {
  const found = TIME.exec(text)
  if (found === null) return undefined
  const seconds = unixMsOf(`${found[1]}Z`)
  if (Number.isNaN(seconds)) return undefined
  return seconds + nsToMs(Number((found[2] ?? '').padEnd(9, '0')))
}

/** Go's zero time, which stands for "never". */
export const ZERO_TIME = '0001-01-01T00:00:00Z'

/** Seat-seconds such as `12.03000000ss` (specification 0.3). */
export function parseSeatSeconds(text: string): SeatSeconds | undefined {
  return /^\d+\.\d{8}ss$/.test(text) ? Number(text.slice(0, -2)) : undefined
}

export function parseGoInteger(text: string): number | undefined {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
}

export function parseGoBoolean(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined
}
