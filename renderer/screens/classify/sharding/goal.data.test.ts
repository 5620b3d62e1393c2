import { expect, it } from 'vitest'
import { readGoal, USUAL_GOAL } from './goal.data.ts'

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
