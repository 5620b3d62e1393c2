import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ProblemError } from '../../../core/errors.ts'
import { openStory, type Story } from '../../../test/harness/story.ts'
import { setClient } from '../../state/client.ts'
import { settingsNow } from '../../state/settings.ts'
import { notesStore } from '../../state/notes.ts'
import { startState } from '../../state/start.ts'
import { timeStore } from '../../state/time.ts'
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
  expect(inA).toMatch(/^\S+, A \| B: rejected .+ \| .+$/)
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

test('an instant that is chosen in a period is the cursor of both', async () => {
  await table()
  const typeInto = (side: string, at: string): void => {
    const input = field(new RegExp(`^Period ${side}`))
    fireEvent.change(input, { target: { value: `2026-11-20 03:00 to 03:05 @ ${at}` } })
    fireEvent.submit(input)
  }
  typeInto('B', '03:02')
  expect(timeStore.getState().cursor).toBe(Date.UTC(2026, 10, 20, 3, 2))
  const start = Date.parse(
    `${field(/^Period B/)
      .value.slice(0, 19)
      .replace(' ', 'T')}Z`,
  )
  typeInto('A', '03:01')
  expect(timeStore.getState().cursor).toBe(start + 60_000)
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

test('an edit that the journal tells of a moment later still aligns the first periods', async () => {
  await table()
  cleanup()
  const at = timeStore.getState().to - 60_000
  const edit = { id: '1', at: new Date(at).toISOString(), target: 't', targetKey: 't', label: 'Change hog' }
  let tell: (() => void) | undefined
  setClient({
    ...story.client,
    call: (name, input) =>
      name === 'journal.read'
        ? new Promise((resolve) => (tell = () => resolve([{ ...edit, changes: [] }] as never)))
        : name === 'past.open'
          ? Promise.reject(new ProblemError('not-found', 'nothing recorded'))
          : story.client.call(name, input),
  })
  render(<CompareScreen />)
  await waitFor(() => expect(tell).toBeDefined())
  tell?.()
  await table()
  expect(screen.getByText(/Before and after/).textContent).toContain('Before and after: Change hog')
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

test.each([
  ['2026-11-20 03:07:20 UTC', '2026-11-20T03:07:20Z'],
  ['I1120 03:07:20.123456   12 apf_filter.go:7] rejected', '2026-11-20T03:07:20Z'],
  ['last alert', '2026-11-21T04:00:00Z'],
  ['-6h', 'six hours ago'],
])('a mark is set at %s', async (text, at) => {
  await table()
  notesStore.setState({ notes: [{ at: Date.UTC(2026, 10, 21, 4), kind: 'alert', text: 'R1 fires' }] })
  const before = settingsNow().marks.length
  const input = field(/^Time of a mark/)
  fireEvent.change(input, { target: { value: text } })
  const now = Date.now()
  fireEvent.submit(input)
  const added = settingsNow().marks.slice(before)
  expect(added).toHaveLength(1)
  if (at === 'six hours ago') expect(Math.abs((added[0]?.at ?? 0) - (now - 21_600_000))).toBeLessThan(2_000)
  else expect(added[0]?.at).toBe(Date.parse(at))
})
