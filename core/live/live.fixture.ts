import type { LiveRequest } from '../contract/live.ts'

/** A request without any data yet, for tests. */
export const EMPTY_REQUEST: LiveRequest = {
  seq: 0,
  at: 0,
  user: 'alice',
  groups: [],
  verb: 'get',
  url: '/',
  resource: 'pods',
  namespace: '',
  name: '',
  state: 'bypassed',
  level: '',
  schema: '',
  flow: '',
  seats: { initial: 1, final: 0 },
}

export const HERE = { level: 'here', schema: 'mine' } as const

/** A request of one level, in some state, for tests. */
export const requestHere = (
  seq: number,
  state: LiveRequest['state'],
  more: Partial<LiveRequest> = {},
): LiveRequest => ({ ...EMPTY_REQUEST, ...HERE, seq, state, ...more })

/** A request that was served, for tests; each call sets only the relevant fields. */
export const liveRequest = (change: Partial<LiveRequest> = {}): LiveRequest => ({
  ...EMPTY_REQUEST,
  at: 1_000_000,
  user: 'system:serviceaccount:inventory:scanner',
  groups: ['system:serviceaccounts', 'system:authenticated'],
  verb: 'list',
  url: '/api/v1/namespaces/tenant-1/pods',
  namespace: 'tenant-1',
  state: 'served',
  level: 'workload-low',
  schema: 'service-accounts',
  flow: 'system:serviceaccount:inventory:scanner',
  queue: 14,
  seats: { initial: 2, final: 0 },
  waitMs: 1_000,
  runMs: 500,
  status: 200,
  ...change,
})
