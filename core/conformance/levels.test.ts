import { expect, test } from 'vitest'
import { answerBorrow, borrowQuestion } from './levels.ts'
import { readQuestion } from './question.ts'

/** Specification 6.5: which case applies depends on what exempt requests leave. */
test('the three regimes', () => {
  const priorityLevels = [
    { name: 'workload-high', type: 'Queue', nominalConcurrencyShares: 40, lendablePercent: 50 },
    { name: 'workload-low', type: 'Queue', nominalConcurrencyShares: 100, lendablePercent: 90 },
    { name: 'catch-all', type: 'Reject', nominalConcurrencyShares: 5, lendablePercent: 0 },
    { name: 'exempt', type: 'Exempt', nominalConcurrencyShares: 0, lendablePercent: 0 },
  ].map((level) => (level.type === 'Queue' ? { ...level, queues: 16, handSize: 4, queueLengthLimit: 50 } : level))
  const currentUnder = (demand: Record<string, number>) => {
    const steps = [
      { at: '1000000000', demand },
      { at: '10000000000', adjust: true },
      { at: '20000000000', adjust: true },
    ]
    const question = readQuestion(borrowQuestion, { serverConcurrencyLimit: 870, priorityLevels, steps })
    const last = answerBorrow(question).reports.at(-1)
    return last?.levels.map(({ name, current }) => [name, current])
  }
  const all = { 'catch-all': 970, exempt: 970, 'workload-high': 970, 'workload-low': 970 }
  expect(currentUnder(all)).toEqual([
    ['catch-all', 30],
    ['exempt', 970],
    ['workload-high', 120],
    ['workload-low', 60],
  ])
  expect(currentUnder({ ...all, exempt: 330 })).toEqual([
    ['catch-all', 30],
    ['exempt', 330],
    ['workload-high', 180],
    ['workload-low', 330],
  ])
  expect(currentUnder({ ...all, exempt: 540, 'workload-low': 1 })).toEqual([
    ['catch-all', 30],
    ['exempt', 540],
    ['workload-high', 240],
    ['workload-low', 60],
  ])
})
