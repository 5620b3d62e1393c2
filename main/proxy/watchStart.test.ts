import { expect, test } from 'vitest'
import { watchStartOf } from './watchStart.ts'

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
