import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { level, scannerFlood, server } from '../../core/verdict/levels.fixture.ts'
import { BUILT_IN_ORDER } from '../../core/text/levelSlots.ts'
import { ledgerOf } from './seatLedger.data.ts'
import { SeatLedger } from './SeatLedger.tsx'

afterEach(cleanup)

const flood = ledgerOf(scannerFlood(), BUILT_IN_ORDER)
const texts = (container: HTMLElement) => Array.from(container.querySelectorAll('text'), (text) => text.textContent)

describe('the seat ledger', () => {
  test('is an image with a sentence, and prints what was lent and borrowed', () => {
    const { container } = render(<SeatLedger ledger={flood} width={1200} variant="ribbons" />)
    expect(screen.getByRole('img').getAttribute('aria-label')).toBe(
      'Seat ledger: 488 of 602 seats are taken, 114 are free; 72 lent, 72 borrowed; nominal limits sum to 602',
    )
    expect(texts(container)).toEqual(expect.arrayContaining(['NH 98', '−25', '−24', '−23', 'WL 307', '+62', 'pool 72']))
  })

  test('on low windows the ribbons give way to an equation', () => {
    const { container } = render(<SeatLedger ledger={flood} width={1200} variant="equation" />)
    expect(texts(container)).toEqual(
      expect.arrayContaining(['NH −25', 'SY −24', 'WH −23', 'lent = borrowed', 'WL +62', 'GD +10']),
    )
  })

  test('arrows light up a level and say its numbers, Enter opens it, Escape lets go', async () => {
    const onOpen = vi.fn<(level: string) => void>()
    const { container } = render(<SeatLedger ledger={flood} width={1200} variant="ribbons" onOpen={onOpen} />)
    const user = userEvent.setup()
    await user.tab()
    await user.keyboard('{ArrowRight}{ArrowRight}')
    expect(screen.getByRole('option', { selected: true }).textContent).toBe(
      'system: 36 of 50 seats executing, 24 lent, nominal 74',
    )
    await user.keyboard('{Enter}')
    expect(onOpen).toHaveBeenCalledExactlyOnceWith('system')
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('option', { selected: true })).toBeNull()
    await user.keyboard('{ArrowLeft}')
    expect(screen.getByRole('option', { selected: true }).textContent).toMatch(/^catch-all/)
    expect(container.querySelectorAll('p')).toHaveLength(1)
  })

  test('a click on a part opens its level', async () => {
    const onOpen = vi.fn<(level: string) => void>()
    const one = ledgerOf(server({ levels: [level({ name: 'a', executing: 3 })] }), [])
    const { container } = render(<SeatLedger ledger={one} width={600} variant="plain" onOpen={onOpen} />)
    const part = container.querySelector('svg > g > rect')
    if (part === null) throw new Error('nothing is drawn')
    await userEvent.setup().click(part)
    expect(onOpen).toHaveBeenCalledExactlyOnceWith('a')
  })
})
