import { format } from '../../theme/format.ts'
import { rejectingText, startedText } from '../../../core/compare/notes.ts'
import { createSpells, type Turn } from '../../../core/compare/spells.ts'
import { gapsOf, lateAfterMs } from '../../../core/history/gaps.ts'
import type { LevelSeries, Series } from '../../../core/history/series.ts'
import type { LevelColumn } from '../../../core/history/columns.ts'
import type { Note } from '../../../core/contract/recording.ts'
import { gapsText } from '../../theme/gapWords.ts'

export type ChangeKind = 'reallocated' | 'queueing' | 'calmed' | 'appeared' | 'gone' | 'gap' | Note['kind']

/** The categories that can be shown alone. */
export const CHANGE_FILTERS = ['limits', 'queues and 429', 'alerts', 'configuration', 'server'] as const
export type ChangeFilter = (typeof CHANGE_FILTERS)[number]

export const FILTER_OF: Readonly<Record<ChangeKind, ChangeFilter>> = {
  reallocated: 'limits',
  queueing: 'queues and 429',
  rejecting: 'queues and 429',
  calmed: 'queues and 429',
  alert: 'alerts',
  resolved: 'alerts',
  object: 'configuration',
  reconfigured: 'configuration',
  appeared: 'configuration',
  gone: 'configuration',
  restarted: 'server',
  version: 'server',
  gap: 'server',
}

/** Something that happened within the shown range, in one line. */
export interface Change {
  /** Unix milliseconds. */
  readonly at: number
  readonly kind: ChangeKind
  readonly level?: string
  readonly text: string
}

/** Reallocations that move less than this share of all seats are folded into one line. */
const SMALL_SHARE = 0.02
/** Limits of one reallocation may show up in two consecutive samples (the page is not atomic). */
const SAME_MS = 2_500

type Column = readonly (number | null)[]

interface Move {
  readonly level: string
  readonly from: number
  readonly to: number
}
interface Reallocation {
  readonly at: number
  readonly moves: readonly Move[]
}

export interface ChangeOptions {
  /** Start of the server's process, Unix seconds. */
  readonly startedAt: number | undefined
  /** Recorded events of objects and processes, for all servers and all times. */
  readonly notes?: readonly Note[]
}

/** What changed on one server, newest first. */
export function changesOf(series: Series, { startedAt, notes = [] }: ChangeOptions): readonly Change[] {
  const [from = Infinity] = series.times
  const to = series.times.at(-1) ?? -Infinity
  // The series itself shows the sample at which a level starts to reject.
  const own = notes.filter(
    ({ at, kind, server }) =>
      kind !== 'rejecting' && at >= from && at <= to && (server ?? series.server) === series.server,
  )
  const changes = [
    ...reallocations(series),
    ...series.levels.flatMap((level) => [...begins(series.times, level), ...presence(series, level)]),
    ...gapChanges(series),
    ...own,
    // The newest start is recorded only if the console saw the process before it.
    ...(own.some(({ kind }) => kind === 'restarted') ? [] : restart(series, startedAt)),
  ]
  return changes.toSorted((a, b) => b.at - a.at)
}

function reallocations(series: Series): Change[] {
  const found: Reallocation[] = []
  const lateMs = lateAfterMs(series)
  for (const [index, at] of series.times.entries()) {
    const moves = series.levels.flatMap((level): Move[] => {
      const to = level.columns.current[index] ?? null
      const from = before(series, level.columns.current, index, lateMs)
      return to === null || from === null || from === to ? [] : [{ level: level.name, from, to }]
    })
    const last = found.at(-1)
    if (moves.length === 0) continue
    if (last !== undefined && at - last.at <= SAME_MS) {
      found[found.length - 1] = { at: last.at, moves: joined(last.moves, moves) }
    } else found.push({ at, moves })
  }
  return folded(
    found.filter(({ moves }) => moves.length > 0),
    totalSeats(series),
  )
}

/** The value of the previous sample; `null` across a gap, where no instant of a change is known. */
function before({ times, samples }: Series, column: Column, index: number, lateMs: number): number | null {
  const earliest = (times[index] ?? 0) - lateMs
  for (let i = index - 1; i >= 0 && samples[i] !== 0 && (times[i] ?? 0) >= earliest; i -= 1) {
    const value = column[i] ?? null
    if (value !== null) return value
  }
  return null
}

function joined(a: readonly Move[], b: readonly Move[]): readonly Move[] {
  const moves = new Map(a.map((move) => [move.level, move]))
  for (const move of b) moves.set(move.level, { ...move, from: moves.get(move.level)?.from ?? move.from })
  return [...moves.values()].filter(({ from, to }) => from !== to)
}

const totalSeats = (series: Series) =>
  series.levels.reduce((sum, { columns }) => sum + (columns.nominal.findLast((value) => value !== null) ?? 0), 0)

/** Seats that moved between levels: counted at the gaining levels, or at the losing ones when that is more. */
function movedSeats(moves: readonly Move[]): number {
  const up = moves.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0)
  const down = moves.reduce((sum, { from, to }) => sum + Math.max(0, from - to), 0)
  return Math.max(up, down)
}

function folded(found: readonly Reallocation[], seats: number): Change[] {
  const small = Math.max(1, SMALL_SHARE * seats)
  const changes: Change[] = []
  let run: Reallocation[] = []
  const flush = () => {
    const [only] = run
    const last = run.at(-1)
    if (only !== undefined && run.length === 1) changes.push(spoken(only))
    else if (last !== undefined) {
      const most = Math.max(...run.map(({ moves }) => movedSeats(moves)))
      const text = `${run.length} small reallocations, at most ${format.counted(most, 'seat')} each`
      changes.push({ at: last.at, kind: 'reallocated', text })
    }
    run = []
  }
  for (const one of found) {
    if (movedSeats(one.moves) <= small) run.push(one)
    else {
      flush()
      changes.push(spoken(one))
    }
  }
  flush()
  return changes
}

const MOST_MOVES = 3

function spoken({ at, moves }: Reallocation): Change {
  const sorted = moves.toSorted((a, b) => Math.abs(b.to - b.from) - Math.abs(a.to - a.from))
  const shown = sorted.slice(0, MOST_MOVES).map(({ level, from, to }) => `${level} ${from} → ${to}`)
  const more = sorted.length > MOST_MOVES ? `, and ${sorted.length - MOST_MOVES} more` : ''
  return { at, kind: 'reallocated', text: `reallocated: ${shown.join(', ')}${more}` }
}

const REASON_COLUMNS = [
  ['queueFullRate', 'queue-full'],
  ['concurrencyLimitRate', 'concurrency-limit'],
  ['timeOutRate', 'time-out'],
] as const satisfies readonly (readonly [LevelColumn, string])[]

function begins(times: readonly number[], level: LevelSeries): Change[] {
  const { name, columns } = level
  const queue = spells(times, columns.queuedRequestsMax).map(({ at, begins: start }): Change => {
    return start
      ? { at, kind: 'queueing', level: name, text: `${name} began to queue` }
      : { at, kind: 'calmed', level: name, text: `${name} no longer queues` }
  })
  const rejections = REASON_COLUMNS.flatMap(([column, reason]) =>
    spells(times, columns[column]).map(({ at, begins: start }): Change => {
      return start
        ? { at, kind: 'rejecting', level: name, text: rejectingText(name, reason) }
        : { at, kind: 'calmed', level: name, text: `${name} no longer rejects, ${reason}` }
    }),
  )
  return [...queue, ...rejections]
}

/** The spells of a column, whose empty points carry no information. */
function spells(times: readonly number[], column: Column): readonly Turn[] {
  const turnAt = createSpells()
  return column.flatMap((value, index) => (value === null ? [] : (turnAt(times[index] ?? 0, value) ?? [])))
}

const anyKnown = (series: Series, index: number) =>
  series.levels.some(({ columns }) => (columns.executing[index] ?? columns.nominal[index] ?? null) !== null)

/** A level appears or disappears when others have samples where it has none. */
function presence(series: Series, { name, columns }: LevelSeries): Change[] {
  const known = series.times.map((_, i) => (columns.nominal[i] ?? columns.executing[i] ?? null) !== null)
  const first = known.indexOf(true)
  const last = known.lastIndexOf(true)
  if (first < 0) return []
  const changes: Change[] = []
  const earlier = series.times.findIndex((_, i) => i < first && anyKnown(series, i))
  if (earlier >= 0)
    changes.push({ at: series.times[first] ?? 0, kind: 'appeared', level: name, text: `${name} appeared` })
  const later = series.times.findIndex((_, i) => i > last && anyKnown(series, i))
  if (later >= 0) {
    changes.push({ at: series.times[later] ?? 0, kind: 'gone', level: name, text: `${name} is gone` })
  }
  return changes
}

/** Up to this many gaps get a line each; more are folded into one line, so that they do not hide everything else. */
const MOST_GAPS = 5

/** Stretches without a sample, each at its end. */
function gapChanges(series: Series): Change[] {
  const all = gapsOf(series)
  const lines = all.length > MOST_GAPS ? [all] : all.map((gap) => [gap])
  return lines.map((gaps) => ({ at: gaps.at(-1)?.to ?? 0, kind: 'gap', text: gapsText(gaps) }))
}

function restart(series: Series, startedAt: number | undefined): Change[] {
  const [from] = series.times
  const to = series.times.at(-1)
  const at = startedAt === undefined ? undefined : startedAt * 1_000
  if (at === undefined || from === undefined || to === undefined || at < from || at > to) return []
  return [{ at, kind: 'restarted', text: startedText(series.server) }]
}
