import { cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Connected, ServerHealth } from '../../core/contract/source.ts'
import { connectionStore } from './connection.ts'
import { useDumpAbsence } from './dumpAbsence.ts'
import { useShownServers } from './health.ts'
import { pastStore } from './past.ts'

const healthOf = (id: string, more: Partial<ServerHealth>): ServerHealth => ({
  id,
  status: 'ok',
  failures: [],
  ...more,
})
const PRESENT = [healthOf('a', { dumps: { status: 'forbidden' } }), healthOf('b', {})]
const PROD: Connected = {
  id: 1,
  source: { kind: 'scrape', name: 'prod', via: '/metrics' },
  spec: { kind: 'demo' },
  still: false,
  cadence: { intervalMs: 1_000, dumpsEveryMs: 5_000 },
  servers: PRESENT,
}
const AT = Date.UTC(2026, 10, 21, 3)
const showPast = (health: readonly ServerHealth[]): void =>
  pastStore.setState({ of: 1, connection: 2, moment: { at: AT, derived: [], health: [...health] } })

beforeEach(() => {
  connectionStore.setState({ connection: PROD, connections: [PROD], known: true })
  pastStore.setState({}, true)
})
afterEach(cleanup)

test('the health of servers is that of the instant that is shown, and nothing of it is still to come', () => {
  const { result, rerender } = renderHook(useShownServers)
  expect(result.current).toEqual(PRESENT)
  showPast([healthOf('a', { status: 'failing', nextTryAt: new Date(AT + 5_000).toISOString() })])
  rerender()
  expect(result.current).toEqual([healthOf('a', { status: 'failing' })])
})

test('why there is no dump is said of the instant', () => {
  const { result, rerender } = renderHook(() => useDumpAbsence('a').kind)
  expect(result.current).toBe('forbidden')
  showPast([healthOf('a', { dumps: { status: 'off' } })])
  rerender()
  expect(result.current).toBe('off')
  // An imported recording contains no health.
  showPast([])
  rerender()
  expect(result.current).toBe('not-recorded')
})
