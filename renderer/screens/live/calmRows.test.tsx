import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useCalmRows } from './calmRows.ts'

const rowsOf = (text: string) => text.split(' ').map((one) => ({ key: one.slice(0, 1), text: one }))

function List({ of }: { readonly of: string }) {
  const { rows, hold } = useCalmRows(rowsOf(of))
  return (
    <p data-testid="list" {...hold}>
      {rows.map(({ text }) => text).join(' ')}
    </p>
  )
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

test('rows keep their places for 10 s and under the pointer, with their values of now', () => {
  const { rerender } = render(<List of="a1 b1" />)
  const shown = () => screen.getByTestId('list').textContent
  const show = (of: string, ms = 0) => {
    rerender(<List of={of} />)
    act(() => void vi.advanceTimersByTime(ms))
    return shown()
  }
  expect(show('b2 a2', 1)).toBe('b2 a2')
  expect(show('a3 b3 c3', 5_000)).toBe('b3 a3 c3')
  expect(show('a4 c4', 1_000)).toBe('a4 c4')
  expect(show('c5 a5 b5', 5_000)).toBe('c5 a5 b5')
  fireEvent.pointerEnter(screen.getByTestId('list'))
  expect(show('b6 a6 c6', 60_000)).toBe('c6 a6 b6')
  fireEvent.pointerLeave(screen.getByTestId('list'))
  expect(show('b7 a7 c7', 1)).toBe('b7 a7 c7')
})
