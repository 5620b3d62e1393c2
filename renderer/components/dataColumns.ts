import type { ReactNode } from 'react'
import type { TermId } from '../../core/glossary/glossary.ts'
import { UNKNOWN } from '../../core/text/format.ts'
import { format } from '../theme/format.ts'
import { toCsv, type CsvValue } from '../../core/text/csv.ts'

/** One column of any table: `DataTable`, `PlainTable`, the stream of live requests. */
export interface DataColumn<R> {
  readonly id: string
  /** Header text, with the unit where the title of the table does not name it; also the header in the CSV. */
  readonly header: string
  /** Shown instead of the text, for example a header that is only partly a term. */
  readonly head?: ReactNode
  /** A longer explanation of the header. */
  readonly title?: string
  /** The glossary entry for the header: its sentence on hover and focus, the entry itself with the key `?`. */
  readonly term?: TermId
  readonly align?: 'left' | 'right'
  /** Class of the cell of one row. */
  readonly look?: (row: R) => string | undefined
  /** Content of the cell. Absent: the value as it is, "–" when unknown. */
  readonly cell?: (row: R) => ReactNode
  /** The value for sorting and export. Absent: not sortable, not exported. */
  readonly value?: (row: R) => CsvValue
  readonly sortable?: boolean
  /** Pixels, including the gutters. Where all columns but one have such a width, no content moves them. */
  readonly width?: number | string
  /** The header is for screen readers only, for example of a column of buttons. */
  readonly hiddenHeader?: boolean
  /** Its cells are the headers of their rows (`PlainTable`). */
  readonly rowHeader?: boolean
  /** Key of the heading above neighbouring columns (`PlainTable`). */
  readonly group?: string
}

/** A column that sorts and exports by its value. */
export const valueColumn = <R>(
  id: string,
  header: string,
  value: (row: R) => CsvValue,
  more: Partial<DataColumn<R>> = {},
): DataColumn<R> => ({ id, header, value, ...more })

interface NumberColumn<R> extends Partial<DataColumn<R>> {
  /** Format of the number. Absent: whole. */
  readonly text?: (value: number | undefined) => string
}

export const numberColumn = <R>(
  id: string,
  header: string,
  value: (row: R) => number | undefined,
  { text = format.seats, ...more }: NumberColumn<R> = {},
): DataColumn<R> => ({ id, header, align: 'right', value, cell: (row) => text(value(row)), ...more })

/** Columns of rows whose order has a meaning, so that none of them sorts. */
export const inGivenOrder = <R>(columns: readonly DataColumn<R>[]): readonly DataColumn<R>[] =>
  columns.map((column) => ({ ...column, sortable: false }))

/** Content of a cell. */
export const cellOf = <R>({ cell, value }: DataColumn<R>, row: R): ReactNode =>
  cell === undefined ? (value?.(row) ?? UNKNOWN) : cell(row)

/** Minimum width in pixels of the column without a width. */
const FLEXIBLE_LEAST = 150

/** Whether the columns of a table keep their places regardless of their content: all but one have a width. */
export const hasFixedColumns = <R>(columns: readonly DataColumn<R>[]): boolean =>
  columns.filter(({ width }) => typeof width !== 'number').length === 1

/** Pixels below which such a table scrolls sideways. */
export const leastWidth = <R>(columns: readonly DataColumn<R>[]): number =>
  columns.reduce((sum, { width }) => sum + (typeof width === 'number' ? width : FLEXIBLE_LEAST), 0)

export const isSortable = <R>({ value, sortable = true }: DataColumn<R>): boolean => sortable && value !== undefined

export interface Sorting {
  readonly column: string
  readonly descending: boolean
}

/** Numbers start with the largest, text with A; the third press restores the given order. */
export function nextSorting(old: Sorting | undefined, column: string, numeric: boolean): Sorting | undefined {
  if (old?.column !== column) return { column, descending: numeric }
  return old.descending === numeric ? { column, descending: !numeric } : undefined
}

export function compareValues(a: CsvValue, b: CsvValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a).localeCompare(String(b), 'en', { numeric: true })
}

/** Rows by the values of one column; equal ones as given, unknown values last in either direction. */
export function sortedRows<R>(
  columns: readonly DataColumn<R>[],
  rows: readonly R[],
  sorting: Sorting | undefined,
): readonly R[] {
  const column = columns.find(({ id }) => id === sorting?.column)
  if (sorting === undefined || column === undefined || !isSortable(column)) return rows
  const direction = sorting.descending ? -1 : 1
  const valued = rows.map((row) => ({ row, value: column.value?.(row) ?? undefined }))
  return valued
    .toSorted(({ value: a }, { value: b }) =>
      a === undefined || b === undefined
        ? Number(a === undefined) - Number(b === undefined)
        : direction * compareValues(a, b),
    )
    .map(({ row }) => row)
}

export function tableCsv<R>(columns: readonly DataColumn<R>[], rows: readonly R[]): string {
  const exported = columns.filter(({ value }) => value !== undefined)
  return toCsv(
    exported.map(({ header }) => header),
    rows.map((row) => exported.map(({ value }) => value?.(row))),
  )
}
