/**
 * The difference of two clocks, narrowed down from Date headers. One header contains only the second in which the
 * server responded; each response bounds the offset to about a second, and the bounds of many responses intersect to
 * milliseconds.
 */
export interface OffsetBounds {
  readonly low: number
  readonly high: number
}

/**
 * Server clock − own clock, milliseconds, after one more response: requested at `sentAt`, with the header `date` (a
 * full second), read at `receivedAt` (Unix milliseconds of the own clock). Contradictory bounds mean that a clock was
 * set: the bounds start anew.
 */
export function narrowOffset(
  known: OffsetBounds | undefined,
  date: number,
  sentAt: number,
  receivedAt: number,
): OffsetBounds {
  const fresh = { low: date - receivedAt, high: date + 1_000 - sentAt }
  if (known === undefined) return fresh
  const both = { low: Math.max(known.low, fresh.low), high: Math.min(known.high, fresh.high) }
  return both.low <= both.high ? both : fresh
}

export function offsetMs({ low, high }: OffsetBounds): number {
  return Math.round((low + high) / 2)
}
