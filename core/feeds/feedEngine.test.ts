import { describe, expect, it } from 'vitest'
import { classify, orderFlowSchemas } from '../request/match.ts'
import { builtInObjects } from '../config/builtIn.ts'
import { readRequestLine } from '../request/requestInfo.ts'
import { createStandIns } from './feedEngine.ts'

const objects = builtInObjects('v1.36.3')
const standIns = createStandIns(objects, new Set())
const info = (method: string, target: string) => {
  const line = readRequestLine(method, target)
  if (!line.ok) throw new Error(line.problem)
  return line.info
}
const pods = info('GET', '/api/v1/namespaces/default/pods')

describe('stand-ins', () => {
  it('are placed by the rules as in the log', () => {
    const { order } = orderFlowSchemas(objects.schemas, new Set(objects.levels.map(({ metadata }) => metadata.name)))
    const lease = info('PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler')
    const healthz = info('GET', '/healthz')
    const nodeStatus = info('PATCH', '/api/v1/nodes/n1/status')
    const asked = [
      ['service-accounts', pods],
      ['kube-system-service-accounts', pods],
      ['global-default', pods],
      ['system-leader-election', lease],
      ['probes', healthz],
      ['exempt', pods],
      ['system-node-high', nodeStatus],
      ['catch-all', pods],
    ] as const
    for (const [name, about] of asked) {
      const user = standIns.userFor(name, about, 'kubectl at 10.0.0.7')
      if (user === undefined) {
        expect(name).toBe('catch-all')
        continue
      }
      expect(classify(order, { user, info: about }).metadata.name).toBe(name)
    }
  })

  it('are distinguished by their clients', () => {
    const one = standIns.userFor('global-default', pods, 'one at 10.0.0.7')
    const other = standIns.userFor('global-default', pods, 'other at 10.0.0.7')
    expect(one?.name).toBe('one at 10.0.0.7')
    expect(other?.name).toBe('other at 10.0.0.7')
  })

  it('have no user if no user would be placed there', () => {
    expect(standIns.userFor('probes', pods, 'x')).toBe(undefined)
    expect(standIns.userFor('of-another-server', pods, 'x')).toBe(undefined)
    expect(createStandIns(objects, new Set(['workload-low'])).userFor('service-accounts', pods, 'x')).toBe(undefined)
  })

  it('resolve names that the log truncates', () => {
    const name = 'a'.repeat(70)
    const [first] = objects.schemas
    if (first === undefined) throw new Error('no schema')
    const long = { ...objects, schemas: [{ ...first, metadata: { ...first.metadata, name } }] }
    expect(createStandIns(long, new Set()).fullName('a'.repeat(64))).toBe(name)
    expect(standIns.fullName('global-default')).toBe('global-default')
  })
})
