import { cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { closeTerm, glossaryStore } from '../state/glossary.ts'
import { DataTable, type DataColumn } from './DataTable.tsx'

interface Row {
  readonly name: string
  readonly seats: number | undefined
}

const rows: readonly Row[] = [
  { name: 'system', seats: 36 },
  { name: 'exempt', seats: undefined },
  { name: 'workload-low', seats: 307 },
]
const columns: readonly DataColumn<Row>[] = [
  { id: 'name', header: 'Level', value: ({ name }) => name },
  { id: 'seats', header: 'Executing', align: 'right', value: ({ seats }) => seats },
  { id: 'look', header: 'Look', cell: ({ name }) => <button type="button">look at {name}</button> },
]

const show = (more: Partial<Parameters<typeof DataTable<Row>>[0]> = {}) =>
  render(<DataTable caption="Levels" columns={columns} rows={rows} rowKey={({ name }) => name} {...more} />)

const names = (): (string | null)[] =>
  within(screen.getByRole('grid', { name: 'Levels' }))
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.querySelector('td')?.textContent ?? null)

afterEach(cleanup)

describe('DataTable', () => {
  it('is a grid with its size, and says unknown instead of nothing', () => {
    show()
    const grid = screen.getByRole('grid', { name: 'Levels' })
    expect(grid.getAttribute('aria-rowcount')).toBe('4')
    expect(grid.getAttribute('aria-colcount')).toBe('3')
    expect(within(grid).getAllByRole('gridcell')[4]?.textContent).toBe('–')
  })

  it('keeps the given order until a header is pressed; unknown values stay last', async () => {
    const user = userEvent.setup()
    show()
    expect(names()).toEqual(['system', 'exempt', 'workload-low'])
    const header = screen.getByRole('columnheader', { name: 'Executing' })
    expect(header.getAttribute('aria-sort')).toBe('none')
    await user.click(header)
    expect(header.getAttribute('aria-sort')).toBe('descending')
    expect(names()).toEqual(['workload-low', 'system', 'exempt'])
    await user.click(header)
    expect(header.getAttribute('aria-sort')).toBe('ascending')
    expect(names()).toEqual(['system', 'workload-low', 'exempt'])
    await user.click(header)
    expect(names()).toEqual(['system', 'exempt', 'workload-low'])
  })

  it('has one tab stop, which the arrows move', async () => {
    const user = userEvent.setup()
    show()
    const grid = screen.getByRole('grid')
    expect(grid.querySelectorAll('td[tabindex="0"], th[tabindex="0"]')).toHaveLength(1)
    await user.tab()
    expect(document.activeElement?.textContent).toBe('system')
    await user.keyboard('{ArrowDown}{ArrowRight}')
    expect(document.activeElement?.textContent).toBe('–')
    await user.keyboard('{Control>}{End}{/Control}')
    expect(document.activeElement?.textContent).toBe('look at workload-low')
    await user.keyboard('{Home}{ArrowUp}{ArrowUp}{ArrowUp}')
    expect(document.activeElement?.textContent).toBe('Level')
    expect(grid.querySelectorAll('td[tabindex="0"], th[tabindex="0"]')).toHaveLength(1)
  })

  it('opens a row by Enter and by click, but not through a button in it', async () => {
    const user = userEvent.setup()
    const onOpen = vi.fn<(row: Row) => void>()
    show({ onOpen })
    await user.tab()
    await user.keyboard('{Enter}')
    expect(onOpen).toHaveBeenLastCalledWith(rows[0])
    await user.click(screen.getByText('workload-low'))
    expect(onOpen).toHaveBeenLastCalledWith(rows[2])
    await user.click(screen.getByRole('button', { name: 'look at system' }))
    expect(onOpen).toHaveBeenCalledTimes(2)
  })

  it('sorts by the column of the cursor with s and Enter', async () => {
    const user = userEvent.setup()
    show()
    await user.tab()
    await user.keyboard('s')
    expect(names()).toEqual(['exempt', 'system', 'workload-low'])
    await user.keyboard('{ArrowUp}')
    await user.keyboard('{ArrowRight}{Enter}')
    expect(names()).toEqual(['workload-low', 'system', 'exempt'])
  })

  it('keeps pinned copies above, whatever the order', async () => {
    const user = userEvent.setup()
    show({ pinned: rows.slice(2) })
    await user.click(screen.getByRole('columnheader', { name: 'Level' }))
    expect(names()).toEqual(['workload-low', 'exempt', 'system', 'workload-low'])
  })

  it('mounts only a part of many rows and counts them all', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({ name: `level-${index}`, seats: index }))
    show({ rows: many })
    expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('5001')
    expect(screen.getAllByRole('row').length).toBeLessThan(100)
    expect(screen.getAllByRole('row')[1]?.getAttribute('aria-rowindex')).toBe('2')
  })

  it('says what it lacks when it is empty', () => {
    show({ rows: [], empty: 'No request in this range.' })
    expect(screen.getByText('No request in this range.')).toBeTruthy()
  })

  it('explains a header whose column names a term: on hover, and with ? in the glossary', async () => {
    const user = userEvent.setup()
    const [name, seats] = columns
    if (name === undefined || seats === undefined) throw new Error('no columns')
    show({ columns: [name, { ...seats, title: 'Seats executing', term: 'executing' }] })
    const header = screen.getByRole('columnheader', { name: 'Executing' })
    await user.hover(header)
    expect((await screen.findAllByText(/^Seats executing\. Requests that hold seats now\.$/)).length).toBeGreaterThan(0)
    header.focus()
    await user.keyboard('?')
    expect(glossaryStore.getState().term).toBe('executing')
    closeTerm()
    // Without a term, the key is left to the page.
    screen.getByRole('columnheader', { name: 'Level' }).focus()
    await user.keyboard('?')
    expect(glossaryStore.getState().term).toBeUndefined()
  })
})
