import { describe, expect, test } from 'vitest'
import { type Client, type Scenario, runClosedLoop } from '../../test/harness/engine/closedLoop.ts'
import { fairSplit } from '../../test/harness/engine/fairSplit.ts'

/** The closed-loop scenarios of upstream's own tests (specification, Appendix A): all 37 of them. */
const SECOND = 1_000_000_000n

const queues = (count: number, queueLengthLimit: number, handSize: number) => ({
  queues: count,
  queueLengthLimit,
  handSize,
})
const client = (hash: bigint, threads: number, calls: number, rest: Partial<Client> = {}): Client => ({
  hash,
  threads,
  calls,
  exec: SECOND,
  think: 0n,
  ...rest,
})

const demandOf = ({ threads, initialSeats = 1, exec, think }: Client): number =>
  (threads * initialSeats * Number(exec)) / Number(exec + think)

interface Expectation {
  readonly expected?: readonly number[]
  readonly margin: number
}

/** Checks what holds in every scenario; returns the measurements. */
function runFairly(scenario: Scenario) {
  const outcome = runClosedLoop(scenario)
  const calls = scenario.clients.reduce(
    (sum, { threads, calls: each, split }) => sum + (split === true ? (threads * each * 3) / 4 : threads * each),
    0,
  )
  const refused = Object.values(outcome.rejected).reduce((sum, count) => sum + count, 0)
  if (refused === 0) expect(outcome.executed).toBe(calls)
  expect(outcome.leftovers).toEqual({ waiting: 0, executing: 0, seatsInUse: 0, seatsWaiting: 0 })
  const { demand, clientDemand } = outcome
  expect(demand.duration).toBe(clientDemand.duration)
  // The client counts a call that is rejected at once as one of no duration, the queue set does not.
  if (refused === 0) expect(demand.max).toBe(clientDemand.max)
  expect(Math.abs(demand.average - clientDemand.average)).toBeLessThanOrEqual(1e-10 * clientDemand.average)
  expect(Math.abs(demand.deviation - clientDemand.deviation)).toBeLessThanOrEqual(1e-10 * clientDemand.deviation)
  return outcome
}

function expectAverages(averages: readonly number[], expected: readonly number[], margin: number): void {
  expect(averages).toHaveLength(expected.length)
  for (const [i, average] of averages.entries()) {
    const wanted = expected[i] ?? Number.NaN
    expect(Math.abs(average - wanted), `client ${i}: ${average} instead of ${wanted}`).toBeLessThanOrEqual(
      margin * wanted,
    )
  }
}

const expectFair = (scenario: Scenario, { expected, margin }: Expectation): void => {
  const outcome = runFairly(scenario)
  expect(outcome.rejected).toEqual({})
  expectAverages(outcome.averages, expected ?? fairSplit(scenario.limit, scenario.clients.map(demandOf)), margin)
}

test('Baseline', () => {
  const clients = [client(1_001_001_001n, 1, 21)]
  expectFair({ queuing: queues(9, 8, 3), limit: 1, clients, evaluated: 20n * SECOND }, { expected: [1], margin: 0 })
})

test.each([0, 2])('Exempt with limit %i', (limit) => {
  const clients = [client(1_001_001_001n, 5, 20, { think: SECOND, initialSeats: 3 })]
  const scenario = { queuing: queues(-1, 2, 3), limit, clients, evaluated: 40n * SECOND }
  expectFair(scenario, { expected: [7.5], margin: 1e-8 })
})

describe('Separations', () => {
  const HALF = SECOND / 2n
  const kinds = [
    [1, 1, 1],
    [1, 2, 1],
    [2, 2, 1],
    [1, 1, 2],
    [1, 2, 2],
    [2, 2, 2],
  ] as const
  const rows: readonly (readonly [think: bigint, pad: bigint, expected: readonly number[]])[] = [
    [SECOND, 0n, [1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 2]],
    [0n, SECOND, [1 / 2, 1, 1 / 2, 1 / 4, 1 / 2, 1 / 4]],
    [SECOND, HALF, [1 / 2, 1 / 2, 1 / 2, 1 / 3, 1 / 2, 1 / 3]],
    [HALF, SECOND, [1 / 2, 2 / 3, 1 / 2, 1 / 4, 1 / 2, 1 / 4]],
  ]
  const cases = rows.flatMap(([think, pad, expected]) =>
    kinds.map(([finalSeats, limit, count], i) => ({
      think,
      pad,
      finalSeats,
      limit,
      count,
      expected: expected[i] ?? 0,
    })),
  )
  test.each(cases)('think $think, pad $pad, final seats $finalSeats, limit $limit, $count clients', (given) => {
    const { think, pad, finalSeats, limit, count, expected } = given
    const hashes = [1_001_001_001n, 2_002_002_002n].slice(0, count)
    const clients = hashes.map((hash) => client(hash, 1, 25, { think, pad, finalSeats }))
    const scenario = { queuing: queues(9, 8, 3), limit, clients, evaluated: 24n * SECOND }
    expectFair(scenario, { expected: hashes.map(() => expected), margin: 0 })
  })
})

test('UniformFlowsHandSize1', () => {
  const clients = [1_001_001_001n, 2_002_002_002n].map((hash) => client(hash, 8, 20, { think: SECOND - 1n }))
  expectFair({ queuing: queues(9, 8, 1), limit: 4, clients, evaluated: 50n * SECOND }, { margin: 0.01 })
})

test('UniformFlowsHandSize3', () => {
  const clients = [400_900_100_100n, 300_900_200_200n].map((hash) => client(hash, 8, 30, { think: SECOND - 1n }))
  expectFair({ queuing: queues(8, 16, 3), limit: 4, clients, evaluated: 60n * SECOND }, { margin: 0.03 })
})

test('DifferentFlowsExpectEqual', () => {
  const clients = [
    client(1_001_001_001n, 8, 20, { think: SECOND }),
    client(2_002_002_002n, 7, 30, { think: SECOND / 2n }),
  ]
  expectFair({ queuing: queues(9, 8, 1), limit: 4, clients, evaluated: 40n * SECOND }, { margin: 0.01 })
})

test('SeatSecondsRollover: R is moved back exactly 8 times', () => {
  const quarter = 91n * 86_400n * SECOND
  const wide = { exec: quarter, initialSeats: 500 }
  const clients = [
    client(1_001_001_001n, 8, 20, { ...wide, think: quarter }),
    client(2_002_002_002n, 7, 30, { ...wide, think: quarter / 2n }),
  ]
  const scenario = { queuing: queues(9, 8, 1), limit: 2000, clients, evaluated: 40n * quarter }
  const outcome = runFairly(scenario)
  expect(outcome.rejected).toEqual({})
  expect(outcome.epochAdvances).toEqual({ succeeded: 8, failed: 0 })
  expectAverages(outcome.averages, fairSplit(2000, clients.map(demandOf)), 0.01)
})

test('DifferentFlowsExpectUnequal', () => {
  const clients = [
    client(1_001_001_001n, 4, 20, { think: SECOND - 1n }),
    client(2_002_002_002n, 2, 20, { think: SECOND - 1n }),
  ]
  expectFair({ queuing: queues(9, 6, 1), limit: 3, clients, evaluated: 20n * SECOND }, { margin: 0.01 })
})

test('DifferentWidths', () => {
  const clients = [
    client(10_010_010_010_010n, 13, 10, { think: SECOND - 1n }),
    client(20_020_020_020_020n, 7, 10, { think: SECOND - 1n, initialSeats: 2 }),
  ]
  expectFair({ queuing: queues(64, 13, 7), limit: 6, clients, evaluated: 20n * SECOND }, { margin: 0.155 })
})

test('TooWide', () => {
  const narrow = [40_040_040_040_040n, 50_050_050_050_050n, 60_060_060_060_060n, 70_070_070_070_070n]
  const clients = [
    ...narrow.map((hash) => client(hash, 15, 21, { think: SECOND - 1n, initialSeats: 2 })),
    client(90_090_090_090_090n, 15, 21, { think: SECOND - 1n, initialSeats: 7 }),
  ]
  expectFair({ queuing: queues(64, 35, 7), limit: 6, clients, evaluated: 400n * SECOND }, { margin: 0.35 })
})

describe('Windup', () => {
  const clients = [
    client(1_001_001_001n, 2, 40, { think: -1n }),
    client(2_002_002_002n, 2, 40, { think: -1n, split: true }),
  ]
  const scenario = { queuing: queues(9, 6, 1), limit: 3, clients, evaluated: 40n * SECOND }
  const half = fairSplit(3, [2, 2])

  test('is fair while the demand of one client is met, and not too unfair afterwards', () => {
    const outcome = runFairly(scenario)
    expect(outcome.rejected).toEqual({})
    expectAverages(outcome.firstHalf, fairSplit(3, [2, 1]), 0.01)
    expectAverages(outcome.secondHalf, half, 0.26)
  })

  test('is as unfair afterwards as upstream', () => {
    for (const [i, average] of runFairly(scenario).secondHalf.entries()) {
      expect(Math.abs(average - (half[i] ?? 0))).toBeGreaterThan(0.1 * (half[i] ?? 0))
    }
  })
})

test('DifferentFlowsWithoutQueuing: the first client to arrive gets the seats', () => {
  const clients = [
    client(1_001_001_001n, 6, 10, { think: 57_000_000n }),
    client(2_002_002_002n, 4, 15, { think: 750_000_000n }),
  ]
  const outcome = runFairly({ queuing: queues(0, 0, 0), limit: 4, clients, evaluated: 13n * SECOND })
  expect(Object.keys(outcome.rejected)).toEqual(['concurrency-limit'])
  const fair = fairSplit(4, clients.map(demandOf))
  expect(outcome.averages.some((average, i) => Math.abs(average - (fair[i] ?? 0)) > 0.2 * (fair[i] ?? 0))).toBe(true)
})
