import { isOfRun, MS_PER_DAY, unixMsOf } from '../../core/units.ts'
import { absolute, bounds, LONGEST, textToWindow, type ParsedWindow, type TimeWindow } from './time.logic.ts'

/** What a typed time without a date or a zone is relative to. */
export interface Wall {
  /** Unix milliseconds; of a run, times are seconds since its start. */
  readonly now: number
  readonly zone: 'utc' | 'local'
  /** When the latest known alert fired, Unix milliseconds; absent without one. */
  readonly lastAlert?: number | undefined
}

/** A range, and the instant in it after an “@”, Unix milliseconds. */
export type ParsedRange = Refused | { ok: true; window: TimeWindow; at?: number }
type Refused = Extract<ParsedWindow, { ok: false }>

/** A day of the calendar, and the milliseconds since its midnight if a time was given. */
interface Written {
  readonly day: Day | undefined
  readonly ms: number | undefined
  /** The instant itself, for a text with a zone. */
  readonly instant?: number
}
interface Day {
  readonly year: number
  readonly month: number
  readonly date: number
}

/** Time shown before and after a single instant, milliseconds. */
const AROUND_MS = 300_000
/** A longer text is no range, but may be a line of a log up to the second limit. */
const MOST_CHARACTERS = 200
const MOST_OF_A_LOG = 10_000
const HOUR_MS = 3_600_000

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, min: 60_000, h: HOUR_MS, d: MS_PER_DAY }

const HELP =
  'Write a range as “-6h”, “yesterday 14:00 to 15:00”, “2026-11-20 03:00 to 04:00” or “03:00 + 10m”, or a time alone.'
const HELP_OF_RUN = 'Write a range of a run as “30 s to 2 min”, “30 s + 10 s” or “last 60 s”, or a time alone.'
const NO_ALERT = 'No alert of this source is known.'
const OUTSIDE = 'The time after “@” is outside the range.'

/**
 * A range as people write it: `-6h`, `yesterday`, `yesterday 14:00`, `14:00 to 15:30`, `2026-11-20 03:00 to 04:00`,
 * `03:02:48 + 10m`, `2m around 03:07:20`, `last alert`, `-6h to -5h`, and whatever `textToWindow` reads. A time alone,
 * including the first one in a line of a log, is shown with 5 min before and after it. An end without a date is on the
 * day of the start, or on the next one if it would be earlier. An instant after `@` is one in that range, or the time
 * alone if there is no range. Times of a run are `12 s`, and so are those that it shows.
 */
export function readRange(text: string, clock: Wall): ParsedRange {
  if (text.length > MOST_OF_A_LOG) return { ok: false, why: helpOf(clock) }
  // The zone as the console writes it.
  const [, zone] = /\s(utc|local time)\b/i.exec(text) ?? []
  const wall: Wall = zone === undefined ? clock : { ...clock, zone: zone.toLowerCase() === 'utc' ? 'utc' : 'local' }
  const trimmed = text.replaceAll(/\s(?:utc|local time)\b/gi, '').trim()
  const [, range, chosen] = /^([^@]*)@([^@]+)$/.exec(trimmed) ?? []
  const read = range === undefined || chosen === undefined ? readWindow(trimmed, wall) : readChosen(range, chosen, wall)
  if (read?.ok === true) return read
  const logged = timeInLog(trimmed, wall)
  if (logged !== undefined) return around(logged, wall)
  const lacksAlert = wall.lastAlert === undefined && /last\s+alert/i.test(trimmed)
  return read ?? { ok: false, why: lacksAlert ? NO_ALERT : helpOf(wall) }
}

/** An instant in the same notation: the one that a range names, or its start. */
export function readInstant(text: string, wall: Wall): { readonly ok: true; readonly at: number } | Refused {
  const read = readRange(text, wall)
  return read.ok ? { ok: true, at: read.at ?? bounds(read.window, wall.now).from } : read
}

const helpOf = ({ now }: Wall): string => (isOfRun(now) ? HELP_OF_RUN : HELP)

/** Without a date the instant is the first such time in the range. */
function readChosen(range: string, chosen: string, wall: Wall): ParsedRange | undefined {
  const written = chosen.length > MOST_CHARACTERS ? undefined : readWritten(chosen, wall)
  const dated = instantOf(written, wall)
  if (written === undefined || dated === undefined) return undefined
  const found = range.trim() === '' ? around(dated, wall) : readWindow(range.trim(), wall)
  if (found?.ok !== true) return found
  const { window } = found
  const { from, to } = bounds(window, wall.now)
  const isDated = written.instant !== undefined || written.day !== undefined
  const instant = isDated ? dated : endAfter(from - 1, written, written, wall)
  return instant < from || instant > to ? { ok: false, why: OUTSIDE } : { ok: true, window, at: instant }
}

/** `undefined` for a text that is no range. */
function readWindow(trimmed: string, wall: Wall): ParsedRange | undefined {
  if (trimmed.length > MOST_CHARACTERS) return undefined
  // Of a run, `60 s` is an instant.
  const plain = isOfRun(wall.now) && !/^last/i.test(trimmed) ? undefined : textToWindow(trimmed)
  if (plain?.ok === true) return plain
  const back = /^[-−](\d{1,9})\s*(s|m|min|h|d)$/i.exec(trimmed)
  if (back !== null) return textToWindow(`${Math.round(amountMs(back[1], back[2]) / 1_000)} s`)
  const named = /^(?:(\d{1,9})\s*(s|m|min|h|d)\s+)?around\s+(.+)$/i.exec(trimmed)
  if (named !== null) {
    const [, amount, unit, middle = ''] = named
    const instant = instantIn(middle, wall)
    return instant === undefined
      ? undefined
      : around(instant, wall, amount === undefined ? AROUND_MS : amountMs(amount, unit))
  }
  const length = /^(.+?)\s*\+\s*(\d{1,9})\s*(s|m|min|h|d)$/i.exec(trimmed)
  if (length !== null) {
    const from = instantIn(length[1] ?? '', wall)
    return from === undefined ? undefined : rangeOf(from, from + amountMs(length[2], length[3]))
  }
  // A dash that joins two times has blanks around it or is between two clock times; one within a date is not.
  const [first = '', second, ...more] = trimmed.split(/\s+to\s+|\s+[-–]\s+|\/|–|(?<=:\d\d)-(?=\d\d?:)/i)
  const start = readWritten(first, wall)
  const from = instantOf(start, wall)
  if (more.length > 0 || start === undefined || from === undefined) return undefined
  if (second === undefined) return alone(start, from, wall)
  const end = readWritten(second, wall)
  return end && rangeOf(from, endAfter(from, start, end, wall))
}

const instantIn = (text: string, wall: Wall): number | undefined => instantOf(readWritten(text, wall), wall)

const amountMs = (amount = '', unit = ''): number => Number(amount) * (UNIT_MS[unit.toLowerCase()] ?? 1_000)

function rangeOf(from: number, to: number): ParsedWindow {
  if (to <= from) return { ok: false, why: 'The range ends before it starts.' }
  if (to - from > LONGEST) return { ok: false, why: 'A range is at most 24 h long.' }
  return { ok: true, window: absolute(from, to) }
}

/** The instant itself is the one that is shown. */
function around(instant: number, { now }: Wall, halfMs = AROUND_MS): ParsedRange {
  // Nothing is known of the time after now, and there is none before a run.
  const read = rangeOf(
    isOfRun(now) ? Math.max(0, instant - halfMs) : instant - halfMs,
    instant <= now ? Math.min(instant + halfMs, now) : instant + halfMs,
  )
  return read.ok ? { ...read, at: instant } : read
}

/** A whole day, up to now; for a time, the range around it. */
function alone(start: Written, from: number, wall: Wall): ParsedRange {
  if (start.ms !== undefined || start.day === undefined) return around(from, wall)
  // Days on which clocks change are an hour longer or shorter.
  const end = Math.min(at(nextDay(start.day), 0, wall.zone), from + LONGEST)
  return from < wall.now ? rangeOf(from, Math.min(end, wall.now)) : rangeOf(from, end)
}

/** Without its own day the end is on the day of the start, or on the next one if it would be earlier. */
function endAfter(from: number, start: Written, end: Written, wall: Wall): number {
  if (end.instant !== undefined) return end.instant
  const { ms = 0 } = end
  if (end.day !== undefined) {
    // A day alone at the end includes all of its hours.
    return end.ms === undefined ? at(nextDay(end.day), 0, wall.zone) : at(end.day, ms, wall.zone)
  }
  const day = start.day ?? dayOf(from, wall.zone)
  const same = at(day, ms, wall.zone)
  return same > from ? same : at(nextDay(day), ms, wall.zone)
}

function instantOf(written: Written | undefined, wall: Wall): number | undefined {
  if (written === undefined) return undefined
  const { day, ms = 0, instant } = written
  if (instant !== undefined) return instant
  if (day !== undefined) return at(day, ms, wall.zone)
  const today = dayOf(wall.now, wall.zone)
  const then = at(today, ms, wall.zone)
  // A time that has not passed today is yesterday's.
  return then <= wall.now ? then : at(previousDay(today), ms, wall.zone)
}

/** Times in RFC 3339 and related formats, and in klog's, which has neither year nor zone. */
const LOGGED = /\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?(Z|[+-]\d\d:?\d\d)?/
const KLOG = /\b[IWEF](\d\d)(\d\d) (\d\d:\d\d:\d\d)\.\d/

/** The first timestamp in a line that contains more than a time. */
function timeInLog(line: string, wall: Wall): number | undefined {
  if (line.length > MOST_OF_A_LOG) return undefined
  const [stamp, date, time = '', zone] = LOGGED.exec(line) ?? []
  if (stamp !== undefined && stamp.length < line.length) {
    const zoned = zone === undefined ? `${date} ${time}` : `${date}T${time}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`
    return instantIn(zoned, wall)
  }
  const [, month, day, clock = ''] = KLOG.exec(line) ?? []
  if (month === undefined) return undefined
  const { year } = dayOf(wall.now, wall.zone)
  const [latest, before] = [year, year - 1].map((of) => instantIn(`${of}-${month}-${day} ${clock}`, wall))
  return latest === undefined || latest > wall.now ? before : latest
}

const CLOCK = /^(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?$/

const LAST_ALERT = /^(?:the\s+)?last\s+alert$/i
/** Before now, or after the start of a run; whole numbers are grouped on the screen. */
const AMOUNT = /^([-−]?\d[\d\u202f ]*(?:\.\d+)?)\s*(s|m|min|h|d)$/i

function readWritten(text: string, wall: Wall): Written | undefined {
  const trimmed = text.trim()
  const [, amount, unit] = AMOUNT.exec(trimmed) ?? []
  if (LAST_ALERT.test(trimmed)) return exactly(wall.lastAlert)
  if (/^now$/i.test(trimmed)) return exactly(wall.now)
  if (amount !== undefined) {
    const ms = Math.round(amountMs(amount.replace('−', '-').replaceAll(/\s/g, ''), unit))
    return isOfRun(wall.now) ? exactly(ms) : ms < 0 ? exactly(wall.now + ms) : undefined
  }
  if (isOfRun(wall.now)) return undefined
  if (/^\d{4}-\d\d-\d\d[t ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(z|[+-]\d\d:\d\d)$/i.test(trimmed)) {
    const instant = unixMsOf(trimmed.replace(' ', 'T'))
    return Number.isNaN(instant) ? undefined : exactly(instant)
  }
  const [, word, rest = ''] = /^(today|yesterday|\d{4}-\d\d-\d\d)(?:[t ]\s*(.*))?$/i.exec(trimmed) ?? []
  const day = word === undefined ? undefined : readDay(word.toLowerCase(), wall)
  if (word !== undefined && day === undefined) return undefined
  const time = word === undefined ? trimmed : rest.trim()
  if (time === '') return day === undefined ? undefined : { day, ms: undefined }
  const [, hours, minutes, seconds = '0'] = CLOCK.exec(time) ?? []
  if (hours === undefined || Number(hours) > 24 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const ms = Number(hours) * HOUR_MS + Number(minutes) * 60_000 + Number(seconds) * 1_000
  return ms > MS_PER_DAY ? undefined : { day, ms }
}

const exactly = (instant: number | undefined): Written | undefined =>
  instant === undefined ? undefined : { day: undefined, ms: undefined, instant }

function readDay(word: string, wall: Wall): Day | undefined {
  const today = dayOf(wall.now, wall.zone)
  if (word === 'today') return today
  if (word === 'yesterday') return previousDay(today)
  const [year = 0, month = 0, date = 0] = word.split('-').map(Number)
  const day = { year, month, date }
  const real = new Date(Date.UTC(year, month - 1, date))
  return real.getUTCMonth() === month - 1 && real.getUTCDate() === date ? day : undefined
}

function dayOf(instant: number, zone: Wall['zone']): Day {
  const date = new Date(instant)
  return zone === 'utc'
    ? { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, date: date.getUTCDate() }
    : { year: date.getFullYear(), month: date.getMonth() + 1, date: date.getDate() }
}

const nextDay = ({ year, month, date }: Day): Day => dayOf(Date.UTC(year, month - 1, date + 1), 'utc')
const previousDay = ({ year, month, date }: Day): Day => dayOf(Date.UTC(year, month - 1, date - 1), 'utc')

/**
 * The time when the clock of that day shows `ms`: on a day on which clocks change that is not the time since midnight.
 */
function at({ year, month, date }: Day, ms: number, zone: Wall['zone']): number {
  if (zone === 'utc') return Date.UTC(year, month - 1, date) + ms
  return new Date(year, month - 1, date, 0, 0, ms / 1_000).getTime()
}
