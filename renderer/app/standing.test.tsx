import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { openStory, type Story } from '../../test/harness/story.ts'
import type { Connected } from '../../core/contract/source.ts'
import { setClient } from '../state/client.ts'
import { connectionStore } from '../state/connection.ts'
import { pastStore } from '../state/past.ts'
import { startState } from '../state/start.ts'
import { openOverlay, closeOverlay } from '../state/shell.ts'
import { instantOf, timeStore } from '../state/time.ts'
import { viewStore } from '../state/view.ts'
import { App } from './App.tsx'
import { RangeForm } from './RangeForm.tsx'

/** What the shell says of a source that is over: a run, a recording, a file. */
const OF: Connected = {
  id: 9,
  source: { kind: 'run', name: 'S1 now', via: 'scenario S1' },
  spec: { kind: 'run', of: { kind: 'scenario', name: 'S1', seed: 1, variant: 'now' } },
  still: true,
  cadence: { intervalMs: 1_000, dumpsEveryMs: null },
  servers: [{ id: 'apiserver-a:6443', status: 'ok', failures: [], lastGoodAt: '1970-01-01T00:01:00.000Z' }],
}
const kinds = {
  run: OF,
  recording: { ...OF, source: { ...OF.source, kind: 'recording' }, spec: { kind: 'recording', ids: ['r1'] } },
  file: { ...OF, source: { ...OF.source, kind: 'file' }, spec: { kind: 'demo' } },
  scrape: { ...OF, source: { ...OF.source, kind: 'scrape' }, spec: { kind: 'demo' }, still: false },
} as const satisfies Readonly<Record<string, Connected>>

let story: Story
let stop: () => void
beforeEach(async () => {
  story = await openStory({ history: 5, servers: 1 })
  setClient(story.client)
  stop = startState(story.client)
  render(<App />)
  await screen.findAllByText('workload-low')
})
afterEach(() => {
  cleanup()
  stop()
  story.stop()
  setClient(undefined)
})

/** Shows such a source in a fixed range, and the shown sample as that of its past. */
function show(connected: Connected): void {
  const { frame, derived } = viewStore.getState()
  act(() => {
    connectionStore.setState({ connections: [connected], connection: connected })
    timeStore.getState().zoom(0, 60_000)
    pastStore.setState({
      of: 9,
      connection: 9,
      extent: { first: 0, last: 60_000, gaps: [], problems: [] },
      moment: {
        at: 60_000,
        derived: [...derived],
        health: [...connected.servers],
        ...(frame !== undefined && { frame }),
      },
    })
  })
}

describe.each(['run', 'recording', 'file', 'scrape'] as const)('a source of kind %s', (kind) => {
  it('has a way back to live only where something is live', () => {
    show(kinds[kind])
    expect(screen.queryAllByRole('button', { name: 'Back to live' })).toHaveLength(kind === 'scrape' ? 1 : 0)
  })
})

test('a run has the version of its server, not of one then', () => {
  show(kinds.recording)
  expect(screen.getByRole('contentinfo').textContent).toContain('server then')
  show(kinds.run)
  expect(screen.getByRole('contentinfo').textContent).not.toContain('server then')
})

test('draws a clock for the past: a circle with hands in it', () => {
  show(kinds.recording)
  act(() => timeStore.getState().goTo(60_000))
  expect(document.querySelectorAll('[data-mode=past] svg > :is(circle, path)')).toHaveLength(2)
})

test('a run is listed with its kind, without an age', async () => {
  show(kinds.run)
  act(() => openOverlay('source'))
  const list = await screen.findByRole('listbox', { name: 'Source and server' })
  const [option] = within(list).getAllByRole('option')
  expect(option?.textContent).toContain('run')
  expect(option?.textContent).not.toMatch(/ago|behind|\d h/)
  act(() => closeOverlay('source'))
})

test('a run that is disconnected leaves no time bar, no 1970 and no instant', async () => {
  show(kinds.run)
  expect(await screen.findByText('1 min run')).toBeTruthy()
  act(() => connectionStore.setState({ connections: [], connection: undefined }))
  expect(screen.queryByText(/ run$|^Opening the|no gaps|Charts show the range/)).toBeNull()
  expect(document.body.textContent).not.toContain('1970')
  expect(instantOf(timeStore.getState())).toBeUndefined()
})

test('a file has no past of its own to open: no time bar waits for it', async () => {
  show(kinds.recording)
  act(() => pastStore.setState({}, true))
  expect(await screen.findByText('Opening the recording')).toBeTruthy()
  act(() => connectionStore.setState({ connections: [kinds.file], connection: kinds.file }))
  act(() => timeStore.getState().zoom(0, 60_000))
  expect(screen.queryByText('Opening the recording')).toBeNull()
})

test('the range field of a run takes what it shows, and leaves no field to the language of the browser', () => {
  show(kinds.run)
  cleanup()
  render(<RangeForm window={timeStore.getState().window} />)
  const field = screen.getByRole<HTMLInputElement>('textbox')
  expect(field.value).toBe('0 s to 60 s')
  expect(screen.getByRole('status').textContent).toBe('0 s to 60 s, 1 min.')
  expect(document.querySelector('input[type=datetime-local]')).toBeNull()
  fireEvent.change(field, { target: { value: '5 s to 20 s @ 12 s' } })
  fireEvent.submit(field)
  expect(timeStore.getState()).toMatchObject({ from: 5_000, to: 20_000, chosen: 12_000 })
  expect(document.body.textContent).not.toContain('1970')
})
