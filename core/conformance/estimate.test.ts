import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { type EstimateQuestion, answerEstimate } from './estimate.ts'

test('estimates agree with every upstream vector', () => {
  for (const { in: question, out } of readVectors<EstimateQuestion, unknown>('estimate')) {
    expect(answerEstimate(question), JSON.stringify(question)).toEqual(out)
  }
})
