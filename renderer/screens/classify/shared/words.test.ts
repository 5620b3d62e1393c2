import { expect, it } from 'vitest'
import { labelOf, requestWords, shortUser } from './words.ts'

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
