import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStory, type Story, type StoryOptions } from '../../../test/harness/story.ts'
import { setClient } from '../../state/client.ts'
import { selectionStore } from '../../state/selection.ts'
import { startState } from '../../state/start.ts'
import { timeStore } from '../../state/time.ts'
import { AllocationScreen } from './index.tsx'

/** The screen on a synthetic story: its texts, and stepping from round to round. */
describe('the Allocation screen', () => {
  let story: Story
  let stop: () => void

  const begin = async (options: StoryOptions = {}): Promise<void> => {
    story = await openStory({ history: 130, servers: 1, ...options })
    setClient(story.client)
    stop = startState(story.client)
  }
  const open = async (): Promise<void> => {
    render(<AllocationScreen />)
    await screen.findByRole('heading', { name: 'How the limits were set' })
  }
  const steps = () => screen.getByRole('table', { name: /^How the limits of/ })
  const shown = (): number => Number(screen.getByRole('slider').getAttribute('aria-valuenow'))

  beforeEach(() => {
    timeStore.getState().setCursor()
    selectionStore.getState().setLevel('workload-low')
  })
  afterEach(() => {
    cleanup()
    stop()
    story.stop()
    setClient(undefined)
    timeStore.setState({ paused: false })
  })

  it('says which case applied, and that the limits are as expected', async () => {
    await begin()
    await open()
    expect(screen.getByText('Case 3 of 3: shared out.').parentElement?.textContent).toMatch(
      /remain, more than the sum of all floors \(\d+\), so all 602 seats are divided/,
    )
    expect(screen.getByText(/^Reported as expected: .* all 8 limits and the fair fraction match/)).toBeTruthy()
  })

  it('has a row for every level with its verdict, and a sum', async () => {
    await begin()
    await open()
    const rows = within(steps()).getAllByRole('row')
    expect(rows).toHaveLength(2 + 8 + 1)
    const low = within(steps()).getByRole('row', { name: /workload-low/ })
    expect(low.textContent).toMatch(/at p/)
    expect(low.getAttribute('aria-current')).toBe('true')
    expect(within(steps()).getByRole('row', { name: /^Sum/ }).textContent).toMatch(/nominal sum 602/)
  })

  it('accounts for every seat in the ledger, exempt on top', async () => {
    await begin()
    await open()
    const ledger = screen.getByRole('table', { name: /^Borrow ledger of/ })
    expect(within(ledger).getByRole('row', { name: /exempt/ }).textContent).toMatch(/on top of all limits/)
    const sum = within(ledger).getByRole('row', { name: /^Sum of limited levels/ })
    expect(sum.textContent).toMatch(/602/)
  })

  it('has a table of the same name behind every chart', async () => {
    await begin()
    await open()
    for (const name of ['Finding p', 'Limit as a share of the target']) {
      const table = screen.getByRole('table', { name })
      expect(within(table).getAllByRole('row').length).toBeGreaterThan(2)
    }
  })

  it('goes from round to round by keys, by buttons and by the slider', async () => {
    await begin()
    await open()
    const newest = shown()
    const user = userEvent.setup()
    await user.keyboard(',,')
    expect(shown()).toBe(newest - 2)
    await user.keyboard('.')
    expect(shown()).toBe(newest - 1)
    expect(timeStore.getState().cursor).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Next reallocation' }))
    expect(timeStore.getState().cursor).toBeUndefined()
    expect(screen.getByRole('button', { name: 'Next reallocation' }).hasAttribute('disabled')).toBe(true)
    const slider = screen.getByRole('slider')
    fireEvent.keyDown(slider, { key: 'Home' })
    expect(shown()).toBe(1)
    expect(slider.getAttribute('aria-valuetext')).toMatch(/^\d\d:\d\d:\d\d, fair fraction/)
    expect(screen.getByRole('button', { name: 'Previous reallocation' }).hasAttribute('disabled')).toBe(true)
    fireEvent.keyDown(slider, { key: 'ArrowRight' })
    expect(shown()).toBe(2)
    await user.click(screen.getByRole('button', { name: 'Follow the newest' }))
    expect(shown()).toBe(newest)
  })

  it('follows the newest round, and stays at a chosen one', async () => {
    await begin()
    await open()
    const newest = shown()
    await userEvent.setup().keyboard(',')
    act(() => story.advance(12_000))
    expect(await screen.findByText(new RegExp(`^round ${newest - 1},`))).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Follow the newest' }))
    expect(await screen.findByText(new RegExp(`^round ${newest + 1},`))).toBeTruthy()
  })

  it('says what to do without a source', async () => {
    await begin({ spec: null })
    render(<AllocationScreen />)
    expect(await screen.findByText('No cluster is connected.')).toBeTruthy()
  })
})
