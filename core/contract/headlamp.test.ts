import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HEADLAMP_PATHS, isHeadlampPath } from './headlamp.ts'

test.each([
  '/metrics',
  '/version',
  '/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1',
  '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?limit=500&continue=a%2Fb',
])('the frame may read %s', (path) => expect(isHeadlampPath(path)).toBe(true))

test.each([
  '/metrics/slis',
  '/metricsx',
  '/api/v1/secrets',
  '/debug/api_priority_and_fairness',
  '/debug/api_priority_and_fairness/../../api/v1/secrets',
  '/debug/api_priority_and_fairness/%2e%2e/%2e%2e/api/v1/secrets',
  String.raw`/debug/api_priority_and_fairness/..\..\api\v1\secrets`,
  '/apis/flowcontrol.apiserver.k8s.io//evil.example',
  'https://evil.example/metrics',
  '//evil.example/metrics',
  'metrics',
  '',
])('the frame may not read %s', (path) => expect(isHeadlampPath(path)).toBe(false))

test('whatever a frame asks for, it stays below what it may read as browsers resolve it', () => {
  const step = fc.oneof(fc.constantFrom('..', '.', '', '%2e%2e', 'secrets', '\\', 'api', '#', '?'), fc.string())
  const path = fc
    .tuple(fc.constantFrom(...HEADLAMP_PATHS, '/'), fc.array(step, { maxLength: 6 }))
    .map(([first, steps]) => first + steps.join('/'))
  fc.assert(
    fc.property(path, (asked) => {
      fc.pre(isHeadlampPath(asked))
      const resolved = new URL(`https://headlamp.example/clusters/a${asked}`)
      expect(resolved.host).toBe('headlamp.example')
      expect(HEADLAMP_PATHS.some((known) => resolved.pathname.startsWith(`/clusters/a${known}`))).toBe(true)
    }),
  )
})
