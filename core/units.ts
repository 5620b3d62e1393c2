/**
 * Units of numbers, and the only conversions between them. A unit costs nothing at run time. A number without a unit is
 * accepted everywhere, so literals and sums need no cast; a number with another unit is a type error.
 *
 * One rule for rounding: a conversion to nanoseconds rounds to the nearest whole one, halves up, because the engine's
 * clock counts whole nanoseconds; a conversion from nanoseconds keeps what a double can hold.
 */

declare const UNIT: unique symbol

type Unit<Name extends string> = number & { readonly [UNIT]?: Name }

/** A duration, or a point of a clock that starts at 0: whole, and exact below 2^53, which is 104 days. */
export type Nanoseconds = Unit<'ns'>

/** Milliseconds since 1970-01-01T00:00:00Z, with decimals. */
export type UnixMs = Unit<'Unix ms'>

export type Seats = Unit<'seats'>

/** Virtual time and work, as a double. The engine counts them exactly, in the class of this name in `core/engine`. */
export type SeatSeconds = Unit<'seat-seconds'>

export const NS_PER_MS = 1e6
export const NS_PER_SECOND = 1e9
export const MS_PER_SECOND = 1_000
export const MS_PER_MINUTE = 60_000
export const MS_PER_HOUR = 3_600_000
export const MS_PER_DAY = 24 * MS_PER_HOUR

export const msToNs = (ms: number): Nanoseconds => Math.round(ms * NS_PER_MS)

/** Converting back with `msToNs` is exact below 2^51 ns, which is 26 days, and at most 1 ns off below 2^53. */
export const nsToMs = (ns: Nanoseconds): number => ns / NS_PER_MS

export const secondsToNs = (seconds: number): Nanoseconds => Math.round(seconds * NS_PER_SECOND)

export const nsToSeconds = (ns: Nanoseconds): number => ns / NS_PER_SECOND

export const microsecondsToSeconds = (microseconds: number): number => microseconds / 1e6

/** The time `ns` after `start`. */
export const unixMsAfter = (start: UnixMs, ns: Nanoseconds): UnixMs => start + nsToMs(ns)

/**
 * Parses ISO 8601 or any other form that ECMAScript reads, such as the `Date` header of HTTP; NaN for any other text.
 * Decimals below a millisecond are cut off. Without a zone it is UTC, as in all texts of the console.
 */
export const unixMsOf = (text: string): UnixMs =>
  Date.parse(!text.endsWith('Z') && WITHOUT_ZONE.test(text) ? `${text.replace(' ', 'T')}Z` : text)

const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/

/** ISO 8601 in UTC, with milliseconds: what RFC 3339 allows. */
export const rfc3339 = (at: UnixMs): string => new Date(at).toISOString()

/** Whether an instant is one of a run: runs begin at 0, and an engine's clock ends after 104 days. */
export const isOfRun = (at: UnixMs): boolean => at < 105 * MS_PER_DAY

export const bytesToMegabytes = (bytes: number): number => bytes / 1e6
export const megabytesToBytes = (megabytes: number): number => megabytes * 1e6
