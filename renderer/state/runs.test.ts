import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Client } from '../../core/contract/contract.ts'
import type { Connected } from '../../core/contract/source.ts'
import { setClient } from './client.ts'
import { connectionStore } from './connection.ts'
import { openRun, startRuns } from './runs.ts'
import { instantOf, timeStore } from './time.ts'
import { viewStore } from './view.ts'

const sourceOf = (id: number, kind: 'run' | 'recording' | 'file' | 'simulation'): Connected => ({
  id,
  source: { kind, name: `source ${id}`, via: 'test' },
  spec: { kind: 'demo' },
  still: kind !== 'simulation',
  cadence: { intervalMs: 1_000, dumpsEveryMs: 5_000 },
  servers: [],
})
const START = Date.UTC(2026, 10, 20, 3)
const of = { kind: 'scenario', name: 'S1', seed: 1, variant: 'now' } as const
/** Of a file: pages every half minute, for 25 minutes. */
const PAGES = Array.from({ length: 51 }, (_, page) => START + page * 30_000)
const asked: string[] = []
const line = {
  call: async (name: string) => {
    asked.push(name)
    if (name === 'history.series') return { times: PAGES }
    return name === 'sources.connect' ? sourceOf(7, 'run') : { first: 0, last: 300_000, gaps: [], problems: [] }
  },
  subscribe: () => () => undefined,
  onLink: () => () => undefined,
} as unknown as Client
const instant = (): number | undefined => instantOf(timeStore.getState())
let stop: () => void

beforeEach(() => {
  asked.length = 0
  setClient(line)
  connectionStore.setState({ connections: [sourceOf(1, 'simulation')], connection: sourceOf(1, 'simulation') })
  stop = startRuns(line)
})
afterEach(() => stop())

test('a run is shown at the instant that was asked for, once; another source shows its present', async () => {
  await openRun(of, 12.5)
  expect(connectionStore.getState().connection?.id).toBe(7)
  await vi.waitFor(() => expect(instant()).toBe(12_500))
  connectionStore.setState({ connection: sourceOf(1, 'simulation') })
  expect(instant()).toBeUndefined()
  expect(timeStore.getState().window.kind).toBe('relative')
  await openRun(of, 20)
  await vi.waitFor(() => expect(instant()).toBe(20_000))
  expect(asked.filter((name) => name === 'sources.connect')).toHaveLength(1)
})

test('a recording opens on its last sample, zoomed to fit, whatever range was shown', async () => {
  timeStore.getState().zoom(5_000_000, 6_000_000)
  connectionStore.setState({ connection: sourceOf(8, 'recording') })
  await vi.waitFor(() => expect(instant()).toBe(300_000))
  expect(timeStore.getState()).toMatchObject({ from: 0, to: 300_000 })
  timeStore.getState().zoom(10_000, 20_000)
  timeStore.getState().goTo(12_000)
  // An instant of it stays, as that of an address.
  connectionStore.setState({ connection: { ...sourceOf(8, 'recording') } })
  expect(instant()).toBe(12_000)
  connectionStore.setState({ connection: undefined, connections: [] })
  expect(instant()).toBeUndefined()
})

test('there is no present to go back to: a run then stands at its end', async () => {
  await openRun(of, 12.5)
  timeStore.getState().live()
  await vi.waitFor(() => expect(instant()).toBe(300_000))
})

test('a range up to the newest sample is the last part of a recording, at its last sample', async () => {
  connectionStore.setState({ connection: sourceOf(8, 'recording') })
  await vi.waitFor(() => expect(timeStore.getState()).toMatchObject({ from: 0, to: 300_000 }))
  timeStore.getState().setRange(60)
  await vi.waitFor(() => expect(timeStore.getState()).toMatchObject({ from: 240_000, to: 300_000 }))
  expect(instant()).toBe(300_000)
  // A longer one than the recording is all of it.
  timeStore.getState().setRange(3_600)
  await vi.waitFor(() => expect(timeStore.getState()).toMatchObject({ from: 0, to: 300_000 }))
})

test('an ended follower moves nothing when its answer is late', async () => {
  connectionStore.setState({ connection: sourceOf(7, 'run') })
  stop()
  timeStore.getState().live()
  await new Promise((resolve) => setTimeout(resolve))
  expect(instant()).toBeUndefined()
})

/** The last page of a file is shown. */
function showPage(source: Connected): void {
  const at = new Date(PAGES.at(-1) ?? 0).toISOString()
  const server = { id: 'apiserver-a:6443', at, levels: [], missing: [] }
  viewStore.setState({ frame: { formatVersion: 1, at, source: source.source, servers: [server] }, server })
}

test('a file opens on all of its pages, and the next source on its own range', async () => {
  timeStore.getState().setRange(60)
  connectionStore.setState({ connection: sourceOf(9, 'file') })
  showPage(sourceOf(9, 'file'))
  await vi.waitFor(() => expect(timeStore.getState().window).toEqual({ kind: 'relative', seconds: 1_500 }))
  expect(instant()).toBeUndefined()
  // A range that was chosen since then stays.
  timeStore.getState().setRange(300)
  connectionStore.setState({ connection: { ...sourceOf(9, 'file') } })
  expect(timeStore.getState().window).toEqual({ kind: 'relative', seconds: 300 })
  connectionStore.setState({ connection: sourceOf(1, 'simulation') })
  expect(timeStore.getState().window).toEqual({ kind: 'relative', seconds: 600 })
})

test('a file keeps the range of an address, and is not fitted by the sample of another source', async () => {
  timeStore.getState().zoom(START, START + 60_000)
  connectionStore.setState({ connection: sourceOf(10, 'file') })
  showPage(sourceOf(9, 'file'))
  showPage(sourceOf(10, 'file'))
  await Promise.resolve()
  expect(timeStore.getState()).toMatchObject({ from: START, to: START + 60_000 })
  expect(asked).not.toContain('history.series')
})
