import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { hashToBigInt } from '../engine/shuffleSharding.ts'
import { flowHash } from './flow.ts'

test('agrees with every upstream vector', () => {
  const vectors = readVectors<{ flowSchema: string; distinguisher: string }, { hash: string }>('flowhash')
  for (const { in: question, out } of vectors) {
    const hash = flowHash(question.flowSchema, question.distinguisher)
    expect(String(hashToBigInt(hash)), JSON.stringify(question)).toBe(out.hash)
  }
})
