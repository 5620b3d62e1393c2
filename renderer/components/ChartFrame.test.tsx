import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ChartFrame } from './ChartFrame.tsx'
import type { ChartTable } from './csv.ts'

const table = (count: number, seats = 5): ChartTable => ({
  columns: ['Time', 'Executing'],
  rows: Array.from({ length: count }, (_, index) => [`t${index}`, seats]),
})

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

describe('ChartFrame', () => {
  it('has a table with the name of the chart and at most 60 rows, first and last among them', () => {
    render(
      <ChartFrame title="Seats" table={table(500)} fileName="seats">
        <svg />
      </ChartFrame>,
    )
    const rows = within(screen.getByRole('table', { name: 'Seats' })).getAllByRole('row')
    expect(rows).toHaveLength(61)
    expect(rows[1]?.textContent).toBe('t05')
    expect(rows.at(-1)?.textContent).toBe('t4995')
  })

  it('writes numbers in its table as everywhere, not with all their digits', () => {
    render(
      <ChartFrame title="Seats" table={table(1, 159.12810747240022)} fileName="seats">
        <svg />
      </ChartFrame>,
    )
    const cells = within(screen.getByRole('table', { name: 'Seats' })).getAllByRole('cell')
    expect(cells[0]?.textContent).toMatch(/^159(\.1\d?)?$/)
  })

  it('does not refresh the hidden table with every sample, but on focus', async () => {
    const frame = (seats: number) => (
      <ChartFrame title="Seats" table={table(3, seats)} fileName="seats">
        <button type="button">drawing</button>
      </ChartFrame>
    )
    const { rerender } = render(frame(5))
    rerender(frame(8))
    const first = () => within(screen.getByRole('table', { name: 'Seats' })).getAllByRole('cell')[0]?.textContent
    expect(first()).toBe('5')
    screen.getByRole('button', { name: 'drawing' }).focus()
    await vi.waitFor(() => expect(first()).toBe('8'))
  })

  it('refreshes the table that is shown while the chart is live', async () => {
    vi.useFakeTimers()
    let seats = 5
    render(
      <ChartFrame title="Seats" table={() => table(3, seats)} fileName="seats">
        <svg />
      </ChartFrame>,
    )
    fireEvent.click(screen.getByRole('button', { name: 'Seats as table' }))
    seats = 8
    await act(() => vi.advanceTimersByTimeAsync(1_100))
    vi.useRealTimers()
    expect(within(screen.getByRole('table', { name: 'Seats' })).getAllByRole('cell')[0]?.textContent).toBe('8')
  })

  it.each([true, false])('refreshes the hidden table for screen readers, on the screen: %s', async (onScreen) => {
    vi.useFakeTimers()
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        readonly #tell: (entries: readonly object[]) => void
        constructor(tell: (entries: readonly object[]) => void) {
          this.#tell = tell
        }
        observe(): void {
          this.#tell([{ isIntersecting: onScreen, boundingClientRect: { height: 100 } }])
        }
        disconnect(): void {
          // Nothing is paused.
        }
      },
    )
    let seats = 5
    render(
      <ChartFrame title="Seats" table={() => table(3, seats)} fileName="seats">
        <svg />
      </ChartFrame>,
    )
    seats = 8
    await act(() => vi.advanceTimersByTimeAsync(5_100))
    vi.useRealTimers()
    vi.unstubAllGlobals()
    expect(within(screen.getByRole('table', { name: 'Seats' })).getAllByRole('cell')[0]?.textContent).toBe('8')
  })

  it('shows the table in place of the drawing with T, and not while typing', async () => {
    const user = userEvent.setup()
    render(
      <ChartFrame title="Seats" table={table(3)} fileName="seats" actions={<input aria-label="filter" />}>
        <p>drawing</p>
      </ChartFrame>,
    )
    await user.type(screen.getByRole('textbox', { name: 'filter' }), 't')
    expect(screen.queryByText('drawing')).not.toBeNull()
    const toggle = screen.getByRole('button', { name: 'Seats as table' })
    toggle.focus()
    await user.keyboard('t')
    expect(screen.queryByText('drawing')).toBeNull()
    expect(toggle.getAttribute('aria-pressed')).toBe('true')
  })

  it('keeps the screen when its drawing fails, and says so', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const Broken = (): never => {
      throw new Error('no scale')
    }
    render(
      <ChartFrame title="Seats" table={table(1)} fileName="seats">
        <Broken />
      </ChartFrame>,
    )
    expect(screen.getByText(/could not be drawn/)).toBeTruthy()
    expect(screen.getByRole('table', { name: 'Seats' })).toBeTruthy()
  })

  it('reads a table that is made on demand, also when it fills later', async () => {
    vi.useFakeTimers()
    let rows = 0
    render(
      <ChartFrame title="Seats" table={() => table(rows)} fileName="seats">
        <svg />
      </ChartFrame>,
    )
    rows = 2
    await vi.advanceTimersByTimeAsync(1_100)
    vi.useRealTimers()
    await vi.waitFor(() =>
      expect(within(screen.getByRole('table', { name: 'Seats' })).getAllByRole('row')).toHaveLength(3),
    )
  })
})
