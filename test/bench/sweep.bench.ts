/**
 * A sweep over all cores: 100 points, each of which gives 100,000 requests of 200 users to a server of its own, 10,000,000
 * in all. Threads, their start and the copies of the requests for them included. Compared with the goal is the processor time
 * of each thread, which other work on the machine stretches less than the time by the clock.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { NEWEST_VERSION } from '../../core/engine/profiles.ts'
import { pointAt, pointCount } from '../../core/sweep/points.ts'
import type { SweepBase, SweepPlan } from '../../core/sweep/sweep.ts'
import { defaultVariant } from '../../core/whatif/variant.ts'
import { runShards } from '../../main/threads/shards.ts'
import { whatIfInThread } from '../../main/threads/whatIf.ts'
import { report, round } from './statistics.ts'
import { arrivals, REQUESTS } from './whatif/arrivals.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Seconds: 60 on four cores or more, 120 on two. */
const GOAL = availableParallelism() >= 4 ? 60 : 120

const PLAN: SweepPlan = {
  name: 'bench',
  parameters: [
    { of: undefined, field: 'maxRequestsInFlight', values: Array.from({ length: 10 }, (_, at) => 200 + 40 * at) },
    {
      of: { kind: 'level', name: 'workload-low' },
      field: 'nominalConcurrencyShares',
      values: Array.from({ length: 10 }, (_, at) => 50 + 20 * at),
    },
  ],
  search: { kind: 'grid' },
  results: [{ of: undefined, measure: 'offered' }],
}

export async function run(): Promise<void> {
  const variant = defaultVariant('server', builtInObjects(NEWEST_VERSION))
  const base: SweepBase = { kind: 'requests', arrivals: arrivals(), variant }
  const points = Array.from({ length: pointCount(PLAN) }, (_, point) => ({ point, values: pointAt(PLAN, point) }))
  const threads = availableParallelism()
  let requests = 0
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  const lost = await runShards({
    runner: whatIfInThread({
      file: join(ROOT, 'main/threads/whatIfThread.ts'),
      scenarioFolder: join(ROOT, 'assets/scenarios'),
    }),
    base,
    plan: PLAN,
    points,
    threads,
    onPoint: ({ results }) => void (requests += results?.[0] ?? 0),
    signal: new AbortController().signal,
  })
  const wall = (performance.now() - started) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (user + system) / 1e6 / threads
  report({
    name: 'sweep',
    points: points.length,
    requests,
    threads,
    wallSeconds: round(wall, 1),
    cpuSecondsOfThread: round(seconds, 1),
    requestsPerCpuSecond: round(requests / seconds / threads, 0),
    goalSeconds: GOAL,
    ok: seconds < GOAL && lost.length === 0 && requests === points.length * REQUESTS,
  })
}
