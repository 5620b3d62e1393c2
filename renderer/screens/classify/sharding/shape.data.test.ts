import { describe, expect, it } from 'vitest'
import { mandatoryLevels, suggestedLevels, suggestedSchemas } from '../../../../core/config/builtIn.ts'
import type { PriorityLevelConfiguration } from '../../../../core/config/objects.ts'
import type { DumpFrame, DumpRequest } from '../../../../core/frame/dump.ts'
import {
  formOf,
  levelChoices,
  readShape,
  wholeNumber,
  flowsOfDump,
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
