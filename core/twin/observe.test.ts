import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classifyingConfiguration } from '../classify/configuration.ts'
import { digestRequest } from '../classify/classification.ts'
import { levelFrame, schemaFrame, serverFrame } from '../../test/fixtures/frames.ts'
import { comparableFrames, observe, SHORTEST_SPAN_SECONDS } from './observe.ts'
import { listOfWidth, specimens } from './specimens.ts'
import { apportioned, executionFactors, smoothed, widthsOf } from './traffic.ts'
import { CALLS, clients, OBJECTS, pagesOf, withLow, workloadOf } from './twin.fixture.ts'

const steady = workloadOf(
  clients('few', 4, { kind: 'open', arrivals: { kind: 'poisson', perSecond: 10 }, calls: CALLS, onRejection: 'next' }),
)
const pages = pagesOf(steady, { from: 20, until: 80 })

test('the rates, seats and durations of a span are those that the server was given', () => {
  const level = observe(pages)?.levels.find(({ name }) => name === 'workload-low')
  expect(level?.quantities.arrivalsPerSecond).toBeCloseTo(40, -0.7)
  // 40 requests per second of 400 ms · exp(0.6² / 2).
  expect(level?.quantities.seats).toBeCloseTo(19.2, -0.7)
  expect(level?.quantities.rejectedPerSecond).toBe(0)
  expect(level?.schemas.map(({ schema }) => schema)).toEqual(['service-accounts'])
})

test('counts every request of a span once, however far apart its pages are', () => {
  const steps = fc.array(fc.record({ gap: fc.integer({ min: 1, max: 20 }), requests: fc.nat(200) }), { minLength: 20 })
  fc.assert(
    fc.property(steps, (given) => {
      let [second, dispatched] = [0, 0]
      const frames = given.map(({ gap, requests }, i) => {
        if (i > 0) [second, dispatched] = [second + gap, dispatched + requests]
        return serverFrame(second, [levelFrame('low', [schemaFrame('s', { dispatched })])])
      })
      fc.pre(second >= SHORTEST_SPAN_SECONDS)
      expect(observe(frames)?.levels[0]?.quantities.arrivalsPerSecond).toBeCloseTo(dispatched / second, 9)
    }),
  )
})

test('pages of before a change of limits or a restart are left out, in whatever order they come', () => {
  const edited = pagesOf(steady, {
    from: 20,
    until: 80,
    edit: { at: 50, objects: withLow({ nominalConcurrencyShares: 7 }) },
  })
  expect(comparableFrames(edited)).toHaveLength(31)
  expect(comparableFrames(edited.toReversed())).toEqual(comparableFrames(edited))
  const restarted = [...pages.slice(0, 30), ...pages.slice(30).map((page) => ({ ...page, startedAt: 1_000 }))]
  expect(comparableFrames(restarted)).toHaveLength(31)
  expect(comparableFrames([...pages, ...pages])).toEqual(pages)
})

test('fewer than 20 seconds are not observed', () => {
  expect(observe([])).toBeUndefined()
  expect(observe(pages.slice(0, 20))).toBeUndefined()
})

test('every built-in schema gets clients whose requests it takes, each in a flow of its own', () => {
  const configuration = classifyingConfiguration(OBJECTS)
  for (const schema of OBJECTS.schemas) {
    const { name } = schema.metadata
    // global-default takes all requests before it.
    if (name === 'catch-all') continue
    const made = specimens(schema, configuration, 3)
    expect(made.length, name).toBeGreaterThan(0)
    for (const { user, narrow, wide } of made) {
      for (const address of [narrow, wide && listOfWidth(wide, 3)]) {
        if (address === undefined) continue
        const read = digestRequest({ user: user.name, groups: [...user.groups], ...address })
        expect(read.ok && configuration.schemaOf(read.digest).metadata.name).toBe(name)
      }
    }
  }
  const accounts = OBJECTS.schemas.find(({ metadata }) => metadata.name === 'service-accounts')
  const users = accounts && specimens(accounts, configuration, 5).map(({ user }) => user.name)
  expect(new Set(users).size).toBe(5)
})

test('names of flows that are known are taken', () => {
  const accounts = OBJECTS.schemas.find(({ metadata }) => metadata.name === 'service-accounts')
  const name = 'system:serviceaccount:batch:crawler'
  const made = accounts && specimens(accounts, classifyingConfiguration(OBJECTS), 1, [name])
  expect(made?.[0]?.user).toMatchObject({ name, groups: expect.arrayContaining(['system:serviceaccounts:batch']) })
})

test('a whole number is split into whole parts that add up', () => {
  fc.assert(
    fc.property(
      fc.nat(5_000),
      fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 20 }),
      (total, weights) => {
        const sum = weights.reduce((a, b) => a + b, 0)
        const counts = apportioned(
          total,
          weights.map((weight) => weight / sum),
        )
        expect(counts.reduce((a, b) => a + b, 0)).toBe(total)
        for (const [i, count] of counts.entries()) {
          expect(Math.abs(count - (total * (weights[i] ?? 0)) / sum)).toBeLessThanOrEqual(1 + 1e-6)
        }
      },
    ),
  )
})

test('running means stay between the least and the largest value', () => {
  const values = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(values, fc.double({ min: 0, max: 20, noNaN: true }), (list, steps) => {
      const means = smoothed(list, steps)
      expect(means).toHaveLength(list.length)
      for (const mean of means) {
        expect(mean).toBeGreaterThanOrEqual(Math.min(...list) - 1e-6)
        expect(mean).toBeLessThanOrEqual(Math.max(...list) + 1e-6)
      }
    }),
  )
})

test('where seats × time is more than widths and durations say, wide requests are the slow ones', () => {
  const execution = { bounds: [1], counts: [100, 100], sum: 20, count: 100 }
  // 10 requests per second of 0.2 s; nine of ten take one seat, the tenth ten.
  const widths = widthsOf({ bounds: [1, 10], counts: [90, 100, 100], sum: 190, count: 100 })
  const traffic = (seats: number) => ({
    schema: 'lists',
    arrivals: [10],
    rejected: [0],
    present: [2],
    execution,
    executionWatch: undefined,
    widths: undefined,
    seats,
  })
  expect(widths).toEqual([
    { seats: 1, count: 90 },
    { seats: 10, count: 10 },
  ])
  expect(executionFactors(traffic(3.8), widths)).toEqual({ narrow: 1, wide: 1 })
  const { narrow, wide } = executionFactors(traffic(8), widths)
  expect(0.9 * narrow + 0.1 * wide).toBeCloseTo(1)
  expect(10 * 0.2 * (0.9 * narrow + 0.1 * 10 * wide)).toBeCloseTo(8)
})

test('wide requests are as wide as the sum of widths says, within their buckets', () => {
  // From a real server: 278 lists of 3 seats are in the bucket up to 4.
  const bounds = [1, 2, 4, 8]
  expect(widthsOf({ bounds, counts: [3_894, 3_894, 4_172, 4_172, 4_172], sum: 4_728, count: 4_172 })).toEqual([
    { seats: 1, count: 3_894 },
    { seats: 3, count: 278 },
  ])
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 60 }), (seats) => {
      const counts = [...bounds, Infinity].map((bound) => seats.filter((one) => one <= bound).length)
      const sum = seats.reduce((a, b) => a + b, 0)
      const made = widthsOf({ bounds, counts, sum, count: seats.length })
      expect(made.reduce((total, { count }) => total + count, 0)).toBe(seats.length)
      for (const { seats: width } of made) expect(width).toBeLessThanOrEqual(8)
      const total = made.reduce((all, { seats: width, count }) => all + width * count, 0)
      // Each bucket is a whole number of seats wide.
      if (Math.max(...seats) <= 8) expect(Math.abs(total - sum)).toBeLessThanOrEqual(seats.length / 2)
    }),
  )
})

test('lists that are wide and quick do not take the seats of those that are narrow and slow', () => {
  // The same server: 77 requests/s of 0.627 s use 48.9 seats, so that the one in fifteen that is three seats wide is quick.
  const widths = [
    { seats: 1, count: 3_894 },
    { seats: 3, count: 278 },
  ]
  const execution = { bounds: [30], counts: [4_177, 4_177], sum: 2_620, count: 4_177 }
  const traffic = {
    schema: 's',
    arrivals: [77],
    rejected: [0],
    present: [78.6],
    execution,
    widths: undefined,
    seats: 48.9,
  }
  const { narrow, wide } = executionFactors({ ...traffic, executionWatch: undefined }, widths)
  expect(wide).toBeLessThan(0.2)
  expect(narrow).toBeCloseTo(1.06, 1)
})
