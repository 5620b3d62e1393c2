import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { difference } from '../../test/oracle/difference.ts'
import { answer } from './answers.ts'
import { answerQueueSet, queueSetQuestion } from './queueSet.ts'
import { readQuestion } from './question.ts'

/** Every file of test/fixtures/vectors and the number of its cases, so that a missing one is noticed. */
const FILES = [
  ['shard', 2000],
  ['flowhash', 500],
  ['seatseconds', 800],
  ['solver', 1000],
  ['integrator', 100],
  ['limits', 200],
  ['borrow', 40],
  ['estimate', 1000],
  ['watches', 100],
  ['match', 200],
  ['requestinfo', 400],
  ['retryafter', 60],
  ['timing', 80],
  ['dump', 40],
  ['bootstrap', 1],
  ['queueset-basic', 60],
  ['queueset-mutating', 60],
  ['queueset-timeout', 45],
  ['queueset-overload', 45],
  ['queueset-reconfig', 50],
  ['queueset-reject', 20],
  ['queueset-exempt', 20],
  ['queueset-epoch', 12],
] as const

test.each(FILES)("%s: all %i answers are upstream's", (file, cases) => {
  const [subcommand = file] = file.split('-')
  const vectors = readVectors<unknown, unknown>(file)
  const wrong = vectors.flatMap(({ in: question, out }, index) => {
    const found = difference(subcommand, answer(subcommand, question), out)
    return found === undefined ? [] : [{ index, ...found }]
  })
  expect(wrong).toEqual([])
  expect(vectors).toHaveLength(cases)
})

interface StaleAnswer {
  readonly panics?: readonly string[]
  readonly staleRemovals: number
}

// The file records a defect of upstream and is not a goal: guarded, none of it may happen (see the tests of
// corrections).
test('queueset-stale: unguarded, all 10 runs are as upstream up to where it panics', () => {
  const cases = readVectors<unknown, StaleAnswer>('queueset-stale').map(({ in: question, out }) => {
    const { staleRemovals: _, panics = [], ...rest } = out
    const run = () => answerQueueSet(readQuestion(queueSetQuestion, question), { removeStaleQueues: true })
    return { run, rest, panics }
  })
  const intact = cases.filter(({ panics }) => panics.length === 0)
  expect(intact.map(({ run, rest }) => difference('queueset', run(), rest))).toEqual(intact.map(() => undefined))
  expect(intact).toHaveLength(6)
  const broken = cases.filter(({ panics }) => panics.length > 0)
  for (const { run } of broken) expect(run).toThrow(/trap T29/)
  expect(broken).toHaveLength(4)
})
