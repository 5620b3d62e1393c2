import { type CsvValue, instantHeader, instantValue, toCsv } from '../../core/text/csv.ts'
import { format } from '../theme/format.ts'

/** The numbers behind a chart, all of them. The first column heads each row. */
export interface ChartTable {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly CsvValue[])[]
  /** The first column holds instants, Unix milliseconds. */
  readonly times?: boolean
}

const MAX_TABLE_ROWS = 60

/** At most `max` rows, evenly sampled, the first and the last among them. */
export function thinned<T>(rows: readonly T[], max = MAX_TABLE_ROWS): readonly T[] {
  if (rows.length <= max) return rows
  const step = (rows.length - 1) / (max - 1)
  const taken = new Set(Array.from({ length: max }, (_, index) => Math.round(index * step)))
  return rows.filter((_, index) => taken.has(index))
}

/** A cell as the table shows it. Averages have more digits than are useful. */
export function cellText(value: CsvValue): string {
  if (typeof value !== 'number') return value ?? format.fixed(undefined)
  if (Number.isInteger(value)) return format.fixed(value)
  return Math.abs(value) < 0.0005 ? value.toExponential(1) : format.significant(value)
}

/**
 * Every row, with numbers unrounded. `sampleAt` (Unix milliseconds) heads the rows of a table that is about one instant.
 */
export function chartCsv({ columns, rows, times = false }: ChartTable, sampleAt?: number): string {
  const [first = 'Time', ...others] = times ? columns : ['Sample', ...columns]
  const instants = times ? rows : sampleAt === undefined ? [] : rows.map((row) => [sampleAt, ...row])
  const [[start] = []] = instants
  if (typeof start !== 'number') return toCsv(columns, rows)
  return toCsv(
    [instantHeader(first, start), ...others],
    instants.map(([at, ...cells]) => [typeof at === 'number' ? instantValue(at) : at, ...cells]),
  )
}

/** Name of an exported file: its content and when it was made, in characters that every system accepts. */
export function exportName(name: string, now: number): string {
  const at = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')
  return `${name.replaceAll(/[^\w.-]+/g, '_').slice(0, 120)}-${at}Z`
}

/** Offers a file for download; the page itself writes nothing. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The click has started the download by the next task, so the URL is no longer needed.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}

export const downloadCsv = (name: string, text: string): void =>
  download(`${name}.csv`, new Blob([text], { type: 'text/csv;charset=utf-8' }))
