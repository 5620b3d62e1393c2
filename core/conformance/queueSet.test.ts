import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { type QueueSetQuestion, answerQueueSet } from './queueSet.ts'

const kinds = ['basic', 'mutating', 'timeout', 'overload', 'reconfig', 'reject', 'exempt', 'epoch']

test.each(kinds)('queueset-%s agrees with upstream in every case', (kind) => {
  for (const { in: question, out } of readVectors<QueueSetQuestion, unknown>(`queueset-${kind}`)) {
    expect(answerQueueSet(question), question.id).toEqual(out)
  }
})
