import { describe, expect, test } from 'vitest'
import { FAIR_ALGORITHMS, type QueuingRules, UPSTREAM_QUEUING } from './algorithms.ts'
import { type AllocationInput, configuredLimits } from './allocation.ts'
import { levelOf, SECOND_NS } from './level.fixture.ts'
import { allocateAsPlanned, type PlannedBorrowing } from './plannedAllocation.ts'

/**
 * Specification of earlier systems, C5: A1 to A4 (10 s each) arrive in queue 0 at 0 s, B1 and B2 (2 s each) in queue 1
 * at 1 s.
 */
function trace(rules: QueuingRules, times: readonly (readonly [at: number, ends: string])[]) {
  const one = levelOf(rules)
  for (const name of ['A1', 'A2', 'A3', 'A4']) one.arrive(name, 0)
  const states = [one.state()]
  one.at(1)
  for (const name of ['B1', 'B2']) one.arrive(name, 1)
  states.push(one.state())
  for (const [at, ends] of times) {
    one.at(at)
    one.finish(ends)
    states.push(one.state())
  }
  return states
}

describe('alpha-1.18', () => {
  const { queuing } = FAIR_ALGORITHMS['alpha-1.18']

  test('follows the trace with a minute charged at dispatch', () => {
    const ends = [
      [10, 'A1'],
      [10, 'A2'],
      [12, 'B1'],
      [14, 'B2'],
      [20, 'A3'],
      [24, 'A4'],
    ] as const
    expect(trace(queuing, ends)).toEqual([
      { R: 0, S: [120, 0], waiting: [2, 0], runs: 'A1 A2' },
      { R: 2, S: [120, 2], waiting: [2, 2], runs: 'A1 A2' },
      { R: 11, S: [70, 62], waiting: [2, 1], runs: 'A2 B1' },
      { R: 11, S: [80, 62], waiting: [1, 1], runs: 'B1 A3' },
      { R: 13, S: [80, 64], waiting: [1, 0], runs: 'A3 B2' },
      { R: 15, S: [140, 6], waiting: [0, 0], runs: 'A3 A4' },
      { R: 27, S: [90, 6], waiting: [0, 0], runs: 'A4' },
      { R: 31, S: [40, 6], waiting: [0, 0], runs: '' },
    ])
  })

  const SOONER = [
    [10, 'A1'],
    [10, 'A2'],
    [12, 'B1'],
    [12, 'B2'],
    [22, 'A3'],
    [22, 'A4'],
  ] as const

  test('runs B2 two seconds sooner when nothing is charged at dispatch', () => {
    const states = trace({ ...queuing, assumedServiceNs: 0 }, SOONER)
    expect(states[3]).toMatchObject({ S: [20, 2], runs: 'B1 B2' })
    expect(states.at(-1)).toMatchObject({ S: [40, 6] })
  })

  test('has the order of 0 with 3 ms and the bound', () => {
    const states = trace(UPSTREAM_QUEUING, SOONER)
    expect(states[3]?.runs).toBe('B1 B2')
    expect(states.map(({ S: [first = 0] }) => first.toFixed(3)).slice(3)).toEqual([
      '20.000',
      '20.003',
      '20.006',
      '30.003',
      '40.000',
    ])
    // The bound of specification 4.8 is R at the arrival of the oldest waiting request.
    expect(states.map(({ S: [, second = 0] }) => second.toFixed(3)).at(-1)).toBe('6.000')
  })

  test('ends an overlong wait only when another request arrives at its queue', () => {
    const one = levelOf(queuing, { limit: 1 })
    one.arrive('runs', 0)
    one.arrive('waits', 1)
    one.at(40)
    one.arrive('elsewhere', 0)
    expect(one.refused).toEqual([])
    one.arrive('next', 1)
    expect(one.refused).toEqual(['waits time-out'])
    expect(one.queueSet).toMatchObject({ waitingCount: 2, seatsWaiting: 2 })
  })

  test('puts a request into the shortest queue, the first dealt among equals', () => {
    const one = levelOf(queuing, { queues: 4, limit: 0 })
    one.queueSet.reconfigure({ queues: 4, handSize: 2, queueLengthLimit: 100 }, 0)
    const hand = [...one.queueSet.handOf({ hi: 0, lo: 5 })]
    for (const name of ['a', 'b', 'c']) one.arrive(name, 5)
    expect(hand.map((queue) => one.queueSet.queues[queue]?.waiting.length)).toEqual([2, 1])
  })
})

/** D1: how the completion of a request of two seats that took 100 ms changes the virtual start of its queue. */
test.each([
  [60 * SECOND_NS, 120, -119.8],
  [0, 0, 0.2],
  [3e6, 0.006, 0.194],
])(
  'with %d ns assumed, a request of two seats is charged %d at dispatch and %d when it ends',
  (ns, charged, change) => {
    const one = levelOf({ ...UPSTREAM_QUEUING, assumedServiceNs: ns, bounded: false }, { queues: 1 })
    one.arrive('wide', 0, 2)
    const [before = 0] = one.state().S
    expect(before).toBeCloseTo(charged, 9)
    one.at(0.1)
    one.finish('wide')
    expect((one.state().S[0] ?? 0) - before).toBeCloseTo(change, 9)
  },
)

test('head-drop rejects the oldest request of a full queue and keeps every sum', () => {
  const one = levelOf(FAIR_ALGORITHMS['head-drop'].queuing, { queues: 1, limit: 1, places: 2 })
  for (const name of ['a', 'b', 'c', 'd', 'e']) one.arrive(name, 0)
  expect(one.refused).toEqual(['b queue-full', 'c queue-full'])
  expect(one.queueSet).toMatchObject({ waitingCount: 2, seatsWaiting: 2 })
  for (const name of ['a', 'd', 'e']) one.finish(name)
  expect(one.queueSet).toMatchObject({ waitingCount: 0, seatsWaiting: 0, seatsInUse: 0, idle: true })
})

test('codel drops heads once waits are above 5 ms for 100 ms, then ever sooner, until they are not', () => {
  const one = levelOf(FAIR_ALGORITHMS.codel.queuing, { queues: 1, limit: 1, places: 1_000 })
  for (let i = 0; i < 200; i++) one.arrive(String(i), 0)
  const droppedMs: number[] = []
  for (let ms = 20; ms <= 500; ms += 20) {
    one.at(ms / 1_000)
    const before = one.refused.length
    one.finish([...one.running.keys()][0] ?? '')
    for (let i = before; i < one.refused.length; i++) droppedMs.push(ms)
  }
  expect(droppedMs).toEqual([120, 220, 300, 360, 400, 460, 500])
  expect(one.refused[0]).toBe('6 time-out')
  expect(one.queueSet).toMatchObject({ waitingCount: 200 - 26 - 7, seatsInUse: 1 })
})

test.each([3e6, 0, 60 * SECOND_NS])('two backlogged flows share seats of equal width, with %d ns assumed', (ns) => {
  const one = levelOf(
    { ...UPSTREAM_QUEUING, assumedServiceNs: ns, bounded: ns < SECOND_NS },
    { limit: 10, places: 1_000 },
  )
  const counts = [0, 0]
  let made = 0
  const send = (queue: number): void => void one.arrive(`${queue} ${(made += 1)}`, queue)
  // 2,000 in each round: each ends 100 ms after it began, and its client sends the next. The first has 20 threads,
  // the other 60.
  for (let i = 0; i < 20; i++) send(0)
  for (let i = 0; i < 60; i++) send(1)
  for (let round = 1; round <= 6_000; round++) {
    one.at(round / 10)
    // Those that begin now belong to the next round.
    const ending = [...one.running.keys()]
    for (const name of ending) {
      one.finish(name)
      const queue = name.startsWith('0') ? 0 : 1
      counts[queue] = (counts[queue] ?? 0) + 1
      send(queue)
    }
  }
  const [first = 0, second = 0] = counts
  expect(Math.abs(first / (first + second) - 0.5)).toBeLessThan(0.01)
})

/** The built-in levels in the order of the specification of earlier systems, E, and Exempt. */
const LEVELS = [
  { name: 'system', shares: 30, lendablePercent: 33 },
  { name: 'node-high', shares: 40, lendablePercent: 25 },
  { name: 'leader-election', shares: 10, lendablePercent: 0 },
  { name: 'workload-high', shares: 40, lendablePercent: 50 },
  { name: 'workload-low', shares: 100, lendablePercent: 90 },
  { name: 'global-default', shares: 20, lendablePercent: 50 },
  { name: 'catch-all', shares: 5, lendablePercent: 0 },
  { name: 'exempt', shares: 0, lendablePercent: 0 },
].map((one) => ({ ...one, exempt: one.name === 'exempt', borrowingLimitPercent: undefined }))

type Demands = Readonly<Record<string, { readonly high: number; readonly smoothed: number }>>
const high = (seats: number) => ({ high: seats, smoothed: seats })
const all = (seats: number): Demands => Object.fromEntries(LEVELS.slice(0, -1).map(({ name }) => [name, high(seats)]))

function limitsOf(borrowing: PlannedBorrowing, demands: Demands) {
  const limits = configuredLimits(600, LEVELS)
  const inputs = LEVELS.map(({ name, exempt }, i): AllocationInput => {
    const { high: highWatermark, smoothed } = demands[name] ?? { high: 0, smoothed: 0 }
    const demand = { highWatermark, smoothed, average: 0, stdev: 0, envelope: 0 }
    return { name, exempt, limits: limits[i] ?? { nominal: 0, min: 0, max: 0 }, demand, current: 0 }
  })
  const { fairFrac, levels } = allocateAsPlanned(inputs, 600, borrowing)
  return { fairFrac, current: levels.slice(0, -1).map(({ current }) => current) }
}

const NOMINAL = [74, 98, 25, 98, 245, 49, 13]

describe('borrowing as it was planned', () => {
  test.each([
    ['idle', {}, [116, 170, 58, 114, 56, 56, 30], 2.3255813953],
    ['workload-low 900', { 'workload-low': high(900) }, [50, 73, 25, 49, 366, 24, 13], 0.4066666667],
    ['all 900', all(900), NOMINAL, 0],
    ['all 900 but system 0', { ...all(900), system: high(0) }, [50, 98, 30, 98, 245, 49, 30], 0.0333333333],
  ] as const)('%s: same result with and without Exempt', (_, demands, current, fairFrac) => {
    for (const borrowing of ['limited-only', 'exempt-first'] as const) {
      const found = limitsOf(borrowing, demands)
      expect(found.current).toEqual(current)
      expect(found.fairFrac).toBeCloseTo(fairFrac, 9)
    }
  })

  test.each([
    [
      'a default level and Exempt at work',
      { 'workload-low': high(900), 'global-default': { high: 100, smoothed: 80 }, exempt: high(20) },
      [50, 73, 25, 49, 321, 49, 13],
    ],
    ['all 900, exempt 20', { ...all(900), exempt: high(20) }, [71, 94, 24, 94, 236, 47, 13]],
    ['all 900, exempt 400', { ...all(900), exempt: high(400) }, [25, 33, 8, 33, 81, 16, 4]],
    ['exempt 700', { ...all(900), exempt: high(700) }, [0, 0, 0, 0, 0, 0, 0]],
  ] as const)('%s: the seats that Exempt uses are taken from the others', (_, demands, current) => {
    expect(limitsOf('exempt-first', demands).current).toEqual(current)
  })

  test('none: every limit stays nominal', () => {
    expect(limitsOf('none', all(900)).current).toEqual(NOMINAL)
    expect(limitsOf('none', {}).current).toEqual(NOMINAL)
  })
})
