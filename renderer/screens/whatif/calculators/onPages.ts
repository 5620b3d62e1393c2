import type { Definition } from './calculator.logic.ts'
import { PUBLISHING, WATCH_BUCKETS } from './watchCounts.data.ts'
import { EVENT_COST, WRITE_WIDTH } from './writes.data.ts'

/** By the scenario on whose page they stand. */
export const CALCULATORS: Readonly<Partial<Record<string, readonly Definition[]>>> = {
  S18: [WRITE_WIDTH, EVENT_COST],
  S19: [WATCH_BUCKETS, PUBLISHING],
}
