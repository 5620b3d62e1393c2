import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { CountedHistogram } from '../simulated/countedHistogram.ts'
import { CounterTally, HistogramTally } from './tallies.ts'

const BOUNDS = [0.001, 0.5, 1, 60]

/** Lines of a page, independent of the order of lines and labels. */
const linesOf = async (registry: Registry): Promise<readonly string[]> =>
  (await registry.metrics())
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').toSorted().join(',')}}`))
    .toSorted()

test('a histogram gives the page that the library’s own gives for the same observations', async () => {
  const labels = fc.constantFrom('', 'Range', 'Put', 'a b')
  const values = fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }), fc.constantFrom(...BOUNDS))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(values, labels, labels), { maxLength: 40 }), async (observations) => {
      const head = { name: 'h', help: 'A histogram.', labelNames: ['op', 'code'] }
      const [own, library] = [new Registry(), new Registry()]
      const tally = new HistogramTally(BOUNDS, head.labelNames)
      own.registerMetric(new CountedHistogram({ ...head, registers: [] }, () => tally.exposed()))
      const histogram = new Histogram({ ...head, buckets: BOUNDS, registers: [library] })
      for (const [value, op, code] of observations) {
        tally.observe(value, op, code)
        histogram.observe({ op, code }, value)
      }
      expect(await linesOf(own)).toEqual(await linesOf(library))
    }),
    { numRuns: 50 },
  )
})

test('a histogram without labels has its series before the first observation', () => {
  const tally = new HistogramTally([1], [])
  expect(tally.exposed()).toEqual([{ labels: {}, value: { bounds: [1], counts: [0, 0], sum: 0, count: 0 } }])
})

test('a counter counts each set of values', () => {
  const tally = new CounterTally(['op', 'verdict'])
  for (const verdict of ['passed', 'limited', 'passed']) tally.inc('Put', verdict)
  expect(tally.counts()).toEqual([
    { labels: { op: 'Put', verdict: 'passed' }, count: 2 },
    { labels: { op: 'Put', verdict: 'limited' }, count: 1 },
  ])
})
