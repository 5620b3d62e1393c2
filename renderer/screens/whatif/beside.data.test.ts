import { expect, test } from 'vitest'
import type { DumpRequest } from '../../../core/frame/dump.ts'
import { besideLevels, besideTitle, mostDiffering, type Side } from './beside.data.ts'

const START = 1_700_000_000_000

const request = (level: string, after: number, position: number, user = 'ann'): DumpRequest => ({
  level,
  schema: 'all',
  queue: position < 0 ? -1 : 3,
  position,
  flow: user,
  arrivedAt: START + after,
  initialSeats: 1,
  finalSeats: 0,
  additionalLatencyMs: 0,
  user,
  verb: 'get',
  path: '/api/v1/pods',
})

const side = (...requests: readonly DumpRequest[]): Side => ({
  server: undefined,
  dump: { server: 's', at: new Date(START).toISOString(), costMs: 0, bytes: 0, requests: [...requests], errors: [] },
})

const sideOf = (levels: readonly string[], of: Side): Side => ({
  ...of,
  server: { levels: levels.map((name) => ({ name })) } as unknown as Side['server'],
})

test('pairs the requests of each level by arrival, user and address, those that differ first', () => {
  const a = sideOf(['low', 'high'], side(request('low', 1, -1), request('low', 2, 0), request('high', 3, -1)))
  const b = sideOf(['low', 'more'], side(request('low', 1, -1), request('low', 2, -1)))
  const levels = besideLevels(a, b, START)
  expect(levels.map(({ level, differing }) => [level, differing])).toEqual([
    ['high', 1],
    ['low', 1],
    ['more', 0],
  ])
  const [high, low] = levels
  expect(high?.requests).toMatchObject([{ a: { kind: 'executing' }, b: { kind: 'absent' } }])
  expect(low?.requests).toMatchObject([
    { arrivedSeconds: 0.002, a: { kind: 'waiting', queue: 3, position: 0 }, b: { kind: 'executing' }, differs: true },
    { arrivedSeconds: 0.001, differs: false },
  ])
  expect(mostDiffering(levels)).toBe('low')
})

test('requests that arrived together for the same address are told apart', () => {
  const [low] = besideLevels(
    sideOf(['low'], side(request('low', 1, -1), request('low', 1, 0))),
    sideOf(['low'], side(request('low', 1, -1), request('low', 1, 0))),
    START,
  )
  expect(low?.requests).toHaveLength(2)
  expect(new Set(low?.requests.map(({ key }) => key)).size).toBe(2)
  expect(low?.differing).toBe(0)
})

test('the title counts what differs', () => {
  const level = { level: 'low', a: undefined, b: undefined, requests: [], differing: 0 }
  const row = {
    key: '1',
    request: 'get /x by ann',
    user: 'ann',
    arrivedSeconds: 1,
    a: { kind: 'executing' },
    b: { kind: 'waiting', queue: 1, position: 0 },
    differs: true,
  } as const
  const gone = { ...row, b: { kind: 'absent' } } as const
  expect(besideTitle(level)).toBe('No request waits or executes in low.')
  expect(besideTitle({ ...level, requests: [row] })).toBe('The request in low is in the same place in A and B.')
  expect(besideTitle({ ...level, requests: [row, row] })).toBe(
    'All 2 requests in low are in the same place in A and B.',
  )
  expect(besideTitle({ ...level, requests: [gone, gone], differing: 2 })).toBe(
    'A and B share none of the 2 requests in low.',
  )
  expect(besideTitle({ ...level, requests: [row, row], differing: 1 })).toBe(
    '1 of 2 requests in low differs between A and B.',
  )
})
