import type { Histogram, ServerFrame } from '../frame/frame.ts'
import { createFrameBuilder } from '../metrics/buildFrame.ts'
import { FAMILY } from '../metrics/familyNames.ts'
import type { Page } from '../metrics/page.ts'
import { MS_PER_SECOND, type UnixMs } from '../units.ts'

/** A flow schema in a priority level, as named by both an engine and a server's metrics. */
export interface Lane {
  readonly level: string
  readonly schema: string
}

/** Times of requests in a server's histograms, as of a scrape. */
export interface ReportedTimes {
  readonly atMs: UnixMs
  /** When the process began, Unix milliseconds: the histograms count from then. */
  readonly startedMs: number | undefined
  /** Total seconds that requests have waited until they were dispatched or their wait timed out. */
  readonly waitedSeconds: number
  /** Seconds of execution of requests other than watches. */
  readonly lanes: readonly (Lane & { readonly execution: Histogram })[]
}

/** Families to parse from a page. */
export const TIME_FAMILIES: ReadonlySet<string> = new Set([FAMILY.wait, FAMILY.execution, FAMILY.startedAt])

/** Reads the pages of one server; `undefined` for one without executions. */
export function createTimesReader(): (page: Page, atMs: UnixMs) => ReportedTimes | undefined {
  const build = createFrameBuilder({ id: '' })
  return (page, atMs) => (page.families.has(FAMILY.execution) ? timesOf(build(page, { at: '' }), atMs) : undefined)
}

export function timesOf({ levels, startedAt }: ServerFrame, atMs: UnixMs): ReportedTimes {
  const lanes = levels.flatMap(({ name: level, schemas }) =>
    schemas.map(({ name: schema, execution, wait }) => ({ level, schema, execution, wait })),
  )
  return {
    atMs,
    startedMs: startedAt === undefined ? undefined : startedAt * MS_PER_SECOND,
    waitedSeconds: lanes.reduce((sum, { wait }) => sum + (wait?.sum ?? 0), 0),
    lanes: lanes.flatMap(({ level, schema, execution }) =>
      execution === undefined ? [] : [{ level, schema, execution }],
    ),
  }
}
