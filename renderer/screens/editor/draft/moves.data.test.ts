import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../../../../core/config/builtIn.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import { PRESETS } from '../../../../core/draft/presets.ts'
import type { DumpRequest } from '../../../../core/frame/dump.ts'
import { movesOf, withSeen, neighbours } from './moves.data.ts'

const request = (user: string, verb: string, path: string): DumpRequest => ({
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
  verb,
  path,
})
const account = 'system:serviceaccount:batch:runner'
const requests = [
  request(account, 'list', '/api/v1/events'),
  request(account, 'list', '/api/v1/namespaces/batch/events'),
  request(account, 'get', '/api/v1/namespaces/batch/pods/a'),
  request('jane', 'list', '/api/v1/events'),
]
const before = builtInObjects('v1.36')
const preset = PRESETS.find(({ id }) => id === 'list-events')?.objects ?? []
const after: ObjectSet = {
  levels: [...before.levels, ...preset.flatMap((one) => (one.kind === 'FlowSchema' ? [] : [one.object]))],
  schemas: [...before.schemas, ...preset.flatMap((one) => (one.kind === 'FlowSchema' ? [one.object] : []))],
}

describe('requests of dumps', () => {
  it('are kept once each, and not without details', () => {
    const seen = withSeen([], [...requests, ...requests])
    expect(seen).toHaveLength(4)
    expect(withSeen(seen, requests)).toBe(seen)
    const { user: _user, ...bare } = request('x', 'get', '/')
    expect(withSeen(seen, [bare])).toBe(seen)
  })
})

describe('what moves', () => {
  const moves = movesOf(before, after, withSeen([], requests))

  it('is what another schema takes, with how many send it', () => {
    expect(moves.seen).toBe(4)
    expect(moves.moves).toEqual([
      {
        from: { schema: 'service-accounts', level: 'workload-low' },
        to: { schema: 'list-events', level: 'list-events' },
        requests: 2,
        users: 1,
      },
    ])
  })

  it('is nothing without a change', () => {
    expect(movesOf(before, before, withSeen([], requests)).moves).toEqual([])
  })

  it('makes the flows of the level that it goes to', () => {
    expect(moves.flows.get('list-events')).toEqual([{ schema: 'list-events', distinguisher: account, requests: 2 }])
  })

  it('shows at the neighbours in the matching order', () => {
    const rows = neighbours(after, 'list-events', moves)
    expect(rows.map(({ name, remark }) => [name, remark])).toEqual([
      ['kube-scheduler', ''],
      ['kube-system-service-accounts', ''],
      ['list-events', 'gains 2'],
      ['service-accounts', 'loses 2'],
      ['global-default', ''],
    ])
    expect(neighbours(after, 'none', moves)).toEqual([])
  })
})
