import { describe, expect, it } from 'vitest'
import type { PointResult } from '../../core/contract/sweep.ts'
import type { SweepBase } from '../../core/sweep/sweep.ts'
import type { PointsEvent, PointsTask } from '../ports/whatIf.ts'
import { runShards, type Shards } from './shards.ts'

const POINTS = Array.from({ length: 40 }, (_, point) => ({ point, values: [point] }))
const BASE: SweepBase = {
  kind: 'requests',
  arrivals: { startUnixMs: 0, fromNs: 0, endNs: 0, list: [], notes: [] },
  variant: {
    name: 'server',
    objects: { levels: [], schemas: [] },
    maxRequestsInFlight: 1,
    maxMutatingRequestsInFlight: 1,
    servers: 1,
    version: 'v1.36',
    algorithm: 'upstream',
    executionFactor: 1,
  },
}
const FAILED: PointsEvent = { kind: 'failed', problem: { code: 'internal', message: 'The thread of the sweep ended.' } }

/** Threads that end before each point as `dies` specifies. */
function runner(
  dies: (point: number, shard: PointsTask['points']) => boolean,
): Shards['runner'] & { readonly started: number[][] } {
  const started: number[][] = []
  return {
    started,
    points({ points }, emit, signal) {
      started.push(points.map(({ point }) => point))
      queueMicrotask(() => {
        for (const { point, values } of points) {
          if (signal.aborted) return
          if (dies(point, points)) return emit(FAILED)
          emit({ kind: 'point', result: { point, values, results: [point * 2] } })
        }
        emit({ kind: 'done' })
      })
    },
  }
}

async function run(threads: Shards['runner'], more: Partial<Shards> = {}) {
  const results: PointResult[] = []
  const givenUp = await runShards({
    runner: threads,
    base: BASE,
    plan: { parameters: [], results: [] },
    points: POINTS,
    threads: 2,
    onPoint: (result) => void results.push(result),
    signal: new AbortController().signal,
    ...more,
  })
  return { numbers: results.map(({ point }) => point).toSorted((a, b) => a - b), givenUp }
}

const ALL = POINTS.map(({ point }) => point)

describe('shards', () => {
  it('run every point once', async () => {
    expect(await run(runner(() => false))).toEqual({ numbers: ALL, givenUp: [] })
  })

  it('whose thread dies are run again, without the points that are known', async () => {
    let deaths = 0
    const threads = runner((point) => point === 12 && deaths++ < 2)
    expect(await run(threads)).toEqual({ numbers: ALL, givenUp: [] })
    const with12 = threads.started.filter((points) => points.includes(12))
    expect(with12).toEqual([
      [10, 11, 12, 13, 14],
      [12, 13, 14],
      [12, 13, 14],
    ])
  })

  it('that end every thread are given up, and the others are run', async () => {
    const { numbers, givenUp } = await run(runner((point) => point === 12))
    expect(givenUp).toMatchObject([{ points: [12, 13, 14], problem: { message: 'The thread of the sweep ended.' } }])
    expect(numbers).toEqual(ALL.filter((point) => point < 12 || point > 14))
  })

  it('start no further thread after an abort, and resolve', async () => {
    const abort = new AbortController()
    const threads = runner(() => false)
    const onPoint = (): void => abort.abort()
    await run(threads, { signal: abort.signal, onPoint })
    expect(threads.started.length).toBeLessThanOrEqual(2)
  })
})
