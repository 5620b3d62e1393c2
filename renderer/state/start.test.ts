import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStory, type Story } from '../../test/harness/story.ts'
import { setClient } from './client.ts'
import { connectionStore } from './connection.ts'
import { notesStore } from './notes.ts'
import { selectionStore } from './selection.ts'
import { seriesStore } from './series.ts'
import { settingsStore } from './settings.ts'
import { startState, type PageEnvironment } from './start.ts'
import { timeStore } from './time.ts'
import { viewStore } from './view.ts'

const START = Date.UTC(2026, 10, 21, 3, 0, 0)

/** A page whose clock and paints are driven by hand. */
function handPage() {
  const paints: (() => void)[] = []
  const ticks: (() => void)[] = []
  const state = { now: START, hidden: false, paints: 0 }
  const page: PageEnvironment = {
    now: () => state.now,
    hidden: () => state.hidden,
    beforePaint: (callback) => void paints.push(callback),
    onVisible: (callback) => {
      ticks.push(callback)
      return () => undefined
    },
    every: (_ms, callback) => {
      ticks.push(callback)
      return () => undefined
    },
  }
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 40; round += 1) await Promise.resolve()
    state.paints += paints.length
    for (const paint of paints.splice(0)) paint()
    for (let round = 0; round < 40; round += 1) await Promise.resolve()
  }
  return { page, state, settle, tick: () => ticks.forEach((tick) => tick()) }
}

describe('the state of the page', () => {
  let story: Story
  let stop: () => void
  let hand: ReturnType<typeof handPage>

  const second = async (): Promise<void> => {
    hand.state.now += 1_000
    story.advance(1_000)
    await hand.settle()
  }

  beforeEach(async () => {
    hand = handPage()
    story = await openStory({ history: 60, levels: 12, servers: 2, now: START })
    setClient(story.client)
    stop = startState(story.client, hand.page)
    await hand.settle()
    await hand.settle()
  })
  afterEach(() => {
    stop()
    story.stop()
    setClient(undefined)
    timeStore.setState({ paused: false, window: { kind: 'relative', seconds: 600 }, past: [], from: 0, to: 0 })
    selectionStore.getState().setServer(undefined)
    viewStore.setState(viewStore.getInitialState(), true)
    seriesStore.setState({}, true)
    connectionStore.setState(connectionStore.getInitialState(), true)
  })

  it('shows the frame that exists already, with its history', () => {
    expect(viewStore.getState()).toMatchObject({ mode: 'live', server: { id: 'apiserver-a:6443' } })
    expect(seriesStore.getState().series?.times).toHaveLength(61)
  })

  it('extends the history with each frame without asking again', async () => {
    const before = seriesStore.getState().series?.times.at(-1) ?? 0
    await second()
    await second()
    expect(seriesStore.getState().series?.times.at(-1)).toBe(before + 2_000)
    expect(timeStore.getState().to).toBe(START + 2_000)
  })

  it('paints nothing once it was ended', async () => {
    hand.tick()
    stop()
    viewStore.setState(viewStore.getInitialState(), true)
    seriesStore.setState({}, true)
    await hand.settle()
    expect(viewStore.getState()).toEqual(viewStore.getInitialState())
    expect(seriesStore.getState()).toEqual({})
  })

  it('gives slots to levels that it never saw', () => {
    expect(settingsStore.getState().levelSlots).toMatchObject({ 'batch-scan': 1, billing: 2 })
  })

  it('freezes while paused and counts what arrives', async () => {
    timeStore.getState().pause()
    await hand.settle()
    const shown = viewStore.getState().server?.at
    const { to } = timeStore.getState()
    await second()
    await second()
    expect(viewStore.getState()).toMatchObject({ mode: 'paused', buffered: 2, server: { at: shown } })
    expect(timeStore.getState().to).toBe(to)
    timeStore.getState().resume()
    await hand.settle()
    expect(viewStore.getState()).toMatchObject({ mode: 'live', buffered: 0 })
    expect(seriesStore.getState().series?.times.at(-1)).toBe(START + 2_000)
  })

  it('turns stale when nothing arrives, and lets the axis run on', async () => {
    hand.state.now += 5_000
    hand.tick()
    await hand.settle()
    expect(viewStore.getState()).toMatchObject({ mode: 'stale', ageMs: 5_000 })
    expect(timeStore.getState().to).toBe(START + 5_000)
  })

  it('keeps what was notes of the source that is shown, for as long as it is', async () => {
    const notes = (): string[] => notesStore.getState().notes.map(({ text }) => text)
    const objects = { levels: [], schemas: [] }
    story.tell({ kind: 'objects', origin: 'cluster', reading: { state: 'current', objects } })
    await hand.settle()
    expect(notes()).toContain('PriorityLevelConfiguration workload-low deleted')
    await story.client.call('sources.disconnect', { connection: connectionStore.getState().connection?.id ?? 0 })
    await hand.settle()
    expect(notes()).toEqual([])
  })

  it('paints nothing while hidden, and everything at once afterwards', async () => {
    hand.state.hidden = true
    const shown = viewStore.getState().server?.at
    await second()
    await second()
    expect(viewStore.getState().server?.at).toBe(shown)
    hand.state.hidden = false
    hand.tick()
    await hand.settle()
    expect(viewStore.getState().server?.at).toBe(new Date(START + 2_000).toISOString())
  })

  it('paints once for frames that arrive together', async () => {
    const before = hand.state.paints
    hand.state.now += 1_000
    story.advance(1_000)
    story.advance(1_000)
    await hand.settle()
    expect(hand.state.paints - before).toBe(1)
  })

  it('changes the server, and its history with it', async () => {
    selectionStore.getState().setServer('apiserver-b:6443')
    await hand.settle()
    await hand.settle()
    expect(viewStore.getState().server?.id).toBe('apiserver-b:6443')
    expect(seriesStore.getState().series?.server).toBe('apiserver-b:6443')
  })
})
