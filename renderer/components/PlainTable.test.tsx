import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { tableCsv, type DataColumn } from './dataColumns.ts'
import { PlainTable } from './PlainTable.tsx'

interface Row {
  readonly name: string
  readonly seats: number | undefined
}

const rows: readonly Row[] = [
  { name: 'system', seats: 36 },
  { name: 'exempt', seats: undefined },
]
const columns: readonly DataColumn<Row>[] = [
  { id: 'name', header: 'Level', rowHeader: true, value: ({ name }) => name },
  { id: 'seats', header: 'Seats', group: 'now', align: 'right', value: ({ seats }) => seats },
  { id: 'limit', header: 'Limit', head: '= limit', group: 'now', cell: () => 'none' },
]

const show = (more: Partial<Parameters<typeof PlainTable<Row>>[0]> = {}) =>
  render(<PlainTable caption="Levels" columns={columns} rows={rows} rowKey={({ name }) => name} {...more} />)

afterEach(cleanup)

describe('PlainTable', () => {
  it('is a named table with headers of columns and rows, and says unknown instead of nothing', () => {
    show({ selectedKey: 'exempt' })
    const table = screen.getByRole('table', { name: 'Levels' })
    expect(
      within(table)
        .getAllByRole('columnheader')
        .map((cell) => cell.textContent),
    ).toEqual(['Level', 'Seats', '= limit'])
    const row = within(table).getByRole('row', { name: 'exempt – none' })
    expect(within(row).getByRole('rowheader').textContent).toBe('exempt')
    expect(row.getAttribute('aria-current')).toBe('true')
  })

  it('puts one heading over neighbouring columns of a group', () => {
    show({ groups: { now: 'In this moment' } })
    expect(screen.getByRole('columnheader', { name: 'In this moment' }).getAttribute('colspan')).toBe('2')
  })

  it('leaves out the cells of a footer that another one spans', () => {
    show({ foot: [{ name: { text: 'Sum' }, seats: { text: '36 of all', span: 2 } }] })
    const sum = screen.getByRole('row', { name: 'Sum 36 of all' })
    expect(sum.children).toHaveLength(2)
  })

  it('exports what the columns have values for, under the same headers', () => {
    expect(tableCsv(columns, rows)).toBe('Level,Seats\r\nsystem,36\r\nexempt,\r\n')
  })
})
