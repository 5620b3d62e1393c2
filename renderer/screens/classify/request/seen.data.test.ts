import { expect, it } from 'vitest'
import type { DumpRequest } from '../../../../core/frame/dump.ts'
import { digestRequest } from '../../../../core/classify/readRequest.ts'
import { filteredSeen, sampleOf, seenRequests, seenSeats } from './seen.data.ts'

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

it('makes a request of a row, with the groups that the name tells', () => {
  expect(sampleOf(row({}))).toEqual({
    user: 'system:serviceaccount:ci:runner',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:ci', 'system:authenticated'],
    method: 'GET',
    url: '/api/v1/namespaces/shop/pods',
  })
  expect(sampleOf(row({ user: undefined }))).toBeUndefined()
})

it('shows each request once, those that wait most first', () => {
  const seen = seenRequests([
    row({ startedAt: 1 }),
    row({}),
    row({ user: 'alice', schema: 'global-default', level: 'global-default' }),
    row({ user: 'alice', schema: 'global-default', level: 'global-default' }),
    row({ verb: undefined }),
  ])
  expect(seen.map(({ user, words, waiting, executing }) => [user, words, waiting, executing])).toEqual([
    ['alice', 'LIST pods', 2, 0],
    ['ci:runner', 'LIST pods', 1, 1],
  ])
  expect(filteredSeen(seen, ' LIST  alice ').map(({ user }) => user)).toEqual(['alice'])
  expect(filteredSeen(seen, '')).toBe(seen)
  expect(filteredSeen(seen, 'watch')).toEqual([])
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
