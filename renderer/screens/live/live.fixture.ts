import type { LiveRequest } from '../../../core/contract/live.ts'

/** A request for tests; every call says only what it is about. */
export const liveRequest = (change: Partial<LiveRequest> = {}): LiveRequest => ({
  seq: 0,
  at: 1_000_000,
  user: 'system:serviceaccount:inventory:scanner',
  groups: ['system:serviceaccounts', 'system:authenticated'],
  verb: 'list',
  url: '/api/v1/namespaces/tenant-1/pods',
  resource: 'pods',
  namespace: 'tenant-1',
  name: '',
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
