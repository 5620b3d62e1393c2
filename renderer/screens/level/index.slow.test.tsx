import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ServerHealth } from '../../../core/contract/source.ts'
import { SIMULATION } from '../../../test/fixtures/sources.ts'
import { openStory, type Story, type StoryOptions } from '../../../test/harness/story.ts'
import { rangeStore, selectRange } from '../../charts/Crosshair.tsx'
import { setClient } from '../../state/client.ts'
import { connectionStore } from '../../state/connection.ts'
import { forgetObject, openInLevel, startRoutes } from '../../state/route.ts'
import { selectionStore } from '../../state/selection.ts'
import { startState } from '../../state/start.ts'
import { timeStore } from '../../state/time.ts'
import { viewStore } from '../../state/view.ts'
import { byCodeUnits } from '../../../core/text/text.ts'
import { headline } from '../../../core/verdict/headline.ts'
import { levelRows, recentRejections } from '../../../core/verdict/levelRows.ts'
import { format } from '../../theme/format.ts'
import { LevelScreen } from './index.tsx'

/** The screen on a synthetic story: its texts and its keys. */
describe('the Level screen', () => {
  let story: Story
  let stop: () => void

  const open = async (level: string | undefined): Promise<void> => {
    selectionStore.getState().setLevel(level)
    render(<LevelScreen />)
    await screen.findByRole('heading', { level: 1 })
  }
  const showInside = () => userEvent.setup().click(screen.getByRole('radio', { name: 'Demand and virtual time' }))
  const begin = async (options: StoryOptions = {}): Promise<void> => {
    // 130 s into the story the flood of lists has filled workload-low.
    story = await openStory({ history: 130, servers: 1, ...options })
    setClient(story.client)
    stop = startState(story.client)
  }
  const end = (): void => {
    cleanup()
    stop()
    story.stop()
    setClient(undefined)
    timeStore.setState({ paused: false })
  }
  const reopen = (options: StoryOptions): Promise<void> => {
    end()
    return begin(options)
  }
  /** On a busy machine the sample may be old by the time that the screen is drawn. */
  const shownOfFreshSample = (text: () => string | RegExp): Promise<HTMLElement> =>
    waitFor(() => {
      act(() => story.advance(1_000))
      return screen.getByText(text())
    })
  beforeEach(() => begin())
  afterEach(end)

  it('says what the server reports about the limits, and what the console concludes', async () => {
    await open('workload-low')
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('workload-low')
    const head = document.querySelector('header')
    expect(head?.textContent).toMatch(/nominal\s*245/)
    expect(head?.textContent).toMatch(/lendable 90 %/)
    expect(head?.textContent).toMatch(/602 exist/)
    expect(head?.textContent).toContain('service-accounts')
  })

  it('opens with what the Overview says of the level, and with its calm while nothing is wrong', async () => {
    const titleOnOverview = (): string => {
      const { server, derived } = viewStore.getState()
      if (server === undefined) throw new Error('no server')
      const own = derived.find(({ id }) => id === server.id)
      const rows = levelRows(server, own, byCodeUnits)
      return headline([{ id: server.id, rows, recent: recentRejections(own) }], format).title
    }
    await open('workload-low')
    const sentence = await shownOfFreshSample(titleOnOverview)
    expect(sentence.tagName).toBe('B')
    expect(sentence.textContent).toMatch(/^workload-low /)
    cleanup()
    await open('leader-election')
    expect(screen.queryByText(/^leader-election (queues|is full|rejects)/)).toBeNull()
    expect(await shownOfFreshSample(() => 'No request of leader-election waits or is rejected.')).toBeTruthy()
  })

  it('names the schemas that feed a level of which no request was counted', async () => {
    await open('catch-all')
    await waitFor(() =>
      expect(document.querySelector('header')?.textContent).toMatch(/fed by 1 flow schema ?catch-all/),
    )
  })

  it('opens a level by itself when the address names none', async () => {
    await open(undefined)
    expect(selectionStore.getState().level).toBe(screen.getByRole('heading', { level: 1 }).textContent)
  })

  it('opens on the flow or the queue that its address names', async () => {
    location.hash = '#/level/workload-low?object=flow%3Asearch%3Aindexer'
    const stopRoutes = startRoutes()
    await open('workload-low')
    const flows = await screen.findByRole('grid', { name: 'Flows of workload-low' })
    const field = screen.getByRole('searchbox', { name: /filter/i }) as HTMLInputElement
    expect(field.value).toBe('flow:search:indexer')
    expect(within(flows).getByRole('row', { selected: true }).textContent).toContain('search:indexer')
    act(() => openInLevel('workload-low', 'queue:17'))
    await waitFor(() => expect(field.value).toBe('queue:17'))
    expect(screen.getByText('queue 17', { selector: 'b' })).toBeTruthy()
    // The text that the user typed takes precedence over the address.
    fireEvent.change(field, { target: { value: 'verb:list' } })
    expect(location.hash).not.toContain('object')
    act(() => openInLevel('workload-low', 'queue:17'))
    await waitFor(() => expect(field.value).toBe('queue:17'))
    act(() => forgetObject())
    stopRoutes()
    location.hash = ''
  })

  it('has a table of the same name behind every chart', async () => {
    await open('workload-low')
    await screen.findByRole('grid', { name: 'Flows of workload-low' })
    for (const name of ['Seats', 'Queues', 'Wait', 'Execution', 'Seat utilisation', 'Demand ratio'])
      expect(screen.getByRole('table', { name })).toBeTruthy()
    await showInside()
    for (const name of ['Demand', 'Virtual time']) expect(screen.getByRole('table', { name })).toBeTruthy()
  })

  describe('of a simulation', () => {
    beforeEach(async () => {
      await act(() => story.client.call('sources.connect', { spec: SIMULATION, inPlaceOf: 1 }))
      // Until its dumps have shown the flows of its clients.
      act(() => story.advance(60_000))
    })

    it('says what only the objects tell: shares, queues, the widest request, Retry-After', async () => {
      await open('workload-low')
      await screen.findByRole('grid', { name: 'Flows of workload-low' })
      await showInside()
      await screen.findByRole('heading', { name: 'Hands' })
      const head = document.querySelector('header')?.textContent ?? ''
      expect(head).toMatch(/shares\s*100\s*of 245/)
      expect(head).toContain('128 queues × hand 6 × length 50')
      expect(head).toContain('no borrowing limit, 602 exist')
      expect(head).toMatch(/widest request\s*37 seats/)
      expect(head).toMatch(/Retry-After\s*32 s/)
      // R, S and the epoch are in a tooltip.
      const pane = screen.getByRole('region', { name: 'Virtual time' })
      expect(pane.textContent).not.toMatch(/epoch|\bR \d/)
      expect(within(pane).getByTitle(/^R [^,]+, epoch 0, S .+ to /).textContent).toBe('order of service')
    })

    it('deals the chosen flow its hand, numbers it in the field, and compares it with another', async () => {
      const user = userEvent.setup()
      await open('workload-low')
      expect(await screen.findByText(/numbered as dealt/)).toBeTruthy()
      await showInside()
      const select = await screen.findByRole<HTMLSelectElement>('combobox', { name: /^Flow to compare with / })
      const hand = screen.getAllByRole('list', { name: /^Hand of / })
      expect(hand.map((list) => within(list).getAllByRole('listitem').length)).toEqual([6, 6])
      expect(screen.getByText('shared queues').textContent).toMatch(/\d of 6/)
      const [before, after] = select.options
      if (before === undefined || after === undefined) throw new Error('the simulation has several flows')
      expect(before.selected).toBe(true)
      await user.selectOptions(select, after)
      expect(after.selected).toBe(true)
      expect(after.text).not.toBe(before.text)
      expect(screen.getByRole('list', { name: `Hand of ${after.text}` })).toBeTruthy()
    })

    it('has no hand where there is none to deal', async () => {
      await open('exempt')
      await screen.findByRole('grid', { name: 'Senders of exempt' })
      expect(screen.queryByRole('heading', { name: 'Hands' })).toBeNull()
    })
  })

  it('leads to the editor, with the object of the level open', async () => {
    await open('workload-low')
    await userEvent.setup().click(screen.getByRole('button', { name: 'Edit this level' }))
    expect(location.hash).toBe('#/editor/draft?object=PriorityLevelConfiguration%2Fworkload-low')
  })

  it('shows of sources without objects the queues in which a flow was seen, and says that it is not the hand', async () => {
    await reopen({ objects: null })
    await open('workload-low')
    expect(screen.queryByRole('button', { name: 'Edit this level' })).toBeNull()
    expect(await screen.findByText(/was seen; its hand may have more/)).toBeTruthy()
    expect(screen.queryByRole('heading', { name: 'Hands' })).toBeNull()
    expect(document.querySelector('header')?.textContent).not.toMatch(/shares|hand/)
  })

  it('measures each flow against its max-min fair share of the limit', async () => {
    await open('workload-low')
    const flows = await screen.findByRole('grid', { name: 'Flows of workload-low' })
    const bars = within(flows).getAllByRole('img', { name: /^\d+ of \d+ seats, fair share [\d.]+$/ })
    expect(bars.length).toBeGreaterThan(1)
  })

  it('filters requests by the flow that is chosen, and lets go of it', async () => {
    const user = userEvent.setup()
    await open('workload-low')
    const flows = await screen.findByRole('grid', { name: 'Flows of workload-low' })
    const filter = screen.getByRole<HTMLInputElement>('searchbox')
    const cell = within(flows).getAllByRole('gridcell')[0]
    if (cell === undefined) throw new Error('the story has flows')
    await user.click(cell)
    expect(filter.value).toBe(`flow:${cell.textContent}`)
    await user.click(cell)
    expect(filter.value).toBe('')
  })

  it('explains a filter that it does not understand and hides nothing for it', async () => {
    const user = userEvent.setup()
    await open('workload-low')
    const filter = await screen.findByRole('searchbox')
    const rows = (): string | null =>
      screen.getByRole('grid', { name: 'Requests of workload-low' }).getAttribute('aria-rowcount')
    const all = rows()
    await user.type(filter, 'wait>soon')
    expect(screen.getByText(/Write a duration/)).toBeTruthy()
    expect(rows()).toBe(all)
    await user.clear(filter)
    await user.type(filter, 'vreb:list')
    expect(screen.getByText(/^Unknown key vreb; did you mean verb:\?/)).toBeTruthy()
    await user.clear(filter)
    await user.type(filter, 'verb:nothing')
    expect(rows()).toBe('1')
  })

  it('shows no queue and no limit for exempt, and says why there is no target', async () => {
    await open('exempt')
    await screen.findByRole('grid', { name: 'Senders of exempt' })
    await shownOfFreshSample(() => /Requests never wait here/)
    for (const title of ['Queues', 'Demand', 'Wait', 'Rejections'])
      expect(screen.queryByRole('heading', { name: title })).toBeNull()
  })

  it('explains a level without queues instead of drawing an empty field', async () => {
    await open('catch-all')
    expect(await screen.findByText(/This level does not queue/)).toBeTruthy()
    expect(screen.queryByRole('heading', { name: 'Queues' })).toBeNull()
  })

  it('says how old the values are when none come, and tries again when asked', async () => {
    await open('workload-low')
    const call = vi.spyOn(story.client, 'call')
    act(() => viewStore.setState({ mode: 'stale', ageMs: 14_000 }))
    expect(await screen.findByText(/No sample from .* for 14 s. Showing the last values from/)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Retry now' }))
    expect(call).toHaveBeenCalledWith('sources.tryNow', { connection: 1, server: 'apiserver-a:6443' })
  })

  it('names the levels there are when the one asked for is gone', async () => {
    selectionStore.getState().setLevel('old-batch')
    render(<LevelScreen />)
    expect(await screen.findByText(/There is no level old-batch/)).toBeTruthy()
    expect(screen.getByRole('link', { name: 'workload-low' }).getAttribute('href')).toContain('#/level/workload-low')
  })

  it.each([
    ['off', 'Debug dumps are off.'],
    ['forbidden', /You may not read the debug dumps/],
    ['failing', /cannot be read/],
  ] as const)('says what is missing when dumps are %s', async (status, sentence) => {
    // The story's stream of dumps stays silent; only the health reports them.
    setClient({
      call: (name, input) => story.client.call(name, input),
      onLink: (listener) => story.client.onLink(listener),
      subscribe: (name, ...rest) => (name === 'dumps' ? () => undefined : story.client.subscribe(name, ...rest)),
    })
    await open('workload-low')
    const { connection } = connectionStore.getState()
    if (connection === undefined) throw new Error('the story is connected')
    const problem = { code: 'forbidden', message: '403 for user viewer' } as const
    const servers = connection.servers.map((health): ServerHealth => ({ ...health, dumps: { status, problem } }))
    act(() => connectionStore.setState({ connection: { ...connection, servers } }))
    expect(await screen.findByText(sentence)).toBeTruthy()
    expect(screen.queryByRole('heading', { name: 'Queues' })).toBeNull()
    expect(screen.getByRole('heading', { name: 'Seats' })).toBeTruthy()
  })

  it('pauses for a dragged range, sums it up, and goes on when it is let go', async () => {
    await open('workload-low')
    await screen.findByRole('grid', { name: 'Flows of workload-low' })
    const { to } = timeStore.getState()
    act(() => selectRange({ from: to - 20_000, to: to - 10_000 }))
    expect(timeStore.getState().paused).toBe(true)
    const drawer = await screen.findByRole('region', { name: 'Selected range' })
    expect(drawer.textContent).toContain('10 s selected')
    fireEvent.click(within(drawer).getByRole('button', { name: 'Clear selection' }))
    expect(timeStore.getState().paused).toBe(false)
    expect(rangeStore.getState().range).toBeUndefined()
  })

  it('reads the values at the cursor of its own level in one line, which covers nothing', async () => {
    await open('workload-low')
    await screen.findByRole('grid', { name: 'Flows of workload-low' })
    const seats = screen.getByRole('region', { name: 'Seats' })
    act(() => timeStore.getState().setCursor(timeStore.getState().to - 2_000))
    const line = await within(seats).findByTitle(/workload-low: \d+ of \d+ seats executing/)
    expect(line.className).toContain('ellipsis')
    expect(line.parentElement?.textContent).not.toMatch(/workload-high|global-default/)
    act(() => timeStore.getState().setCursor())
  })

  it('keeps a pause that was there before the drag', async () => {
    await open('workload-low')
    act(() => timeStore.getState().pause())
    const { to } = timeStore.getState()
    act(() => selectRange({ from: to - 20_000, to: to - 10_000 }))
    fireEvent.click(await screen.findByRole('button', { name: 'Clear selection' }))
    expect(timeStore.getState().paused).toBe(true)
  })
})
