import { expect, it } from 'vitest'
import type { DumpRequest } from '../frame/dump.ts'
import { digestRequest, contextOfFacts, seenSeats } from './classification.ts'

const row = (more: Partial<DumpRequest>): DumpRequest => ({
  level: 'workload-low',
  schema: 'service-accounts',
  queue: 1,
  position: 0,
  flow: 'f',
  arrivedAt: 0,
  initialSeats: 1,
  finalSeats: 0,
  additionalLatencyMs: 0,
  user: 'system:serviceaccount:ci:runner',
  verb: 'list',
  path: '/api/v1/namespaces/shop/pods',
  namespace: 'shop',
  ...more,
})

it('takes what the source reports of the resource that is asked for', () => {
  const facts = { objects: { pods: { count: 4_200, averageSize: 3_900 } }, watches: { 'deployments.apps': 12 } }
  const of = (resource: string, apiGroup = '') => contextOfFacts(facts, { isResource: true, resource, apiGroup })
  expect(of('pods')).toEqual({ objects: { count: 4_200, averageSize: 3_900 }, watchers: 0 })
  expect(of('deployments', 'apps')).toEqual({ objects: 'none', watchers: 12 })
  expect(contextOfFacts(facts, undefined)).toEqual({})
  expect(contextOfFacts(undefined, { isResource: true, resource: 'pods', apiGroup: '' })).toEqual({})
})

it('finds what the server estimated for the same verb, resource and namespace', () => {
  const info = (url: string) => {
    const read = digestRequest({ user: 'alice', groups: [], method: 'GET', url })
    return read.ok ? read.digest.info : undefined
  }
  const pods = { apiVersion: 'v1', resource: 'pods' }
  const rows = [
    row({ ...pods, initialSeats: 10 }),
    row({ ...pods, initialSeats: 10 }),
    row({ ...pods, initialSeats: 3 }),
    row({ ...pods, initialSeats: 7, namespace: 'other' }),
    row({ apiVersion: 'apps/v1', resource: 'deployments', initialSeats: 5 }),
  ]
  expect(seenSeats(rows, info('/api/v1/namespaces/shop/pods?limit=500'))).toEqual({ seats: 10, requests: 2 })
  expect(seenSeats(rows, info('/apis/apps/v1/namespaces/shop/deployments'))).toEqual({ seats: 5, requests: 1 })
  expect(seenSeats(rows, info('/api/v1/namespaces/shop/secrets'))).toBeUndefined()
  expect(seenSeats(rows, info('/healthz'))).toBeUndefined()
})
