import { expect, it } from 'vitest'
import { cellText, sentenceText } from '../answer/answer.ts'
import type { VariantReport } from '../contract/whatif.ts'
import { plain } from '../text/format.ts'
import { presentRanking, rankedVariants } from './ranking.ts'
import { arrivalsOf, variantOf } from './whatif.fixture.ts'
import { reportOf, whatIf } from './whatif.ts'

interface Merits {
  readonly expired?: number
  readonly slowdown?: number
  readonly overall?: number
  readonly served?: number
}
const variant = (name: string, { expired = 0, slowdown = 1, overall = 1, served = 1_000 }: Merits): VariantReport => ({
  name,
  seconds: 10,
  fairness: { overall, windowSeconds: 10 },
  total: {
    offered: served + expired,
    served,
    expired,
    rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 },
    waitMs: { p50: 0, p90: 0, p99: 0, max: 0 },
    seats: 1,
    slowdown,
  },
  levels: [],
})
const order = (...variants: readonly VariantReport[]) =>
  rankedVariants(variants).map(({ name, place }) => `${place} ${name}`)

it('puts overload protection first, then fairness, then throughput', () => {
  const protectedOnly = variant('protected', { overall: 0.5, served: 100 })
  const fast = variant('fast', { expired: 100, served: 9_000 })
  const slow = variant('slow', { slowdown: 3, served: 9_000 })
  const fair = variant('fair', { overall: 0.9, served: 10 })
  const served = variant('served', { overall: 0.9, served: 20 })
  expect(order(fast, slow, protectedOnly, fair, served)).toEqual([
    '1 served',
    '2 fair',
    '3 protected',
    '4 slow',
    '5 fast',
  ])
})

it('is told on screen in a sentence before the notes', () => {
  const sent = Array.from({ length: 10 }, (_, at) => ({ atMs: at, lastsMs: 100 }))
  const filter = variantOf('filter', { algorithm: 'max-in-flight', maxRequestsInFlight: 1 })
  const result = whatIf(arrivalsOf(sent, 1_000), filter, [variantOf('fair')]) ?? expect.fail('it runs to its end')
  expect(reportOf(result).notes[0]).toBe(
    'By overload protection, then fairness, then throughput: 1 fair (0.0 % cut off, execution × 1.0, fairness 1.00, 10.0 served /s); 2 filter (0.0 % cut off, execution × 1.0, fairness 1.00, 1.0 served /s).',
  )
})

it('calls equal what reads as equal, so that the next goal decides', () => {
  expect(order(variant('a', { overall: 0.99901 }), variant('b', { overall: 0.99902, served: 1_100 }))).toEqual([
    '1 b',
    '2 a',
  ])
  expect(order(variant('a', {}), variant('b', { slowdown: 1.01 }))).toEqual(['1 a', '1 b'])
})

it('takes requests that should have ended, and did not, for a server that is slow', () => {
  const sent = Array.from({ length: 10 }, (_, at) => ({ atMs: at, lastsMs: 100 }))
  const arrivals = { ...arrivalsOf(sent, 5_000), capacity: [{ seats: 1, slowdown: 1_000 }] }
  const result = whatIf(arrivals, variantOf('wedged'), []) ?? expect.fail('it runs to its end')
  expect(result.baseline.total.slowdown).toBeGreaterThan(2)
})

it('shows what CoDel had to decide by, with the parameters that were chosen', () => {
  const sent = Array.from({ length: 4_000 }, (_, at) => ({ atMs: at * 5, lastsMs: 1_000 }))
  const codel = variantOf('published', { algorithm: 'codel', maxRequestsInFlight: 20 })
  const slow = { ...codel, name: 'chosen', codelTargetMs: 1_000, codelIntervalMs: 10_000 }
  const result = whatIf(arrivalsOf(sent, 20_000), codel, [slow]) ?? expect.fail('it runs to its end')
  const chosen = result.candidates[0]?.result ?? expect.fail('there is a candidate')
  expect(result.baseline.codel).toMatchObject({ targetMs: 5, intervalMs: 100 })
  expect(chosen.codel).toMatchObject({ targetMs: 1_000, intervalMs: 10_000 })
  expect(chosen.codel?.mean).toBeGreaterThan(3 * (result.baseline.codel?.mean ?? Infinity))
  const dropped = ({ total }: VariantReport): number => total.rejected['time-out']
  expect(dropped(result.baseline)).toBeGreaterThan(dropped(chosen))
  const { evidence, tables } = presentRanking([result.baseline, chosen])
  expect(evidence.map((sentence) => sentenceText(sentence, plain))[1]).toMatch(
    /^CoDel of chosen drops from a queue whose waits stay above 1\.00 s for 10\.0 s\. A queue dispatched [\d.]+ requests/,
  )
  expect(tables.map(({ title }) => title)).toEqual(['Ranking', 'Fairness over time'])
  expect(tables[0]?.rows.map((row) => row.map((cell) => cellText(cell, plain))[0])).toEqual(['1', '2'])
})
