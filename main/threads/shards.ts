import type { Problem } from '../../core/errors.ts'
import type { PointResult } from '../../core/contract/sweep.ts'
import type { PointsTask, SweepRunner } from '../ports/whatIf.ts'

export interface Shards extends PointsTask {
  readonly runner: Pick<SweepRunner, 'points'>
  /** Threads that run at a time. */
  readonly threads: number
  /** Called for each point as soon as it is computed. */
  readonly onPoint: (result: PointResult) => void
  readonly signal: AbortSignal
}

/** Points that were given up, and why the last thread that tried them ended. */
export interface GivenUp {
  readonly points: readonly number[]
  readonly problem: Problem
}

/** Runs of a shard at most; it is run again when its thread ended before its last point. */
const MOST_TRIES = 3
/** Shards for each thread: few enough that starting threads takes little time, enough that all end at about the same time. */
const SHARDS_OF_THREAD = 4
/** Points of a shard at most, which bounds the work that is lost with a thread. */
const MOST_POINTS = 200

interface Shard {
  readonly points: PointsTask['points']
  readonly tries: number
}

/**
 * Runs points in several threads, in shards of neighbouring points. When a thread ends early, the missing points of its
 * shard are run again. Resolves to what was given up; after an abort without waiting for the rest.
 */
export async function runShards({
  runner,
  base,
  plan,
  points,
  threads,
  onPoint,
  signal,
}: Shards): Promise<readonly GivenUp[]> {
  const length = Math.max(1, Math.min(MOST_POINTS, Math.ceil(points.length / (threads * SHARDS_OF_THREAD))))
  const waiting: Shard[] = []
  for (let from = 0; from < points.length; from += length)
    waiting.push({ points: points.slice(from, from + length), tries: 0 })
  const givenUp: GivenUp[] = []

  /**
   * Resolves to a problem if the thread of the shard ended early; the missing points are then in the queue again or
   * given up.
   */
  const run = (shard: Shard): Promise<Problem | undefined> => {
    const { promise, resolve } = Promise.withResolvers<Problem | undefined>()
    const missing = new Set(shard.points)
    const ended = (problem: Problem | undefined): void => {
      signal.removeEventListener('abort', stop)
      if (problem !== undefined) requeue([...missing], shard.tries + 1, problem)
      resolve(problem)
    }
    const stop = (): void => ended(undefined)
    signal.addEventListener('abort', stop, { once: true })
    runner.points(
      { base, plan, points: shard.points },
      (event) => {
        if (event.kind === 'failed') return ended(event.problem)
        if (event.kind === 'done') return ended(undefined)
        const known = shard.points.find(({ point }) => point === event.result.point)
        if (known !== undefined) missing.delete(known)
        return onPoint(event.result)
      },
      signal,
    )
    return promise
  }
  const requeue = (rest: PointsTask['points'], tries: number, problem: Problem): void => {
    if (rest.length === 0) return
    if (tries < MOST_TRIES) waiting.unshift({ points: rest, tries })
    else givenUp.push({ points: rest.map(({ point }) => point), problem })
  }
  const worker = async (): Promise<void> => {
    for (let shard = waiting.shift(); shard !== undefined && !signal.aborted; shard = waiting.shift()) await run(shard)
  }
  await Promise.all(Array.from({ length: threads }, worker))
  return givenUp
}
