import { createSortedRowModel, rowSortingFeature, tableFeatures, useTable, type ColumnDef } from '@tanstack/react-table'
import { useMemo, useState } from 'react'
import { compareValues, isSortable, nextSorting, type DataColumn, type Sorting } from './dataColumns.ts'

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() })

/** Rows in the order that the reader chose, and the chosen order. */
export function useSortedRows<R extends object>(
  columns: readonly DataColumn<R>[],
  rows: readonly R[],
  initial: Sorting | undefined,
): { sorted: readonly R[]; sorting: Sorting | undefined; sortBy: (column: DataColumn<R>) => void } {
  const [sorting, setSorting] = useState(initial)
  const definitions = useMemo(
    () =>
      columns.filter(isSortable).map((column): ColumnDef<typeof features, R> => ({
        id: column.id,
        accessorFn: (row) => column.value?.(row) ?? undefined,
        sortUndefined: 'last',
        sortFn: (a, b, id) => compareValues(a.getValue(id), b.getValue(id)),
      })),
    [columns],
  )
  const table = useTable({
    features,
    data: rows,
    columns: definitions,
    state: { sorting: sorting === undefined ? [] : [{ id: sorting.column, desc: sorting.descending }] },
  })
  const sortBy = (column: DataColumn<R>): void => {
    if (!isSortable(column)) return
    const numeric = rows.some((row) => typeof column.value?.(row) === 'number')
    setSorting((old) => nextSorting(old, column.id, numeric))
  }
  return { sorted: table.getSortedRowModel().rows.map(({ original }) => original), sorting, sortBy }
}
