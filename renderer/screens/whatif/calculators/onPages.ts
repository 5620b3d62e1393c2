import type { Definition } from './calculator.logic.ts'
import { LIST_WIDTH, WATCH_START } from './reads.data.ts'
import { PUBLISHING, WATCH_BUCKETS } from './watchCounts.data.ts'
import { EVENT_COST, WRITE_WIDTH } from './writes.data.ts'

/** By the scenario on whose page they stand. */
export const CALCULATORS: Readonly<Partial<Record<string, readonly Definition[]>>> = {
  S9: [LIST_WIDTH],
  S13: [WATCH_START],
  S18: [WRITE_WIDTH, EVENT_COST],
  S19: [WATCH_BUCKETS, PUBLISHING],
}
