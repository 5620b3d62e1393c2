import { describe, expect, it } from 'vitest'
import { format } from '../../../theme/format.ts'
import { mandatoryLevels, suggestedLevels, suggestedSchemas } from '../../../../core/config/builtIn.ts'
import type { PriorityLevelConfiguration } from '../../../../core/config/objects.ts'
import type { DumpFrame, DumpRequest } from '../../../../core/frame/dump.ts'
import { overlapOf } from '../../../../core/sharding/overlap.ts'
import {
  formOf,
  levelChoices,
  oddsSentence,
  readShape,
  wholeNumber,
  flowsOfDump,
  overlapSentence,
  pairRows,
  schemasOf,
  withFlow,
  readGoal,
  USUAL_GOAL,
} from './shape.data.ts'

const levels = [...mandatoryLevels, ...suggestedLevels]
const shaped = (name: string, queues: number): PriorityLevelConfiguration => ({
  metadata: { name },
  spec: {
    type: 'Limited',
    limited: { limitResponse: { type: 'Queue', queuing: { queues, handSize: 6, queueLengthLimit: 50 } } },
  },
})

describe('levelChoices', () => {
  it('are the levels that queue, and those to which the draft gives another shape', () => {
    const draft = [
      ...levels.filter(({ metadata }) => metadata.name !== 'system'),
      shaped('system', 256),
      shaped('new', 8),
    ]
    const keys = levelChoices(levels, draft).map(({ key }) => key)
    expect(keys.slice(0, 2)).toEqual(['system', 'node-high'])
    expect(keys).not.toContain('catch-all')
    expect(keys.filter((key) => key.startsWith('draft/'))).toEqual(['draft/system', 'draft/new'])
    expect(levelChoices(levels, []).some(({ drafted }) => drafted)).toBe(false)
  })
})

describe('readShape', () => {
  const form = formOf({ queues: 128, handSize: 6, queueLengthLimit: 50 })
  it('reads what a level has', () => {
    expect(readShape(form)).toEqual({ ok: true, queuing: { queues: 128, handSize: 6, queueLengthLimit: 50 } })
  })
  it('names the field that is wrong, and why no server deals the shape', () => {
    const read = readShape({ ...form, queues: '', queueLengthLimit: '1.5' })
    expect(read.ok ? [] : Object.keys(read.errors)).toEqual(['queues', 'queueLengthLimit'])
    const illegal = readShape({ ...form, queues: '512', handSize: '8' })
    expect(illegal.ok ? '' : illegal.problem).toContain('needs 72 bits')
  })
  it('takes whole numbers alone', () => {
    expect(['8', ' 8 ', '1e2'].map((text) => wholeNumber(text, 1, 100))).toEqual([8, 8, 100])
    expect(['', ' ', '8.5', '0', '101', 'eight'].map((text) => wholeNumber(text, 1, 100))).toEqual(
      Array.from({ length: 6 }, () => undefined),
    )
  })
})

describe('sentences', () => {
  const queuing = { queues: 128, handSize: 6, queueLengthLimit: 50 }
  it('say the chance with as many digits as tell shapes apart', () => {
    expect(oddsSentence(queuing, 16, 0.022_118)).toBe(
      'With 128 queues and hands of 6, 16 elephants cover a small flow’s hand with probability 2.21 %.',
    )
    expect(oddsSentence(queuing, 1, 1.84e-10)).toContain(
      '1 elephant covers a small flow’s hand with probability 1.8e−10.',
    )
    expect(oddsSentence({ ...queuing, queues: 1, handSize: 1 }, 1, 1)).toContain('With one queue')
    expect(format.probability(0)).toBe('0 %')
  })
})

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

it('reads a target in percent, or says what is wrong with each field', () => {
  expect(readGoal(USUAL_GOAL)).toEqual({ goal: { elephants: 16, target: 0.01, maxQueues: 1_024 }, errors: {} })
  expect(readGoal({ ...USUAL_GOAL, target: '1e-4' }).goal?.target).toBeCloseTo(1e-6, 12)
  for (const target of ['', '0', '-1', '100', 'x']) {
    expect(Object.keys(readGoal({ ...USUAL_GOAL, target }).errors)).toEqual(['target'])
  }
  const { goal, errors } = readGoal({ elephants: '0', target: '', maxQueues: '10000001' })
  expect(goal).toBeUndefined()
  expect(Object.keys(errors)).toEqual(['elephants', 'target', 'maxQueues'])
})
