import { isOfRun, MS_PER_DAY, MS_PER_SECOND, rfc3339, unixMsOf } from '../../core/units.ts'

/** The time range that all charts share. Instants are Unix milliseconds. */
export type TimeWindow =
  | { readonly kind: 'relative'; readonly seconds: number }
  | { readonly kind: 'absolute'; readonly from: number; readonly to: number }

/** The instants of a window when the newest shown sample is at `anchor`. */
export function bounds(window: TimeWindow, anchor: number): { from: number; to: number } {
  return window.kind === 'absolute'
    ? { from: window.from, to: window.to }
    : { from: anchor - window.seconds * 1_000, to: anchor }
}

export const PRESETS: readonly number[] = [60, 300, 600, 3_600, 21_600, 86_400]

/** Shortest and longest range, milliseconds. */
export const SHORTEST = 5_000
export const LONGEST = MS_PER_DAY

/** A window between two instants in either order, kept within these limits. */
export function absolute(a: number, b: number): TimeWindow {
  const from = Math.min(a, b)
  const length = Math.min(LONGEST, Math.max(SHORTEST, Math.abs(b - a)))
  return { kind: 'absolute', from, to: from + length }
}

/** The window zoomed by a factor (< 1 is closer) around an instant. */
export function zoomed(from: number, to: number, around: number, factor: number): TimeWindow {
  const length = Math.min(LONGEST, Math.max(SHORTEST, (to - from) * factor))
  const share = (around - from) / Math.max(1, to - from)
  const start = around - share * length
  return { kind: 'absolute', from: start, to: start + length }
}

/** The window moved by a share of its length; positive moves it later. */
export function panned(from: number, to: number, share: number): TimeWindow {
  const by = (to - from) * share
  return { kind: 'absolute', from: from + by, to: to + by }
}

/** An instant as text that can be mailed and pasted: RFC 3339, or seconds since the start of a run (`12.5 s`). */
export const instantToText = (at: number): string => (isOfRun(at) ? `${Math.round(at) / MS_PER_SECOND} s` : rfc3339(at))

/** The reverse, and whatever `unixMsOf` reads; NaN for any other text. */
export const textToInstant = (text: string): number => {
  const seconds = /^-?[\d.]+(?= s$)/.exec(text)
  return seconds === null ? unixMsOf(text) : Math.round(Number(seconds[0]) * MS_PER_SECOND)
}

/** A range in the same notation: `last 600 s`, or two instants with a slash. */
export function windowToText(window: TimeWindow): string {
  return window.kind === 'relative'
    ? `last ${window.seconds} s`
    : `${instantToText(window.from)}/${instantToText(window.to)}`
}

export type ParsedWindow =
  { readonly ok: true; readonly window: TimeWindow } | { readonly ok: false; readonly why: string }

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3_600 }

/**
 * The reverse of `windowToText`; also accepts `5 m`, `last 1 h`, `300` (seconds), and instants separated by a slash or
 * `to`.
 */
export function textToWindow(text: string): ParsedWindow {
  const trimmed = text.trim()
  const relative = /^(?:last\s+)?(\d+)\s*(s|m|min|h)?$/i.exec(trimmed)
  if (relative !== null) {
    const seconds = Number(relative[1]) * (UNIT_SECONDS[(relative[2] ?? 's').toLowerCase()] ?? 1)
    if (seconds < 60 || seconds > 86_400) return { ok: false, why: 'A relative range is between 1 min and 24 h long.' }
    return { ok: true, window: { kind: 'relative', seconds } }
  }
  const [first = '', second = '', ...more] = trimmed.split(/\/|\sto\s/)
  const from = textToInstant(first.trim())
  const to = textToInstant(second.trim())
  if (more.length > 0 || Number.isNaN(from) || Number.isNaN(to)) {
    return { ok: false, why: 'Write a range as “last 600 s” or as two times with a slash between them.' }
  }
  if (to <= from) return { ok: false, why: 'The range ends before it starts.' }
  if (to - from > LONGEST) return { ok: false, why: 'A range is at most 24 h long.' }
  return { ok: true, window: absolute(from, to) }
}
