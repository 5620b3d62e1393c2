import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { levelFrame, schemaFrame, serverFrame } from '../../test/fixtures/frames.ts'
import { createDeriver } from '../../core/frame/derive.ts'
import { connectionStore } from '../state/connection.ts'
import { viewStore, type View } from '../state/view.ts'
import { RejectionAnnouncer } from './App.tsx'

const EMPTY = viewStore.getState()
const UNCONNECTED = connectionStore.getState()

/** Shows a server of a connection whose level `name` rejected `rejections` requests in its last second. */
function show(connection: number, name: string, rejections: number, mode: View['mode'] = 'live'): void {
  const derive = createDeriver('api')
  const frameAt = (second: number, count: number) => {
    const rejected = { 'queue-full': count, 'concurrency-limit': 0, 'time-out': 0 }
    return serverFrame(second, [levelFrame(name, [schemaFrame('s', { rejected })], { rejected })])
  }
  derive(frameAt(0, 0))
  const server = frameAt(1, rejections)
  const derivedServer = derive(server)
  act(() => {
    connectionStore.setState({
      connection: {
        id: connection,
        source: { kind: 'scrape', name: 'prod', via: '/metrics direct' },
        spec: { kind: 'demo' },
        cadence: { intervalMs: 1_000, dumpsEveryMs: null },
        servers: [],
        still: false,
      },
    })
    viewStore.setState({ ...EMPTY, mode, server, derivedServer } satisfies View)
  })
}
const said = () => screen.getByRole('status').textContent

beforeEach(() => void render(<RejectionAnnouncer />))
afterEach(() => {
  cleanup()
  viewStore.setState(EMPTY, true)
  connectionStore.setState(UNCONNECTED, true)
})

it('announces a level that rejects, of the cluster on the screen and no other', () => {
  show(1, 'workload-low', 3)
  expect(said()).toBe('workload-low rejects requests.')
  show(2, 'workload-low', 0)
  expect(said()).toBe('')
  show(2, 'workload-low', 5)
  expect(said()).toBe('workload-low rejects requests.')
})

it('announces nothing of the past', () => {
  show(1, 'workload-low', 3, 'past')
  expect(said()).toBe('')
  show(1, 'workload-low', 3)
  expect(said()).toBe('workload-low rejects requests.')
})
