import type { DerivedServer } from '../../../core/frame/derived.ts'
import { REJECT_REASONS, type RejectReason, type ServerFrame } from '../../../core/frame/frame.ts'

/** Requests rejected of one flow schema for one reason within the window. */
export interface RejectionRow {
  readonly server: string
  readonly level: string
  readonly schema: string
  readonly reason: RejectReason
  readonly count: number
  readonly perSecond: number
}

export interface RecentRejections {
  /** Length of the window: at most about ten seconds, less after the start. */
  readonly seconds: number
  /** Most frequent first. */
  readonly rows: readonly RejectionRow[]
}

const WINDOW_MS = 10_000

/**
 * The last frames of one server, ascending, reaching back just far enough for the window. Counters of single schemas
 * are in frames only, and a rate between two samples flickers where rejections are rare.
 */
export type FrameWindow = readonly ServerFrame[]

const timeOf = (frame: ServerFrame) => Date.parse(frame.at)

/** Takes a frame in; a restart or a step back in time starts anew. Returns the same window when nothing is new. */
export function pushFrame(window: FrameWindow, frame: ServerFrame): FrameWindow {
  const newest = window.at(-1)
  if (newest === undefined) return [frame]
  const elapsed = timeOf(frame) - timeOf(newest)
  if (elapsed === 0) return window
  if (elapsed < 0 || frame.startedAt !== newest.startedAt) return [frame]
  const grown = [...window, frame]
  const edge = timeOf(frame) - WINDOW_MS
  const first = grown.findLastIndex((candidate) => timeOf(candidate) <= edge)
  return first > 0 ? grown.slice(first) : grown
}

export type FrameWindows = Readonly<Record<string, FrameWindow>>

/** The same for all servers of a frame; servers that are gone are forgotten. */
export function pushFrames(windows: FrameWindows, servers: readonly ServerFrame[]): FrameWindows {
  const next = Object.fromEntries(servers.map((frame) => [frame.id, pushFrame(windows[frame.id] ?? [], frame)]))
  const same =
    Object.keys(windows).length === servers.length && servers.every((frame) => windows[frame.id] === next[frame.id])
  return same ? windows : next
}

/** What was rejected within the window; absent until two frames with known counters exist. */
export function recentRejections(window: FrameWindow): RecentRejections | undefined {
  const [oldest] = window
  const newest = window.at(-1)
  if (oldest === undefined || newest === undefined || oldest === newest) return undefined
  const seconds = (timeOf(newest) - timeOf(oldest)) / 1_000
  const before = new Map(
    oldest.levels.flatMap((level) => level.schemas.map((schema) => [key(level.name, schema.name), schema.rejected])),
  )
  const rows: RejectionRow[] = []
  let known = newest.levels.length === 0
  for (const level of newest.levels) {
    known ||= level.rejected !== undefined
    for (const schema of level.schemas) {
      if (schema.rejected === undefined) continue
      for (const reason of REJECT_REASONS) {
        const now = schema.rejected[reason]
        // A schema that was not there had rejected nothing; a smaller total means that it counts anew.
        const then = before.get(key(level.name, schema.name))?.[reason] ?? 0
        const count = now >= then ? now - then : now
        if (count <= 0) continue
        const row = { level: level.name, schema: schema.name, reason, count, perSecond: count / seconds }
        rows.push({ server: newest.id, ...row })
      }
    }
  }
  return known ? { seconds, rows: rows.toSorted((a, b) => b.count - a.count || compare(a, b)) } : undefined
}

/** The same from the rates of the last sample alone, until the window holds two frames. */
export function rejectionsOfLastSample({ id, intervalSeconds, levels }: DerivedServer): RecentRejections | undefined {
  const schemas = levels.flatMap((level) => level.schemas)
  const known = schemas.length === 0 || schemas.some(({ rejectedPerSecond }) => rejectedPerSecond !== undefined)
  if (intervalSeconds === undefined || !known) return undefined
  const rows = levels.flatMap((level) =>
    level.schemas.flatMap((schema) =>
      REJECT_REASONS.flatMap((reason): RejectionRow[] => {
        const perSecond = schema.rejectedPerSecond?.[reason] ?? 0
        if (perSecond <= 0) return []
        const count = Math.round(perSecond * intervalSeconds)
        return [{ server: id, level: level.name, schema: schema.name, reason, count, perSecond }]
      }),
    ),
  )
  return { seconds: intervalSeconds, rows: rows.toSorted((a, b) => b.count - a.count || compare(a, b)) }
}

const key = (level: string, schema: string) => `${level}/${schema}`
const compare = (a: RejectionRow, b: RejectionRow) =>
  key(a.level, `${a.schema}/${a.reason}`) < key(b.level, `${b.schema}/${b.reason}`) ? -1 : 1
