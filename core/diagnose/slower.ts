import type { ClientUse } from '../verdict/ledger.ts'

/** The factor by which execution times must have grown to count as slower, and the seconds below which that is noise. */
const SLOWER = 2
const LEAST_SLOWER = 0.02
/** Fewer requests in dumps say nothing about how long those of a client take. */
const FEWEST_EXECUTING = 8

interface Named {
  readonly name: string
  readonly uses: readonly ClientUse[]
}

export interface Executions {
  readonly was: number
  readonly is: number
}

export const isSlower = ({ was, is }: Executions): boolean => is >= SLOWER * was && is - was >= LEAST_SLOWER

/**
 * How long requests of the same clients had executed in dumps, now and before; whoever came since, or is left out, does
 * not count. `undefined` where dumps show too few of them.
 */
export function sameClients(
  is: readonly Named[],
  was: readonly Named[],
  left: ReadonlySet<string>,
): Executions | undefined {
  const earlier = new Map(was.map(({ name, uses }) => [name, uses]))
  const sums = { now: { seen: 0, seconds: 0 }, before: { seen: 0, seconds: 0 } }
  const add = (to: typeof sums.now, uses: readonly ClientUse[]): void => {
    for (const { seenExecuting, seconds = 0 } of uses) {
      to.seen += seenExecuting
      to.seconds += seenExecuting * seconds
    }
  }
  for (const { name, uses } of is) {
    const before = earlier.get(name)
    if (before === undefined || left.has(name)) continue
    add(sums.now, uses)
    add(sums.before, before)
  }
  const { now, before } = sums
  return Math.min(now.seen, before.seen) < FEWEST_EXECUTING
    ? undefined
    : { is: now.seconds / now.seen, was: before.seconds / before.seen }
}
