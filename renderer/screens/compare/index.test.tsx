import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ProblemError } from '../../../core/errors.ts'
import { openStory, type Story } from '../../../test/harness/story.ts'
import { setClient } from '../../state/client.ts'
import { settingsNow } from '../../state/settings.ts'
import { startState } from '../../state/start.ts'
import { viewStore } from '../../state/view.ts'
import { CompareScreen } from './index.tsx'

let story: Story
let stop: () => void

beforeEach(async () => {
  story = await openStory({ history: 60, servers: 1 })
  const { client } = story
  setClient({
    ...client,
    // The story has no flight recorder that could report what is recorded.
    call: (name, input) =>
      name === 'past.open'
        ? Promise.reject(new ProblemError('not-found', 'nothing recorded'))
        : client.call(name, input),
  })
  stop = startState(story.client)
  await waitFor(() => {
    if (viewStore.getState().server === undefined) throw new Error('no frame is shown yet')
  })
  render(<CompareScreen />)
})

afterEach(() => {
  vi.restoreAllMocks()
  cleanup()
  stop()
  story.stop()
  setClient(undefined)
})

/** Queries by role take seconds on this page, so tests find its parts by label. */
const table = async (): Promise<HTMLElement> => screen.findByLabelText('Key numbers, B against A, all levels')
const field = (name: RegExp): HTMLInputElement => screen.getByLabelText<HTMLInputElement>(name)

test('two periods with the differences of every key number, and charts of the levels that changed most', async () => {
  const rows = within(await table())
    .getAllByRole('row')
    .slice(1)
  expect(rows.map((row) => row.querySelector('th, td')?.textContent)).toEqual([
    'Executing seats, mean',
    'Current limit, mean',
    'Queued requests, mean',
    'Rejected, sum',
    'Dispatched, sum',
    'Longest wait p99',
  ])
  const levels = document.querySelectorAll('[aria-label^="Levels,"] tbody td:first-child')
  expect(Array.from(levels, (cell) => cell.textContent).filter((name) => name !== '')).toHaveLength(8)
  expect(screen.getAllByText('not recorded in both periods').length).toBeGreaterThan(0)
})

test('the cursor is in both periods at the same distance from their starts, and so are the numbers beside it', async () => {
  // A drawing needs a size, which the test DOM does not compute.
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(600)
  cleanup()
  render(<CompareScreen />)
  await table()
  const half = (side: string): HTMLElement => screen.getByLabelText(`Cursor in Rejections, ${side}`)
  fireEvent.keyDown(half('B'), { key: 'End' })
  fireEvent.keyDown(half('B'), { key: 'ArrowLeft' })
  const [inA = '', inB = ''] = [half('A'), half('B')].map((one) => one.getAttribute('aria-valuetext') ?? '')
  const [a = '', b = ''] = [field(/^Period A/).value, field(/^Period B/).value].map((text) => text.slice(11, 19))
  // Times without dates: midnight may lie between them.
  const secondsBetween = (from: string, to: string): number =>
    ((Date.parse(`2026-01-02T${to}Z`) - Date.parse(`2026-01-01T${from}Z`)) / 1_000) % 86_400
  expect(secondsBetween(inA.slice(0, 8), inB.slice(0, 8))).toBe(secondsBetween(a, b))
  expect(inA).toMatch(/^\S+, rejected .+ in A, .+ in B$/)
  expect(inB.slice(8)).toBe(inA.slice(8))
})

test('periods are typed; a text that is no range says so, and unequal lengths count per second', async () => {
  const user = userEvent.setup()
  await table()
  const b = field(/^Period B/)
  const { value } = b
  await user.clear(b)
  await user.type(b, 'soon{Enter}')
  expect(screen.getByText(/^Write a range as/)).toBeTruthy()
  await user.clear(b)
  const [day = '', from = ''] = value.split(' ')
  await user.type(b, `${day} ${from} + 2m{Enter}`)
  expect(await within(await table()).findByText('Rejected per second')).toBeTruthy()
})

test('a period of which nothing is recorded says so in its place', async () => {
  const user = userEvent.setup()
  await table()
  const a = field(/^Period A/)
  await user.clear(a)
  await user.type(a, '2020-01-01 03:00 to 03:05{Enter}')
  expect(await screen.findAllByText(/Nothing is recorded in A\./)).not.toHaveLength(0)
  expect(screen.getByText('A comparison needs samples in both periods.')).toBeTruthy()
})

test('a mark by hand aligns the periods and stays with the settings', async () => {
  const user = userEvent.setup()
  await table()
  await user.click(screen.getByText('Set mark'))
  expect(settingsNow().marks).toHaveLength(1)
  expect(
    within(screen.getByRole('combobox', { name: /^Align by/ })).getByRole('option', { name: /mark$/ }),
  ).toBeTruthy()
  const [mark] = settingsNow().marks
  expect(field(/^Period A/).value.endsWith(new Date(mark?.at ?? 0).toISOString().slice(11, 19))).toBe(true)
})
