import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { type MatchQuestion, answerMatch } from './match.ts'

test('classification agrees with every upstream vector', () => {
  for (const { in: question, out } of readVectors<MatchQuestion, unknown>('match')) {
    expect(answerMatch(question), question.id).toEqual(out)
  }
})
