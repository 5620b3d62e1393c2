import { describe, expect, it } from 'vitest'
import { suggestedSchemas } from '../../../../core/config/builtIn.ts'
import type { DumpFrame, DumpRequest } from '../../../../core/frame/dump.ts'
import { overlapOf } from '../../../../core/sharding/overlap.ts'
import { flowsOfDump, overlapSentence, pairRows, schemasOf, withFlow } from './flows.data.ts'

const request = (level: string, schema: string, flow: string): DumpRequest => ({
  level,
  schema,
  flow,
  queue: 0,
  position: 0,
  arrivedAt: 0,
  initialSeats: 1,
  finalSeats: 0,
  additionalLatencyMs: 0,
})
const dump = (requests: readonly DumpRequest[]): DumpFrame => ({
  server: 'a',
  at: '2026-01-01T00:00:00Z',
  costMs: 0,
  bytes: 0,
  requests: [...requests],
  errors: [],
})

describe('flows of a level', () => {
  it('come from its requests, busiest first, each once', () => {
    const requests = [
      request('low', 's', 'quiet'),
      request('low', 's', 'loud'),
      request('low', 's', 'loud'),
      request('high', 's', 'elsewhere'),
    ]
    expect(flowsOfDump(dump(requests), 'low')?.map(({ distinguisher }) => distinguisher)).toEqual(['loud', 'quiet'])
    expect(flowsOfDump(dump([]), 'low')).toBeUndefined()
    expect(flowsOfDump(undefined, 'low')).toBeUndefined()
  })
  it('are added once, the newest first', () => {
    const [a, b] = [
      { schema: 's', distinguisher: 'a' },
      { schema: 's', distinguisher: 'b' },
    ]
    expect(withFlow([a], b)).toEqual([b, a])
    expect(withFlow([a, b], { ...b })).toEqual([a, b])
  })
  it('belong to the schemas that feed it, in matching order', () => {
    expect(schemasOf(suggestedSchemas, 'workload-high')).toEqual([
      'kube-controller-manager',
      'kube-scheduler',
      'kube-system-service-accounts',
    ])
    expect(schemasOf(suggestedSchemas, undefined)).toEqual([])
  })
})

describe('overlaps in words', () => {
  const names = ['a', 'b', 'c', 'd', 'e'].map((distinguisher) => ({ schema: 's', distinguisher }))
  it('count pairs and flows without a queue to themselves', () => {
    const overlap = overlapOf(names, { queues: 2, handSize: 1 })
    expect(overlapSentence(overlap)).toMatch(/^\d+ of 10 pairs share a queue; .*no queue to (itself|themselves)\.$/)
    expect(pairRows(overlap)).toHaveLength(overlap.pairs.length)
    for (const { names: pair, first, second } of pairRows(overlap)) {
      expect(pair).toMatchObject([names[first], names[second]])
    }
  })
  it('are silent about one flow, and say when nothing is shared', () => {
    expect(overlapSentence(overlapOf(names.slice(0, 1), { queues: 2, handSize: 1 }))).toBe('')
    expect(overlapSentence(overlapOf(names.slice(0, 2), { queues: 1_000_000, handSize: 1 }))).toBe(
      'No two flows share a queue; every flow has a queue to itself.',
    )
  })
})
