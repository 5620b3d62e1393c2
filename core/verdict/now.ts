import type { DumpFrame } from '../frame/dump.ts'
import { createDeriver } from '../frame/derive.ts'
import type { DerivedServer } from '../frame/derived.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { byCodeUnits } from '../text/text.ts'
import { busiestInDump, levelRows, needAttention, recentRejections } from './levelRows.ts'
import type { NowServer } from './levelStatements.ts'

/** Pages of this time contain every window that statements about the present look back on. */
export const NOW_MS = 60_000

/**
 * One server as the headline reads it, from its pages of the last `NOW_MS`, the oldest first, and its newest dump;
 * `undefined` without a page.
 */
export function nowServer(pages: readonly ServerFrame[], dump: DumpFrame | undefined): NowServer | undefined {
  const last = pages.at(-1)
  if (last === undefined) return undefined
  return withBusiest(serverNow(last, pages.map(createDeriver(last.id)).at(-1)), dump)
}

/** The same with the flow that has most of the requests of the worst level. */
export function withBusiest(now: NowServer, dump: DumpFrame | undefined): NowServer {
  const [worst] = needAttention(now.rows)
  return { ...now, flow: worst && busiestInDump(dump, worst.name) }
}

/** One server as the headline reads it, from a page and what was derived from it. */
export const serverNow = (page: ServerFrame, derived: DerivedServer | undefined): NowServer => ({
  id: page.id,
  rows: levelRows(page, derived, byCodeUnits),
  recent: recentRejections(derived),
})
