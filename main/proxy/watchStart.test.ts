import { expect, test } from 'vitest'
import { asksForWatch, watchStartOf } from './watchStart.ts'

test.each([
  ['GET', '/api/v1/pods?watch=1', true],
  ['GET', '/api/v1/watch/pods', true],
  ['GET', '/apis/apps/v1/deployments?watch&resourceVersion=1', true],
  ['GET', '/api/v1/pods?watch=false', false],
  ['POST', '/api/v1/namespaces/default/pods?watch=1', false],
  ['GET', '/healthz?watch=1', false],
  ['GET', 'no target', false],
])('%s %s asks for a watch: %s', (method, url, expected) => {
  expect(asksForWatch({ method, url })).toBe(expected)
})

test.each([
  ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan', true, 60_000],
  ['sendInitialEvents', true, 60_000],
  ['sendInitialEvents=False', false, 10_000],
  ['', false, 10_000],
  ['resourceVersion=0', false, 10_000],
  ['resourceVersion=17', false, 1_000],
  ['limit=none', false, 10_000],
])('a watch with "%s" is told of its start: %s, and takes %i ms at most', (query, told, longestMs) => {
  expect(watchStartOf(`/api/v1/pods?watch=1&${query}`)).toMatchObject({ told, longestMs })
})
