import { rfc3339, type UnixMs } from '../units.ts'

/** `1,234`; at most two decimals below ten. */
export function amount(value: number): string {
  const rounded = Math.abs(value) < 10 ? Math.round(value * 100) / 100 : Math.round(value)
  const [whole = '', decimals] = String(rounded).split('.')
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return decimals === undefined ? grouped : `${grouped}.${decimals}`
}

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${amount(count)} ${count === 1 ? one : many}`

/** `03:07:48`. */
export const clock = (at: UnixMs): string => rfc3339(at).slice(11, 19)
/** `2026-11-21 03:07:48`. */
export const dateAndClock = (at: UnixMs): string => `${rfc3339(at).slice(0, 10)} ${clock(at)}`

/** How instants of a range are formatted: with their day if the range spans several. */
export const timesIn = ({ from, to }: { readonly from: UnixMs; readonly to: UnixMs }): ((at: UnixMs) => string) =>
  rfc3339(from).slice(0, 10) === rfc3339(to).slice(0, 10) ? clock : dateAndClock

/** `412 ms`, `6.42 s`. */
export const seconds = (value: number | undefined): string =>
  value === undefined ? 'no wait' : value < 1 ? `${Math.round(value * 1_000)} ms` : `${amount(value)} s`

/** `10 min`, `45 s`, `2 h 5 min`. */
export function length(ms: number): string {
  const total = Math.round(ms / 1_000)
  const [hours, minutes, rest] = [Math.floor(total / 3_600), Math.floor((total % 3_600) / 60), total % 60]
  const parts = [
    ...(hours > 0 ? [`${hours} h`] : []),
    ...(minutes > 0 ? [`${minutes} min`] : []),
    ...(rest > 0 && hours === 0 ? [`${rest} s`] : []),
  ]
  return parts.length === 0 ? '0 s' : parts.join(' ')
}

export const percent = (part: number): string => `${Math.round(part * 100)} %`
