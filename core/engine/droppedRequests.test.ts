import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { DroppedRequests } from './droppedRequests.ts'

interface Question {
  steps: (readonly [unixSeconds: number, level: string, drops: number])[]
}

function valuesAfter({ steps }: Question): number[] {
  const tracker = new DroppedRequests()
  return steps.map(([second, level, drops]) => {
    for (let i = 0; i < drops; i++) tracker.record(level, second)
    return tracker.retryAfter(level)
  })
}

test('agrees with every upstream vector', () => {
  for (const { in: question, out } of readVectors<Question, { values: number[] }>('retryafter')) {
    expect(valuesAfter(question), JSON.stringify(question)).toEqual(out.values)
  }
})

test('the steps of the specification', () => {
  const drops = { 0: 5, 1: 11, 2: 1, 3: 11, 4: 1, 7: 1, 11: 1, 15: 1, 17: 1, 21: 14, 22: 1 }
  const steps = Object.entries(drops).map(([second, count]) => [1e9 + Number(second), 'pl', count] as const)
  expect(valuesAfter({ steps })).toEqual([1, 2, 2, 4, 4, 8, 8, 7, 6, 5, 10])
})
