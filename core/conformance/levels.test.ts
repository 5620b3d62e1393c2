import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { type BorrowQuestion, type LimitsQuestion, answerBorrow, answerLimits } from './levels.ts'

/** Results that upstream computes in random order, compared at a relative 1e-9; everything else exactly. */
const TOLERANT = new Set(['fairFrac', 'fairFracByName', 'allocByName'])

function agree(actual: unknown, wanted: unknown, where: string): void {
  if (Array.isArray(wanted) && Array.isArray(actual)) {
    expect(actual.length, where).toBe(wanted.length)
    for (const [i, item] of wanted.entries()) agree(actual[i], item, `${where}[${i}]`)
  } else if (typeof wanted === 'object' && wanted !== null && typeof actual === 'object' && actual !== null) {
    expect(Object.keys(actual).toSorted(), where).toEqual(Object.keys(wanted).toSorted())
    for (const [key, value] of Object.entries(wanted)) {
      agree((actual as Record<string, unknown>)[key], value, `${where}.${key}`)
    }
  } else if (TOLERANT.has(where.slice(where.lastIndexOf('.') + 1))) {
    expect(Math.abs(Number(actual) - Number(wanted)), where).toBeLessThanOrEqual(1e-9 * Math.abs(Number(wanted)))
  } else {
    expect(actual, where).toBe(wanted)
  }
}

test('limits agree with every upstream vector', () => {
  for (const [i, { in: question, out }] of readVectors<LimitsQuestion, unknown>('limits').entries()) {
    agree(answerLimits(question), out, `limits-${i}`)
  }
})

test('borrowing agrees with every upstream vector', () => {
  for (const { in: question, out } of readVectors<BorrowQuestion, Record<string, unknown>>('borrow')) {
    const answer = answerBorrow(question)
    const { repeats: _repeats, ...wanted } = out
    agree(answer, wanted, question.id)
  }
})

/** Specification 6.5: which case decides follows from what exempt requests leave. */
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
    const question = { id: '', serverConcurrencyLimit: 870, priorityLevels, steps } as BorrowQuestion
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
