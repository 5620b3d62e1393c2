import { expect, test } from 'vitest'
import { DroppedRequests } from './reporter.ts'

test('follows the steps of the specification', () => {
  const tracker = new DroppedRequests()
  const steps = [
    [0, 5, 1],
    [1, 11, 2],
    [2, 1, 2],
    [3, 11, 4],
    [4, 1, 4],
    [7, 1, 8],
    [11, 1, 8],
    [15, 1, 7],
    [17, 1, 6],
    [21, 14, 5],
    [22, 1, 10],
  ] as const
  for (const [second, drops, wanted] of steps) {
    for (let i = 0; i < drops; i++) tracker.record('pl', 1e9 + second)
    expect(tracker.retryAfter('pl')).toBe(wanted)
  }
  expect(tracker.retryAfter('another')).toBe(1)
})
