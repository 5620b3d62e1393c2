import { expect, it } from 'vitest'
import type { DumpRequest } from '../../../../core/frame/dump.ts'
import { sampleOfDump } from '../../../../core/classify/requestText.ts'
import { filteredSeen, seenRequests, labelOf, requestWords, shortUser } from './seen.data.ts'

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
  expect(sampleOfDump(row({}))).toEqual({
    user: 'system:serviceaccount:ci:runner',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:ci', 'system:authenticated'],
    method: 'GET',
    url: '/api/v1/namespaces/shop/pods',
  })
  expect(sampleOfDump(row({ user: undefined }))).toBeUndefined()
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

const request = (method: string, url: string, user = 'alice') => ({ user, groups: [], method, url })

it.each([
  ['GET', '/api/v1/namespaces/shop/pods', 'LIST pods'],
  ['PATCH', '/api/v1/nodes/n1/status', 'PATCH nodes/status n1'],
  ['GET', '/livez', 'GET /livez'],
  ['GET', '/%', 'GET /%'],
])('%s %s is %s', (method, url, words) => {
  expect(requestWords(request(method, url))).toBe(words)
})

it('labels a request by who asks for what and where', () => {
  expect(labelOf(request('GET', '/api/v1/namespaces/shop/pods', 'system:serviceaccount:ci:runner'))).toBe(
    'ci:runner LIST pods in shop',
  )
  expect(labelOf(request('GET', '/livez'))).toBe('alice GET /livez')
  expect(shortUser('system:node:n1')).toBe('system:node:n1')
})
