import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { Client } from '../../../../core/contract/contract.ts'
import type { DumpFrame } from '../../../../core/frame/dump.ts'
import { setClient } from '../../../state/client.ts'
import { connectionStore } from '../../../state/connection.ts'
import { pastStore } from '../../../state/past.ts'
import { timeStore } from '../../../state/time.ts'
import { viewStore } from '../../../state/view.ts'
import { useSeenRequests } from './forecast.ts'

const before = { view: viewStore.getState(), time: timeStore.getState() }
afterEach(() => {
  cleanup()
  setClient(undefined)
  connectionStore.setState({ connection: undefined })
  pastStore.setState({}, true)
  viewStore.setState(before.view, true)
  timeStore.setState(before.time, true)
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
const AT = 1_795_000_000_000

// What was seen is kept by connection, and other files in this process connect as 1 and 2.

test.each([
  ['scrape', ['alice', 'carol']],
  ['recording', ['alice', 'bob', 'carol']],
] as const)('of a %s, dumps of a past instant count where the source is of the past itself', async (kind, users) => {
  let tell: (event: unknown) => void = () => undefined
  let asked = 0
  const client = {
    subscribe: (_name: string, _params: unknown, hear: (event: unknown) => void) => {
      tell = hear
      return () => undefined
    },
    call: () => {
      asked += 1
      return Promise.resolve(dumpOf('bob'))
    },
  }
  setClient(client as unknown as Client)
  connectionStore.setState({
    connection: { id: kind === 'scrape' ? 901 : 902, source: { kind, name: 'prod' } } as never,
  })
  viewStore.setState({ server: { id: 's0' } } as never)
  const { result } = renderHook(useSeenRequests)
  act(() => tell(dumpOf('alice')))
  timeStore.setState({ chosen: AT })
  act(() => pastStore.setState({ connection: 9, moment: { at: AT, derived: [], health: [] } }, true))
  await waitFor(() => expect(asked).toBe(1))
  await act(async () => undefined)
  act(() => pastStore.setState({}, true))
  act(() => tell(dumpOf('carol')))
  expect(result.current.map(({ user }) => user)).toEqual(users)
})
