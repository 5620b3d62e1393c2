import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketOf, bucketsOf, interestedWatches, publications, publish, type CountedWatches } from './watchBuckets.ts'

const SHAPE = { namespaces: 3, objects: 6 }
const RULE = { writeEvery: 60, jumpFactor: 1.5, jumpWatches: 10 }

const of = (namespace: string, name: string, watches = 1): CountedWatches => ({
  server: 'a',
  resource: 'pods',
  namespace,
  name,
  watches,
})

test('A = 3 and B = 6 make 10 buckets of a resource, and all of them are used', () => {
  expect(bucketsOf(SHAPE)).toBe(10)
  expect(bucketOf(of('', ''), SHAPE)).toBe(0)
  const names = Array.from({ length: 200 }, (_, index) => `n${index}`)
  const namespaces = names.map((name) => bucketOf(of(name, ''), SHAPE))
  expect(new Set(namespaces)).toEqual(new Set([1, 2, 3]))
  const objects = names.map((name) => bucketOf(of('default', name), SHAPE))
  expect(new Set(objects)).toEqual(new Set([4, 5, 6, 7, 8, 9]))
})

test('99 resources are published in fewer than 1000 entries', () => {
  const watches = Array.from({ length: 99 }, (_, index) => ({ ...of('', ''), resource: `r${index}` }))
  const entries = [...publish(watches, SHAPE).values()].reduce((sum, buckets) => sum + buckets.length, 0)
  expect(entries).toBe(990)
})

test('a bucket holds the maximum of its keys, not their sum; lines of one key add up', () => {
  const one = { namespaces: 1, objects: 1 }
  const watches = [of('', '', 2), of('a', '', 40), of('b', '', 5), of('b', '', 5), of('a', 'x', 3)]
  expect(publish(watches, one).get('pods')).toEqual([2, 40, 3])
})

test('what shares a bucket with a larger count is overestimated', () => {
  const one = { namespaces: 1, objects: 1 }
  const watches = [of('', '', 2), of('a', '', 40), of('b', '', 10), of('a', 'x', 3)]
  expect(interestedWatches(of('b', 'y'), watches, one)).toEqual({ exact: 12, published: 2 + 40 + 3 + 3 })
  expect(interestedWatches({ ...of('b', 'y'), resource: 'nodes' }, watches, one)).toEqual({ exact: 0, published: 0 })
})

test('buckets never count too few watches', () => {
  const name = fc.constantFrom('', 'a', 'b', 'c', 'd')
  const watch = fc.record({
    server: fc.constant('a'),
    resource: fc.constantFrom('pods', 'nodes'),
    namespace: name,
    name,
    watches: fc.nat({ max: 50 }),
  })
  fc.assert(
    fc.property(fc.array(watch, { maxLength: 30 }), watch, (watches, object) => {
      const { exact, published } = interestedWatches(object, watches, SHAPE)
      expect(published).toBeGreaterThanOrEqual(exact)
    }),
  )
})

const steady = (seconds: number, count: (second: number) => number) =>
  Array.from({ length: seconds }, (_, second) => [count(second)])

test('counts that never change are written once, slow ones each minute', () => {
  expect(
    publications(
      steady(600, () => 100),
      RULE,
    ),
  ).toEqual([{ second: 0, because: 'start', buckets: [100] }])
  const slow = publications(
    steady(181, (second) => 1_000 + second),
    RULE,
  )
  expect(slow.map(({ second, because }) => `${second} ${because}`)).toEqual([
    '0 start',
    '60 period',
    '120 period',
    '180 period',
  ])
})

test('a jump is written at its second, a fall at the end of the minute', () => {
  const counts = steady(121, (second) => (second >= 17 && second < 30 ? 300 : 100))
  expect(publications(counts, RULE)).toEqual([
    { second: 0, because: 'start', buckets: [100] },
    { second: 17, because: 'jump', buckets: [300] },
    { second: 60, because: 'period', buckets: [100] },
  ])
})

test('a rise is significant above the factor, and from the least number of watches', () => {
  expect(publications([[100], [150]], RULE)).toHaveLength(1)
  expect(publications([[100], [151]], RULE)).toHaveLength(2)
  expect(publications([[0], [9]], RULE)).toHaveLength(1)
  expect(publications([[0], [10]], RULE)).toHaveLength(2)
})

test('a jump of one bucket lowers no other', () => {
  expect(
    publications(
      [
        [100, 50],
        [300, 20],
      ],
      RULE,
    ).at(-1)?.buckets,
  ).toEqual([300, 50])
})
