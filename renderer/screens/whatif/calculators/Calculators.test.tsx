import { cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { compute } from './calculator.logic.ts'
import { Calculators, CALCULATORS } from './Calculators.tsx'

afterEach(cleanup)

const pane = (name: string) => within(screen.getByRole('region', { name }))
const cells = (name: string, row: number) => pane(name).getAllByRole('row').at(row)?.textContent

test.each(Object.keys(CALCULATORS))('every calculator of %s has an answer to begin with', (scenario) => {
  for (const calculator of CALCULATORS[scenario] ?? []) {
    const { title } = calculator
    const computed = compute(calculator, {})
    expect(computed.ok, title).toBe(true)
    if (!computed.ok) continue
    expect(computed.answer.rows.length, title).toBeGreaterThan(0)
    for (const row of computed.answer.rows) expect(row, title).toHaveLength(computed.answer.columns.length)
    expect(computed.answer.summary).not.toMatch(/NaN|undefined|Infinity/)
  }
})

test('a scenario without calculators shows nothing', () => {
  const { container } = render(<Calculators scenario="S1" />)
  expect(container.textContent).toBe('')
})

test('watches across servers: buckets, the maximum of each, and what it overestimates', async () => {
  const user = userEvent.setup()
  render(<Calculators scenario="S19" />)
  const name = 'Watches across servers'
  expect(pane(name).getByRole('status').textContent).toMatch(/^10 buckets for each resource/)
  const namespaces = pane(name).getByLabelText('A: buckets of namespaces')
  await user.clear(namespaces)
  expect(pane(name).getByText('Enter a whole number from 1 to 1000.')).toBeTruthy()
  expect(pane(name).queryByRole('table')).toBeNull()
  await user.type(namespaces, '1')
  // With one bucket for namespaces, b's 90 watches of kube-system count for default, too.
  expect(pane(name).getByRole('status').textContent).toMatch(/^8 buckets/)
  expect(cells(name, 1)).toBe('a222214890 (155 %)8')
  expect(pane(name).getByText(/publishes nothing/)).toBeTruthy()
})

test('publishing: a jump is written at once, a fall with the minute', async () => {
  const user = userEvent.setup()
  render(<Calculators scenario="S19" />)
  const name = 'When watch counts are published'
  expect(pane(name).getByRole('status').textContent).toMatch(/^4 writes in 180 seconds/)
  expect(cells(name, 2)).toBe('60130100130period over')
  expect(cells(name, 3)).toBe('75400130400jump')
  expect(cells(name, 4)).toBe('1209040090period over')
  const counts = pane(name).getByLabelText('Watches of one bucket')
  await user.clear(counts)
  await user.type(counts, '0 100{Enter}ten 5')
  expect(pane(name).getByText(/^Line 2 is not of the form/)).toBeTruthy()
})

test('width of a write: the proposal rounds down and has no cap of its own, today rounds up to at most ten', async () => {
  const user = userEvent.setup()
  render(<Calculators scenario="S18" />)
  const name = 'Width of a write'
  const texts = (row: number) =>
    within(pane(name).getAllByRole('row')[row] ?? expect.fail('no such row'))
      .getAllByRole('cell')
      .map(({ textContent }) => textContent)
  expect(texts(1)).toEqual(['25', '5.0 ms', '0.125'])
  // 40 seats allow one request min(ceil(40 × 0.15), 40 div 6) = 6.
  expect(pane(name).getByRole('rowheader', { name: 'Today, at most 6' })).toBeTruthy()
  expect(texts(2)).toEqual(['6', '21 ms', '0.125'])
  const events = pane(name).getByLabelText('Expected events')
  await user.clear(events)
  await user.type(events, '9')
  expect(pane(name).getByRole('status').textContent).toMatch(/^The events do not fill a seat/)
})

test('cost of events: the running average of a bucket', () => {
  render(<Calculators scenario="S18" />)
  const name = 'Cost of a watch event'
  expect(pane(name).getByRole('rowheader', { name: 'configmaps' })).toBeTruthy()
  expect(cells(name, 1)).toMatch(/^pods49\W750/)
})

test('width of a list: the break-even of CPU and memory, and lists too wide for their level', async () => {
  const user = userEvent.setup()
  render(<Calculators scenario="S9" />)
  const name = 'Width of a list'
  expect(
    pane(name)
      .getByRole('status')
      .textContent?.replaceAll(/[^\x20-\x7e]/g, ','),
  ).toBe('Memory costs more than CPU above 400,000 objects. Too wide for the level: 0 of 5 lists.')
  const level = pane(name).getByLabelText('Seats of the level')
  await user.clear(level)
  await user.type(level, '8')
  expect(pane(name).getByRole('status').textContent).toMatch(/Too wide for the level: 4 of 5 lists\.$/)
  await user.selectOptions(pane(name).getByLabelText('Wider than the level'), 'reject')
  expect(pane(name).getAllByText('rejected')).toHaveLength(4)
  const size = pane(name).getByLabelText('Average object, kB')
  await user.clear(size)
  await user.type(size, '20')
  expect(pane(name).getByRole('status').textContent).toMatch(/above 200.000 objects/)
})

test('a watch: when each kind releases its seat', () => {
  render(<Calculators scenario="S13" />)
  const name = 'When a watch is initialized'
  expect(cells(name, 1)).toBe('Watch cache52 ms0.052950 ms')
  expect(cells(name, 2)).toBe('Watch cache, delayed1.05 s1.0520 ms')
  expect(cells(name, 3)).toBe('Direct storage2.0 ms0.0021.00 s')
})
