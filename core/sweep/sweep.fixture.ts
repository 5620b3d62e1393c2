import { readScenario } from '../scenario/read.ts'
import type { SweepBase } from './sweep.ts'

/** One level that is too small for its clients. */
export const CROWDED = `name: crowded
seconds: 4
server: { maxRequestsInFlight: 20, maxMutatingRequestsInFlight: 10 }
clients:
  - name: flood
    count: 4
    user: system:serviceaccount:tenant-{i}:app
    threads: 10
    calls: [{ request: 'GET /api/v1/namespaces/tenant-{i}/configmaps/one', executionMs: 100 }]
  - name: leases
    count: 5
    user: system:node:n{i}
    perSecond: 2
    calls: [{ request: 'PUT /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n{i}', executionMs: 10 }]
variants:
  - { name: now }
`

export const SWEEP = `name: shares
base: { scenario: crowded.yaml }
parameters:
  - { level: workload-low, field: nominalConcurrencyShares, values: [20, 100, 300] }
  - { level: workload-low, field: queues, from: 8, to: 16, step: 8 }
results:
  - { level: workload-low, measure: waitP99 }
  - { clients: leases, measure: rejectedPercent }
`

export function crowdedBase(): SweepBase {
  const { scenario } = readScenario(CROWDED, 'crowded.yaml')
  const [variant] = scenario?.variants ?? []
  if (scenario === undefined || variant === undefined) throw new Error('the fixture is no scenario')
  return { kind: 'scenario', scenario, variant }
}
