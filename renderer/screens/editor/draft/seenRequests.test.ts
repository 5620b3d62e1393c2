import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { DumpFrame } from '../../../../core/frame/dump.ts'
import { connectionStore } from '../../../state/connection.ts'
import { pastStore } from '../../../state/past.ts'
import { useSeenRequests } from './forecast.ts'

let dump: DumpFrame | undefined
vi.mock(import('../../../state/dumps.ts'), () => ({ useDump: () => dump }))

afterEach(() => {
  cleanup()
  dump = undefined
  connectionStore.setState({ connection: undefined })
  pastStore.setState({}, true)
})

const dumpOf = (user: string): DumpFrame => ({
  server: 's0',
  at: '2026-11-20T03:00:00.000Z',
  levels: [],
  queues: [],
  costMs: 1,
  bytes: 1,
  errors: [],
  requests: [
    {
      level: 'workload-low',
      schema: 'service-accounts',
      queue: 0,
      position: 0,
      flow: user,
      arrivedAt: 0,
      initialSeats: 1,
      finalSeats: 0,
      additionalLatencyMs: 0,
      user,
      verb: 'list',
      path: '/api/v1/pods',
    },
  ],
})
const connect = (id: number, kind: 'scrape' | 'recording'): void =>
  connectionStore.setState({ connection: { id, source: { kind, name: 'prod' } } as never })
const showPast = (is: boolean): void =>
  pastStore.setState(is ? { connection: 9, moment: { at: 0, derived: [], health: [] } } : {}, true)

test.each([
  ['scrape', ['alice', 'carol']],
  ['recording', ['alice', 'bob', 'carol']],
] as const)('of a %s, dumps of a past instant count where the source is of the past itself', (kind, users) => {
  connect(kind === 'scrape' ? 1 : 2, kind)
  dump = dumpOf('alice')
  const { result, rerender } = renderHook(useSeenRequests)
  dump = dumpOf('bob')
  act(() => showPast(true))
  dump = dumpOf('carol')
  act(() => showPast(false))
  rerender()
  expect(result.current.map(({ user }) => user)).toEqual(users)
})
