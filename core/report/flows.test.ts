import { expect, test } from 'vitest'
import type { DumpRequest } from '../frame/dump.ts'
import { createFlowTally } from './flows.ts'

const AT = Date.UTC(2026, 10, 28)
const row = (user: string, path: string): DumpRequest => ({
  level: 'global-default',
  schema: 'global-default',
  queue: 4,
  position: -1,
  flow: user,
  arrivedAt: AT - 2_000,
  startedAt: AT - 2_000,
  initialSeats: 1,
  finalSeats: 0,
  additionalLatencyMs: 0,
  user,
  verb: 'get',
  path,
})

test('the request that asks for a dump is no flow of the server', () => {
  const tally = createFlowTally()
  tally.dump({
    server: 's',
    at: new Date(AT).toISOString(),
    costMs: 1,
    bytes: 1,
    errors: [],
    requests: [
      row('apf-viewer', '/debug/api_priority_and_fairness/dump_requests'),
      // Another reader, or another dump of the same reading.
      row('apf-editor', '/debug/api_priority_and_fairness/dump_queues'),
      row('alice', '/api/v1/namespaces/default/pods'),
    ],
  })
  const { flows } = tally.finish()
  expect(flows.map(({ flow, partOfLevel }) => [flow, partOfLevel])).toEqual([['alice', 1]])
})
