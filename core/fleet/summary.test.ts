import { expect, test } from 'vitest'
import { createHistory } from '../history/history.ts'
import { createDeriver } from '../frame/derive.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { SourceSummarySchema } from '../contract/fleet.ts'
import { saturationOf, summaryOf, TREND, trendOf } from './summary.ts'

const START = Date.UTC(2026, 0, 1)

const rejectedOf = (count: number) => ({ 'queue-full': count, 'concurrency-limit': 0, 'time-out': 0 })

const frame = (second: number, executing: number, rejected: number): ServerFrame => ({
  id: 'a',
  at: new Date(START + second * 1_000).toISOString(),
  version: 'v1.36.3',
  levels: ['exempt', 'low'].map((name) => ({
    name,
    limits: { current: 10, nominal: 8 },
    seats: { executing, queued: 0 },
    requests: { executing, queued: 3 },
    demand: {},
    dispatched: second,
    rejected: rejectedOf(rejected),
    schemas: [{ name, dispatched: second, rejected: rejectedOf(rejected), seats: {}, requests: {} }],
  })),
  missing: [],
})

test('a server in a few numbers: states by the one definition, no limit and no wait of the Exempt level', () => {
  const derive = createDeriver('a')
  derive(frame(0, 5, 0))
  const last = frame(10, 5, 20)
  const summary = summaryOf(last, derive(last))
  expect(summary).toMatchObject({
    id: 'a',
    at: START + 10_000,
    levels: ['exempt', 'low'],
    states: [['no-limit'], ['rejecting', 'queueing']],
    executing: [5, 5],
    limit: [null, 10],
    nominal: [null, 8],
    queued: [3, 3],
    rejected: [2, 2],
    waitP99: [null, null],
  })
  expect(SourceSummarySchema.parse({ connection: 1, servers: [summary] }).servers).toEqual([summary])
})

test('the trend holds the busiest level of each step, and nothing where there was no sample', () => {
  const history = createHistory()
  const derive = createDeriver('a')
  let before: ServerFrame | undefined
  for (const [second, executing] of [
    [0, 2],
    [1, 9],
    [599, 4],
  ] as const) {
    const next = frame(second, executing, 0)
    history.append(next, derive(next), before)
    before = next
  }
  const to = START + 600_000
  const trend = trendOf(history.series({ from: to - TREND.ms, to, maxPoints: 60 }), to)
  expect(trend).toHaveLength(TREND.steps)
  expect([trend[0], trend[1], trend.at(-1)]).toEqual([0.9, null, 0.4])
})

test.each([
  [5, 10, 0.5],
  [1, 0, 1],
  [0, 0, 0],
  [null, 10, null],
  [3, null, null],
])('saturation of %s seats at a limit of %s', (executing, limit, share) => {
  expect(saturationOf(executing, limit)).toBe(share)
})
