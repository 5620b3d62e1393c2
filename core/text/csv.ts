import { isOfRun, MS_PER_SECOND, rfc3339, type UnixMs } from '../units.ts'

export type CsvValue = string | number | null | undefined

/**
 * Text that a spreadsheet interprets as a formula, also after blanks and line breaks; full-width forms are interpreted
 * like the others.
 */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** Rows as RFC 4180 text. Text that a spreadsheet would run as a formula is neutralized by an apostrophe. */
export function toCsv(header: readonly string[], rows: readonly (readonly CsvValue[])[]): string {
  return [header, ...rows].map((row) => row.map(field).join(',') + '\r\n').join('')
}

/** The header of a column of instants such as this one, with their unit. */
export const instantHeader = (title: string, at: UnixMs): string => `${title} (${isOfRun(at) ? 's' : 'UTC'})`

/** An instant with date and zone (RFC 3339, UTC); one of a run in seconds since its start. */
export const instantValue = (at: UnixMs): CsvValue => (isOfRun(at) ? at / MS_PER_SECOND : rfc3339(at))

function field(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : ''
  const safe = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
