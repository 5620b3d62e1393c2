/**
 * Ten million random requests under random configurations (another number with SOAK_REQUESTS): every count must be zero
 * at the end, and memory must not have grown. Fails when one is not.
 */
import { soak } from '../harness/engine/soak.ts'
import { collectGarbage } from './engine/garbage.ts'
import { report, round } from './statistics.ts'

const REQUESTS = Number(process.env['SOAK_REQUESTS'] ?? 10_000_000)
const SEED = 20_261_121
const MEGABYTE = 2 ** 20
/** Variation because of garbage collection and caches. */
const GROWTH_ALLOWED = 16 * MEGABYTE

export function run(): Promise<void> {
  const heap: number[] = []
  const started = performance.now()
  const { leftovers, ...counts } = soak({
    requests: REQUESTS,
    seed: SEED,
    reconfigureEvery: 5_000,
    checkEvery: 10_000,
    onProgress(arrived) {
      if (arrived % (REQUESTS / 10) === 0) heap.push(collectGarbage())
    },
  })
  const [, early = 0] = heap
  const late = heap.at(-1) ?? 0
  report({
    bench: 'soak',
    ...counts,
    seconds: round((performance.now() - started) / 1000, 1),
    leftovers,
    heapMegabytes: heap.map((bytes) => round(bytes / MEGABYTE, 1)),
  })
  if (leftovers.length > 0 || late - early > GROWTH_ALLOWED) process.exitCode = 1
  return Promise.resolve()
}
