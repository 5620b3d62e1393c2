import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { Clock } from './clock.ts'
import { TimingRatioHistogram } from './timingRatioHistogram.ts'

interface Question {
  buckets: number[]
  numerator: number
  denominator: number
  steps: (readonly [at: string, op: 'set' | 'add' | 'denominator' | 'scrape', x: number])[]
}
interface Answer {
  scrapes: { count: string; sum: number; cumulative: string[] }[]
}

test('agrees with every upstream vector', () => {
  for (const { in: question, out } of readVectors<Question, Answer>('timing')) {
    const clock = new Clock()
    const histogram = new TimingRatioHistogram(clock, question.buckets, question.numerator, question.denominator)
    const scrapes = question.steps.flatMap(([at, op, x]) => {
      clock.moveToExact(BigInt(at))
      if (op === 'set') histogram.setNumerator(x)
      else if (op === 'add') histogram.add(x)
      else if (op === 'denominator') histogram.setDenominator(x)
      else return [histogram.snapshot()]
      return []
    })
    expect(scrapes).toHaveLength(out.scrapes.length)
    for (const [i, wanted] of out.scrapes.entries()) {
      const { count, sum, cumulative } = scrapes[i] ?? {}
      expect(String(count)).toBe(wanted.count)
      expect(cumulative?.map(String)).toEqual(wanted.cumulative)
      expect(Math.abs((sum ?? Number.NaN) - wanted.sum)).toBeLessThanOrEqual(1e-12 * Math.abs(wanted.sum))
    }
  }
})
