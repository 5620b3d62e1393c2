/**
 * The engine, beside upstream's Go in the same run (through the oracle's `bench`, which needs Go): the two take turns,
 * so that other work on the machine affects both alike. Every number is the median of nine.
 *
 * - `queue-set`: arrival, dispatch and finish of one request while all seats are taken and 1,000 requests wait.
 * - `solver`, `deal`, `flow-hash`: one call.
 * - `whole-engine`: everything that happens to one request, with the default objects, classified and estimated.
 * - `memory`: bytes for each waiting request beyond the caller's own objects.
 */
import { type SaturatedQueueSet, timeQueueSet } from './engine/queueSetBench.ts'
import { timeDeal, timeFlowHash, timeSolver } from './engine/smallBench.ts'
import { type Upstream, upstream } from './engine/upstream.ts'
import { bytesPerWaiting, wholeEngine } from './engine/wholeEngineBench.ts'
import { median, report, round } from './statistics.ts'

const RUNS = 9
const WARM_UP = 3

interface Comparison {
  readonly name: string
  /** Nanoseconds of one operation. */
  readonly ours: () => number
  readonly theirs: readonly string[]
  /** At least this many times as fast as upstream. */
  readonly goal?: number
}

const queueSet = (set: SaturatedQueueSet, theirRequests: number, goal: number): Comparison => ({
  name: `queue-set ${set.queues} queues, hand ${set.handSize}, limit ${set.limit}`,
  ours: () => timeQueueSet(set, 200_000),
  theirs: [
    'queueset',
    ...Object.entries({ requests: theirRequests, flows: 1000, queues: set.queues, hand: set.handSize }).flatMap(
      ([flag, value]) => [`--${flag}`, String(value)],
    ),
    '--limit',
    String(set.limit),
    '--backlog',
    '1000',
  ],
  goal,
})

const COMPARISONS: readonly Comparison[] = [
  queueSet({ queues: 64, handSize: 8, limit: 49 }, 50_000, 5),
  queueSet({ queues: 512, handSize: 6, limit: 600 }, 15_000, 30),
  queueSet({ queues: 4096, handSize: 5, limit: 600 }, 6_000, 100),
  ...[8, 30, 200].map((items) => ({
    name: `solver ${items} levels`,
    ours: () => timeSolver(items),
    theirs: ['solver', '--items', String(items), '--calls', String(Math.ceil(300_000 / items))],
    goal: 1,
  })),
  {
    name: 'deal 8 of 64',
    ours: () => timeDeal(64, 8),
    theirs: ['shard', '--queues', '64', '--hand', '8', '--calls', '2000000'],
    goal: 0.5,
  },
  { name: 'flow-hash', ours: timeFlowHash, theirs: ['flowhash', '--calls', '500000'] },
]

function compare({ name, ours, theirs, goal }: Comparison, other: Upstream | string): void {
  for (let i = 0; i < WARM_UP; i++) ours()
  const own: number[] = []
  const others: number[] = []
  for (let i = 0; i < RUNS; i++) {
    own.push(ours())
    if (typeof other !== 'string') others.push(other(theirs))
  }
  const nsPer = median(own)
  const beside =
    others.length === 0
      ? {}
      : { upstreamNsPer: round(median(others), 0), timesAsFast: round(median(others) / nsPer, 2) }
  report({ bench: 'engine', case: name, runs: RUNS, nsPer: round(nsPer, 0), ...beside, ...(goal && { goal }) })
}

function measureWholeEngine(flows: number): void {
  const engine = wholeEngine(flows)
  engine.run(Math.max(300_000, 4 * flows))
  const ns = median(Array.from({ length: RUNS }, () => engine.run(200_000)))
  report({
    bench: 'engine',
    case: `whole-engine ${flows} flows`,
    runs: RUNS,
    nsPer: round(ns, 0),
    requestsPerSecond: round(1e9 / ns, 0),
    goal: 500_000,
    makingRequestsNs: round(median(Array.from({ length: RUNS }, () => engine.make(200_000))), 0),
    waited: round(engine.waited(), 3),
    rejected: round(engine.rejected(), 3),
  })
}

export async function run(): Promise<void> {
  const other = await upstream()
  if (typeof other === 'string') report({ bench: 'engine', case: 'upstream', skipped: other })
  for (const comparison of COMPARISONS) compare(comparison, other)
  for (const flows of [1_000, 10_000, 100_000, 1_000_000]) measureWholeEngine(flows)
  const bytes = median(Array.from({ length: RUNS }, () => bytesPerWaiting(200_000)))
  report({ bench: 'engine', case: 'memory', runs: RUNS, bytesPerWaitingRequest: round(bytes, 0), goal: 200 })
}
