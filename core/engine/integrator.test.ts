import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { Clock } from './clock.ts'
import { Integrator, type IntegratorResults } from './integrator.ts'

type Step = readonly [at: string, op: 'set' | 'add' | 'results' | 'reset', x: number]
interface Answer {
  results: Record<keyof IntegratorResults, number | 'NaN'>[]
}

const plain = (results: IntegratorResults) =>
  Object.fromEntries(Object.entries(results).map(([key, value]) => [key, Number.isNaN(value) ? 'NaN' : value]))

test('agrees with every upstream vector', () => {
  for (const { in: question, out } of readVectors<{ steps: Step[] }, Answer>('integrator')) {
    const clock = new Clock()
    const integrator = new Integrator(clock)
    const results: unknown[] = []
    for (const [at, op, x] of question.steps) {
      clock.moveToExact(BigInt(at))
      if (op === 'set') integrator.set(x)
      else if (op === 'add') integrator.set(integrator.value + x)
      else results.push(plain(op === 'reset' ? integrator.reset() : integrator.results()))
    }
    expect(results).toEqual(out.results)
  }
})
