/**
 * A gap without samples that is longer than this is a gap of the record, and a newest sample as old as this is stale:
 * three usual intervals, and never less than three seconds, because single samples arrive late. Milliseconds.
 */
export const staleAfterMs = (intervalMs: number): number => Math.max(3 * intervalMs, 3_000)
