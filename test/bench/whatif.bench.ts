/**
 * What-if runs: 100,000 requests of 200 users in 100 s, which fill a level's queues from time to time, under a baseline and one
 * candidate with half the seats, results and the first decision that differs included. Median of five,
 * beside the engines alone in the same run.
 */
import { builtInObjects } from '../../core/config/builtIn.ts'
import { NEWEST_VERSION } from '../../core/engine/profiles.ts'
import { Run } from '../../core/run/run.ts'
import type { Arrivals } from '../../core/whatif/arrivals.ts'
import { defaultVariant, engineOptions, type Variant } from '../../core/whatif/variant.ts'
import { whatIf } from '../../core/whatif/whatif.ts'
import { median, report, round } from './statistics.ts'
import { arrivals, REQUESTS } from './whatif/arrivals.ts'

const RUNS = 5
/** Seconds. */
const GOAL = 1

/** Processor time, which other work on the machine stretches less, and wall time; seconds. */
interface Timed {
  readonly cpu: number
  readonly wall: number
}

function timed(work: () => void): Timed {
  const before = process.cpuUsage()
  const started = performance.now()
  work()
  const { user, system } = process.cpuUsage(before)
  return { cpu: (user + system) / 1e6, wall: (performance.now() - started) / 1_000 }
}

/** The same requests through the engines alone, without results. */
function bare({ list, endNs, startUnixMs }: Arrivals, variants: readonly Variant[]): void {
  for (const variant of variants) {
    const engine = new Run<number>(engineOptions(variant, startUnixMs, endNs))
    engine.configure(variant.objects)
    for (const { atNs, request, executionNs } of list) {
      engine.moveTo(atNs)
      engine.lasted(engine.arrive(request, 0), { durationNs: executionNs })
    }
    engine.moveTo(endNs)
  }
}

export function run(): Promise<void> {
  const given = arrivals()
  const baseline = defaultVariant('baseline', builtInObjects(NEWEST_VERSION))
  const half = { ...baseline, name: 'half', maxRequestsInFlight: 200, maxMutatingRequestsInFlight: 100 }
  const times: { readonly ours: Timed[]; readonly engines: Timed[] } = { ours: [], engines: [] }
  // The first is for the compiler.
  for (let i = 0; i <= RUNS; i++) {
    const ours = timed(() => {
      if (whatIf(given, baseline, [half]) === undefined) throw new Error('nobody ended the run')
    })
    const engines = timed(() => bare(given, [baseline, half]))
    if (i === 0) continue
    times.ours.push(ours)
    times.engines.push(engines)
  }
  const [cpu, wall, engines] = [
    median(times.ours.map((one) => one.cpu)),
    median(times.ours.map((one) => one.wall)),
    median(times.engines.map((one) => one.cpu)),
  ]
  report({
    name: 'whatif',
    requests: REQUESTS,
    variants: 2,
    cpuSeconds: round(cpu, 3),
    wallSeconds: round(wall, 3),
    enginesAloneCpuSeconds: round(engines, 3),
    ratio: round(cpu / engines, 2),
    goalSeconds: GOAL,
    ok: cpu < GOAL,
  })
  return Promise.resolve()
}
