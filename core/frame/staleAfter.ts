/**
 * A silence longer than this is a gap of the record, and a newest sample as old as this is stale: three usual intervals, and
 * never less than three seconds, because single samples come late. Milliseconds.
 */
export const staleAfterMs = (intervalMs: number): number => Math.max(3 * intervalMs, 3_000)
