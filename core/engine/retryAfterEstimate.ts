import { DroppedRequests } from './reporter.ts'

/** Rejections of one level up to an instant. */
export interface RejectionPoint {
  /** Unix seconds. */
  readonly at: number
  /** Rejections per second since the previous point; `undefined` if unknown. */
  readonly perSecond: number | undefined
}

/**
 * Retry-After never exceeds this, and its memory is twice as long: so much of the past determines the present value.
 */
const MEMORY_SECONDS = 64

/**
 * The Retry-After of a scraped level for rejected requests, from the rates of its rejections (specification 4.14). The
 * server adapts second by second; between two samples the rejections are assumed to be evenly spread. `undefined` if
 * the points begin amid rejections and do not reach back far enough to make the value before them irrelevant, or if
 * they leave out a stretch with unknown rates.
 */
export function estimatedRetryAfter(points: readonly RejectionPoint[]): number | undefined {
  const last = points.at(-1)
  if (last === undefined) return undefined
  const gap = points.findLastIndex(({ perSecond }, i) => i > 0 && perSecond === undefined)
  const known = points.slice(Math.max(0, gap))
  const [first] = known
  const firstDrop = known.find(({ perSecond = 0 }) => perSecond > 0)
  // The value changes only with rejections: without any, it is the one of an unknown time.
  if (first === undefined || firstDrop === undefined) return undefined
  if (last.at - first.at < MEMORY_SECONDS) return undefined
  const dropped = new DroppedRequests()
  let owed = 0
  for (const [i, { at, perSecond = 0 }] of known.entries()) {
    const before = known[i - 1]?.at ?? at - 1
    for (let second = Math.floor(before) + 1; second <= Math.floor(at); second += 1) {
      owed += perSecond
      for (; owed >= 1; owed -= 1) dropped.record('', second)
    }
  }
  return dropped.retryAfter('')
}
