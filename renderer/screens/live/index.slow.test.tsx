import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest'
import { proxySpec, SIMULATION } from '../../../test/fixtures/sources.ts'
import { openStory, type Story, type StoryOptions } from '../../../test/harness/story.ts'
import { setClient } from '../../state/client.ts'
import { liveRows, liveStore } from '../../state/live.ts'
import { requestStore } from '../../state/request.ts'
import { startRoutes } from '../../state/route.ts'
import { settingsNow } from '../../state/settings.ts'
import { startState } from '../../state/start.ts'
import { timeStore } from '../../state/time.ts'
import { LivePage } from './index.tsx'
import { setFilter } from './query.ts'

/** The page on a made-up stream, advanced by hand in tenths of a second. */
describe('Live requests', () => {
  let story: Story
  let stops: (() => void)[]
  let calls: MockInstance<Story['client']['call']>

  const open = async (options: StoryOptions = {}, hash = '#/live'): Promise<void> => {
    location.hash = hash
    story = await openStory({ history: 5, servers: 1, ...options })
    calls = vi.spyOn(story.client, 'call')
    setClient(story.client)
    stops = [startRoutes(), startState(story.client)]
    render(<LivePage />)
    await screen.findAllByRole('heading')
  }
  const proxy = (mode: 'enforce' | 'observe', perSecond = 50, before = 500): StoryOptions => ({
    spec: proxySpec(mode),
    traffic: { perSecond, before },
  })
  /** Enough requests to fill the queues of the flow that floods its level. */
  const flooded = (mode: 'enforce' | 'observe'): StoryOptions => proxy(mode, 200, 2_000)
  const pass = (tenths: number): void => {
    vi.setSystemTime(Date.now() + tenths * 100)
    story.advance(tenths * 100)
  }
  const grid = () => screen.getByRole('grid', { name: 'Live requests' })
  // By position: computing the role of every cell takes seconds.
  const rows = () => Array.from(grid().querySelectorAll<HTMLElement>('tbody [aria-rowindex]'))
  const text = (row: HTMLElement | undefined): string => row?.textContent ?? ''
  const field = () => screen.getByRole('combobox', { name: 'Filter requests' })

  beforeEach(() => {
    // A new query: the first one has ended where another file of this worker has set a filter.
    setFilter('status:200')
    setFilter('')
  })
  afterEach(() => {
    cleanup()
    for (const stop of stops) stop()
    story.stop()
    setClient(undefined)
    timeStore.setState({ paused: false })
  })

  it('says which sources show single requests when this one does not', async () => {
    await open()
    expect(
      await screen.findByRole('heading', { name: 'This source does not report individual requests.' }),
    ).toBeTruthy()
    expect(screen.getByText('Audit log or webhook')).toBeTruthy()
    await userEvent.setup().click(screen.getByRole('button', { name: 'Choose another source' }))
    expect(location.hash).toContain('#/connection')
  })

  it('says where to send requests while none came', async () => {
    await open(proxy('enforce', 0, 0))
    expect(await screen.findByRole('heading', { level: 1, name: 'No requests yet.' })).toBeTruthy()
    expect((await screen.findAllByText(/127\.0\.0\.1:41233/)).length).toBeGreaterThan(0)
  })

  it('compares with a server where there is one apart from the engine', async () => {
    await open(proxy('observe'))
    expect(await screen.findByRole('region', { name: 'Agreement' })).toBeTruthy()
    cleanup()
    for (const stop of stops) stop()
    story.stop()
    await open({ spec: SIMULATION })
    await userEvent.setup().click(await screen.findByRole('radio', { name: 'Engine and server' }))
    expect(await screen.findByRole('region', { name: 'Draft beside' })).toBeTruthy()
    expect(screen.queryByRole('region', { name: 'Agreement' })).toBeNull()
  })

  it('shows what came before, then each request as it comes, newest first', async () => {
    await open(proxy('observe'))
    await screen.findByText(/buffer 500 of/)
    const before = text(rows()[0])
    pass(5)
    await screen.findByText(/buffer 525 of/)
    expect(text(rows()[0])).not.toBe(before)
  })

  it('reads what came before once: all that follows is in the stream', async () => {
    await open(proxy('observe'))
    await screen.findByText(/buffer 500 of/)
    pass(1)
    await screen.findByText(/buffer 505 of/)
    expect(calls.mock.calls.filter(([name]) => name === 'live.page')).toHaveLength(1)
  })

  it('holds still while the pointer is on the list, and counts what came', async () => {
    await open(proxy('observe'))
    await screen.findByText(/buffer 500 of/)
    const list = grid().parentElement
    if (list === null) throw new Error('the list scrolls in its parent')
    fireEvent.pointerEnter(list)
    const first = text(rows()[0]).slice(0, 12)
    pass(5)
    expect(await screen.findByText('25 newer above; the list holds still while the pointer is on it')).toBeTruthy()
    expect(text(rows()[0]).slice(0, 12)).toBe(first)
    fireEvent.pointerLeave(list)
    await waitFor(() => expect(text(rows()[0]).slice(0, 12)).not.toBe(first))
  })

  it('holds what passes another filter as it is when the filter is set', async () => {
    await open(proxy('observe'))
    await screen.findByText(/buffer 500 of/)
    const list = grid().parentElement
    if (list === null) throw new Error('the list scrolls in its parent')
    fireEvent.pointerEnter(list)
    pass(5)
    expect(await screen.findByText(/^25 newer above/)).toBeTruthy()
    fireEvent.change(field(), { target: { value: 'wait>=0ms' } })
    expect(await screen.findByText(/^0 newer above|^Newest first/)).toBeTruthy()
    pass(5)
    expect(await screen.findByText(/^\d+ newer above; the list holds still while the pointer/)).toBeTruthy()
  })

  it('follows again when the cell that had the focus is gone', async () => {
    await open(proxy('observe'))
    await screen.findByText(/buffer 500 of/)
    act(() => within(grid()).getAllByRole('gridcell')[0]?.focus())
    expect(await screen.findByText(/the list holds still while the focus is in it/)).toBeTruthy()
    fireEvent.change(field(), { target: { value: 'user:nobody' } })
    await screen.findByText(/No request matches this filter/)
    expect(screen.queryByText(/the list holds still/)).toBeNull()
  })

  it('says how many came too fast to be listed', async () => {
    await open(proxy('observe'))
    await screen.findByText(/buffer 500 of/)
    const { state } = liveStore.getState()
    if (state === undefined) throw new Error('no state of the stream')
    act(() => liveStore.setState({ state: { ...state, withoutRow: 1_234 } }))
    expect(await screen.findByText(/, 0 dropped, 1 234 too many to list/)).toBeTruthy()
  })

  it('holds while paused', async () => {
    await open(proxy('observe'))
    await screen.findByText(/buffer 500 of/)
    act(() => timeStore.getState().pause())
    pass(2)
    expect(await screen.findByText('10 newer above; paused')).toBeTruthy()
  })

  it('filters, explains what it does not understand, and says how many are hidden', async () => {
    await open(proxy('observe'))
    await screen.findByText(/buffer 500 of/)
    fireEvent.change(field(), { target: { value: 'verb:patch' } })
    await waitFor(() => expect(rows().every((row) => text(row).includes('PATCH'))).toBe(true))
    expect(screen.getByRole('heading', { level: 1 }).textContent).toMatch(/match this filter/)
    fireEvent.change(field(), { target: { value: 'wait>soon' } })
    expect(screen.getByText('Write a duration: wait>5s.')).toBeTruthy()
    fireEvent.change(field(), { target: { value: 'user:nobody' } })
    expect(await screen.findByText(/No request matches this filter; 500 are hidden/)).toBeTruthy()
    await userEvent.setup().click(screen.getByRole('button', { name: 'Clear the filter' }))
    expect(rows().length).toBeGreaterThan(5)
  })

  it('completes names that were seen with Tab, and keeps saved filters', async () => {
    await open(proxy('observe'))
    await screen.findByText(/buffer 500 of/)
    const user = userEvent.setup()
    await user.click(field())
    await user.keyboard('user:node-1')
    expect(screen.getByRole('option', { selected: true }).textContent).toContain('system:node:node-17')
    await user.keyboard('{Tab}')
    expect((field() as HTMLInputElement).value).toBe('user:system:node:node-17 ')
    await user.click(screen.getByRole('button', { name: 'Save filter' }))
    expect(settingsNow().liveFilters).toEqual(['user:system:node:node-17'])
  })

  it('takes a filter from its address', async () => {
    await open(proxy('observe'), '#/live?object=level%3Aexempt')
    await waitFor(() => expect((field() as HTMLInputElement).value).toBe('level:exempt'))
  })

  it('opens a request with the keyboard: what became of it, and why this schema', async () => {
    await open(flooded('observe'), '#/live?object=state%3Arejected')
    await screen.findByText(/buffer 2.000 of/)
    const [, first] = within(grid()).getAllByRole('row')
    const [cell] = within(first ?? grid()).getAllByRole('gridcell')
    act(() => cell?.focus())
    const user = userEvent.setup()
    await user.keyboard('{ArrowDown}{Enter}')
    const pane = await screen.findByRole('region', { name: /LIST|CREATE/ })
    // It was in no queue: the chosen queue is full.
    expect(within(pane).getByText(/was rejected at workload-low at once\.$/)).toBeTruthy()
    expect(within(pane).getByText(/The shortest queue of the flow’s hand/)).toBeTruthy()
    // The server is still processing the newest one.
    expect(within(pane).queryByRole('table')).toBeNull()
    act(() => pass(30))
    expect(await within(pane).findByRole('table', { name: 'Engine and server compared' })).toBeTruthy()
    await user.keyboard('p')
    expect(within(pane).getByRole('button', { name: 'Unpin' })).toBeTruthy()
    await user.click(within(pane).getByRole('button', { name: 'Why this schema' }))
    expect(location.hash).toContain('#/classify/request')
    expect(requestStore.getState().recent[0]?.user).toContain('system:serviceaccount:')
  })

  it('follows the opened request even when no state of the source comes after its change', async () => {
    await open(proxy('observe'))
    await screen.findByText(/buffer 500 of/)
    await userEvent.setup().click(rows()[0] ?? grid())
    const pane = await screen.findByRole('region', { name: /^[A-Z]+ / })
    const row = liveRows.at(liveRows.end - 1)
    if (row === undefined) throw new Error('no newest request')
    liveRows.put({ ...row, state: 'failed' })
    expect(await within(pane).findByText('The server did not respond; the seats were released.')).toBeTruthy()
  })

  it('shows who sends most, and rejections with cause and remedy', async () => {
    await open(flooded('enforce'))
    await screen.findByText(/buffer 2.000 of/)
    const flows = await screen.findByRole('grid', { name: 'Flows' })
    await waitFor(() => expect(within(flows).getAllByRole('row').length).toBeGreaterThan(3))
    expect(text(flows)).toContain('inventory:scanner')
    expect(screen.getByText(/The shortest queue of the flow’s hand/)).toBeTruthy()
    expect(screen.getByRole('grid', { name: 'Rejections as they happen' })).toBeTruthy()
    expect(screen.getByRole('grid', { name: 'Exempt traffic' })).toBeTruthy()
  })

  it('shows who waits longest, and filters by a flow', async () => {
    await open(proxy('enforce'))
    await screen.findByText(/buffer 500 of/)
    const user = userEvent.setup()
    await user.click(await screen.findByRole('radio', { name: 'Wait' }))
    const flows = screen.getByRole('grid', { name: 'Flows' })
    expect(within(flows).getByRole('columnheader', { name: 'Wait p99' })).toBeTruthy()
    await waitFor(() => expect(within(flows).getAllByRole('row').length).toBeGreaterThan(3))
    const [, first, ...others] = within(flows).getAllByRole('row')
    expect(text(first)).toMatch(/(≥ )?\d+(\.\d+)? (ms|s)/)
    expect(text(first)).not.toContain('≈')
    expect(
      within(first ?? flows).getByTitle(/(longest wait|99th percentile of the waits) of \d+ requests? in 1 min\./),
    ).toBeTruthy()
    expect(others.length).toBeGreaterThan(1)
    await user.click(first ?? flows)
    expect((field() as HTMLInputElement).value).toMatch(/^(flow|schema):/)
  })

  it('marks the waits of an engine that only watches', async () => {
    await open(proxy('observe'))
    const user = userEvent.setup()
    await user.click(await screen.findByRole('radio', { name: 'Traffic' }))
    await user.click(await screen.findByRole('radio', { name: 'Wait' }))
    const flows = screen.getByRole('grid', { name: 'Flows' })
    await waitFor(() => expect(text(flows)).toContain('≈ '))
    expect(within(flows).getAllByTitle(/Waits are those of the engine/).length).toBeGreaterThan(0)
  })

  it('shows the queues of the level in which most wait, and the hand of the flow of an opened request', async () => {
    await open(proxy('enforce'))
    await screen.findByText(/buffer 500 of/)
    const queues = await screen.findByRole('region', { name: 'Queues' })
    await waitFor(() => expect(text(queues)).toMatch(/requests wait in \d+ of \d+ queues of workload-low/))
    fireEvent.change(field(), { target: { value: 'flow:inventory:scanner -state:rejected' } })
    const user = userEvent.setup()
    await user.click(rows()[0] ?? grid())
    await waitFor(() => expect(text(queues)).toMatch(/Bright: the hand of inventory:scanner, numbered as dealt/))
    await user.click(within(queues).getByRole('radio', { name: 'arrived' }))
    expect(text(queues)).toMatch(/requests came, in 6 of \d+ queues/)
  })

  it('names each column in its menu, and shows what is chosen', async () => {
    await open(proxy('enforce', 50, 50))
    await screen.findByText(/buffer 50 of/)
    const user = userEvent.setup()
    await user.click(screen.getByRole('button', { name: 'Columns' }))
    await user.click(screen.getByRole('menuitemcheckbox', { name: /^Lingers/ }))
    expect(settingsNow().liveColumns).toEqual(['lingers'])
    await user.keyboard('{Escape}')
    expect(within(grid()).getByRole('columnheader', { name: 'Lingers' })).toBeTruthy()
  })

  it('shows how far engine and server agree, and filters what differs', async () => {
    await open(proxy('observe', 100, 5_000))
    await screen.findByText(/buffer 5.000 of/)
    const pane = await screen.findByRole('region', { name: 'Where they differ' })
    await waitFor(() => expect(text(screen.getByRole('region', { name: 'Agreement' }))).toMatch(/schema and level\d/))
    await userEvent.setup().click(within(pane).getByRole('button', { name: 'Show them' }))
    expect((field() as HTMLInputElement).value).toBe('agree:no')
  })
})
