import { plural, type Format } from '../text/format.ts'
import { REJECT_REASONS } from '../frame/reading.ts'
import type { LikelyCause } from './cause.ts'
import type { RangeLevel, RangeFacts } from '../history/range.ts'
import type { UnixMs } from '../units.ts'
import { REASON_TEXT } from './rejectReasons.ts'
import { type BusiestFlow, totalsOf, type LevelRow, type RecentRejections } from './levelRows.ts'

/** One shown level of one server. */
export interface Case {
  readonly servers: readonly NowServer[]
  readonly server: NowServer
  readonly row: LevelRow
  /** The dialect in which it is said. */
  readonly format: Format
}

/** Begins what is said of an instant of the past, in the same words as of the present. */
export const atInstant = ({ instant }: Pick<NowServer, 'instant'>, format: Format): string =>
  instant === undefined ? '' : `At ${format.time(instant)}: `

const isFull = ({ seats: { executing, current } }: LevelRow) =>
  executing !== undefined && current !== undefined && executing >= current

/** ` on apiserver-a`, only where several servers are shown. */
const place = ({ servers, server }: Case) => (servers.length > 1 ? ` on ${server.id}` : '')

const open = ({ row, server }: Case): NowAction => ({ kind: 'open-level', level: row.name, server: server.id })
const explain = ({ row, server }: Case): NowAction => ({ kind: 'explain-limit', level: row.name, server: server.id })

/** Seats do not move between servers, so idle ones elsewhere do not help. */
function elsewhere({ servers, server, format }: Case): string {
  const idle = servers
    .filter(({ id }) => id !== server.id)
    .map(({ rows }) => totalsOf(rows))
    .map(({ nominal, executing }) =>
      nominal === undefined || executing === undefined ? undefined : nominal - executing,
    )
  const known = idle.filter((n) => n !== undefined)
  if (known.length === 0 || known.length < idle.length || known.every((n) => n <= 0)) return ''
  const most = Math.max(...known)
  const who = plural(known.length, 'The other server has', 'Another server has')
  return ` ${who} ${seats(format, most)} idle, but limits are per server and seats do not move between servers.`
}

export function rejecting(about: Case): Told {
  const { row, server, format } = about
  const by = row.rejectedBy
  const reasons = REJECT_REASONS.filter((reason) => (by?.[reason] ?? 0) > 0).toSorted(
    (a, b) => (by?.[b] ?? 0) - (by?.[a] ?? 0),
  )
  const [main] = reasons
  const detail = reasons.map((reason) => `${reason} ${format.rate(by?.[reason])}`).join(', ')
  const cause = main === undefined ? '' : REASON_TEXT[main]
  const idle = elsewhere(about).trim()
  const own = server.range?.levels.find(({ name }) => name === row.name)
  const range = server.range === undefined || !own?.rejected ? '' : rejectedInRange(format, own.rejected, server.range)
  return {
    tone: 'trouble',
    level: row.name,
    title: `${row.name} is ${isFull(about.row) ? 'full and rejecting' : 'rejecting'}${place(about)}.`,
    evidence: [
      {
        short: `${detail}${fromSchema(about)}.`,
        full: `${detail} answered 429 in ${theLast(format, [server])}${fromSchema(about)}.`,
      },
      ofFlow(about),
      range,
      idle,
      cause,
    ],
    actions: [open(about), explain(about)],
  }
}

/** `the last 10 s`: the window of the present, or that of waits; longer where samples are farther apart. */
export const theLast = (
  format: Format,
  servers: readonly { readonly recent?: { readonly seconds: number } | undefined }[],
  atLeast = 0,
): string =>
  `the last ${format.span(Math.round(Math.max(atLeast, ...servers.map(({ recent }) => recent?.seconds ?? 0))))}`

/** `, 78 % of them from flow schema …`: over all reasons, because rows are by schema and reason. */
function fromSchema({ row: { name: level }, server: { recent }, format }: Case): string {
  const bySchema = new Map<string, number>()
  let total = 0
  for (const row of recent?.rows ?? []) {
    if (row.level !== level) continue
    bySchema.set(row.schema, (bySchema.get(row.schema) ?? 0) + row.count)
    total += row.count
  }
  const [most] = [...bySchema].toSorted(([, a], [, b]) => b - a)
  if (most === undefined || total === 0) return ''
  const [schema, count] = most
  return count === total
    ? `, all from flow schema ${schema}`
    : `, ${format.percent(Math.min(count / total, 0.99))} from flow schema ${schema}`
}

/** A dump in which so many times fewer requests wait than now says nothing about those that wait now. */
const QUIETER = 4

/**
 * `inventory:crawler had 94 % of the 188 waiting requests at 03:12:43.`; in full with the source and the time of these
 * requests.
 */
function ofFlow({ row, server, format }: Case): Sentence {
  const { flow } = server
  const isOld = flow?.waits === true && QUIETER * flow.of < (row.queuedRequests ?? 0)
  if (flow === undefined || flow.level !== row.name || isOld) return ''
  const what = `${flow.waits ? 'waiting' : 'executing'} request`
  const all = `${format.seats(flow.of)} ${what}s`
  const share =
    flow.of === 1
      ? `the ${what}`
      : flow.count === flow.of
        ? `all ${all}`
        : `${format.percent(Math.min(flow.count / flow.of, 0.99))} of the ${all}`
  // Mostly another instant than that of the headline's count, which the past names in front.
  const when = format.time(flow.at)
  const isNamed = server.instant !== undefined && format.time(server.instant) === when
  return {
    short: `${flow.name} had ${share}${isNamed ? '' : ` at ${when}`}.`,
    full: `${flow.name} had ${share} (dump of ${when}).`,
  }
}

export function lenderSqueezed(about: Case): Told {
  const { row, format } = about
  const floor = row.seats.current === row.lower ? ' at its floor:' : ''
  return {
    tone: 'trouble',
    level: row.name,
    title: `${row.name} lends ${seats(format, -Number(row.change))} while ${waiting(about)}${place(about)}.`,
    evidence: [
      `Its limit is${floor} ${format.seats(row.seats.current)} of ${format.seats(row.seats.nominal)} nominal seats.`,
      'It gets lent seats back within 10 s of needing them.',
      ofFlow(about),
    ],
    actions: [open(about), explain(about)],
  }
}

/** `12 requests wait`; without their number where the pages do not show it. */
function waiting({ row: { queuedRequests: count }, format }: Case, uncounted = 'requests'): string {
  return `${count === undefined ? uncounted : requests(format, count)} ${plural(count, 'waits', 'wait')}`
}

export function queueing(about: Case): Told {
  const { row, server, format } = about
  const { executing, current, queued } = row.seats
  const wait =
    typeof row.waitP99 === 'number'
      ? `Wait p99 of ${theLast(format, [server], 30)}: ${format.quantile(row.waitP99, row.waitP99Range)}.`
      : ''
  const free = executing === undefined || current === undefined ? 0 : current - executing
  const wide = free > 0 ? `${seats(format, free)} free: the next request may be wider than that.` : ''
  // Of requests of one seat each, their number says it.
  const wider = queued === undefined || queued === row.queuedRequests ? '' : ` for ${seats(format, queued)}`
  const of = current === undefined ? '' : ` of ${format.seats(current)}`
  const taken = `${format.seats(executing)}${of} ${plural(current ?? executing ?? 0, 'seat is', 'seats are')} taken.`
  return {
    tone: 'trouble',
    level: row.name,
    title: `${row.name} queues${place(about)}. ${waiting(about, 'Requests')}${wider}.`,
    evidence: [executing === undefined ? '' : taken, ofFlow(about), wide, wait, elsewhere(about).trim()],
    actions: [open(about), explain(about)],
  }
}

export function shortAtMax(about: Case): Told {
  const { row, format } = about
  return {
    tone: 'trouble',
    level: row.name,
    title: `${row.name} is at its max of ${seats(format, row.seats.upper ?? 0)} and would use ${row.approximate ? '≈ ' : ''}${format.seats(row.demand)}${place(about)}.`,
    evidence: ['Its borrowing limit keeps it there, regardless of idle seats elsewhere.'],
    actions: [open(about), explain(about)],
  }
}

export function catchAllUsed(about: Case): Told {
  const { row, format } = about
  const amount =
    (row.seats.executing ?? 0) > 0 ? `executes ${seats(format, row.seats.executing ?? 0)}` : 'serves requests'
  return {
    tone: 'trouble',
    level: row.name,
    title: `catch-all ${amount}${place(about)}.`,
    evidence: ['No other flow schema matched these requests.', 'Create a flow schema for them to assign a level.'],
    actions: [open(about)],
  }
}

const span = (format: Format, range: NowRange): string =>
  range.follows
    ? `in the last ${format.age(range.to - range.from)}`
    : `from ${format.time(range.from)} to ${format.time(range.to)}`

/** `2,742 requests rejected in the last 10 min.` */
const rejectedInRange = (format: Format, count: number, range: NowRange): string =>
  `${range.approximate ? '≈ ' : ''}${requests(format, count)} rejected ${span(format, range)}.`

/**
 * Rejections and queues in the selected range, and the last of them: one sentence, empty while that is not known for
 * every server.
 */
export function overRange(servers: readonly NowServer[], format: Format): string {
  const [first] = servers.flatMap(({ range }) => range ?? [])
  if (first === undefined || servers.some(({ range }) => range === undefined)) return ''
  const levels = servers.flatMap(({ id, range }) =>
    (range?.levels ?? []).map((level) => ({
      ...level,
      name: servers.length > 1 ? `${level.name} on ${id}` : level.name,
    })),
  )
  const known = levels.filter(({ rejected }) => rejected !== undefined)
  const total = known.reduce((sum, { rejected = 0 }) => sum + rejected, 0)
  const last = latest(levels, ({ lastRejectedAt }) => lastRejectedAt)
  if (last !== undefined && total > 0) {
    return `${rejectedInRange(format, total, first).slice(0, -1)}, last by ${last.name} at ${format.time(last.at)}.`
  }
  const none = known.length === 0 ? '' : `No request was rejected ${span(format, first)}`
  const queued = latest(levels, ({ lastQueuedAt }) => lastQueuedAt)
  if (queued === undefined) return none === '' ? '' : `${none}, and none waited in any sample.`
  const waited = `${queued.name} last queued at ${format.time(queued.at)}.`
  return none === '' ? waited : `${none}; ${waited}`
}

function latest(levels: readonly RangeLevel[], of: (level: RangeLevel) => number | undefined) {
  const [last] = levels
    .flatMap((level) => {
      const at = of(level)
      return at === undefined ? [] : [{ name: level.name, at }]
    })
    .toSorted((a, b) => b.at - a.at)
  return last
}

/** Actions that the sentence offers. */
export type NowAction =
  | { readonly kind: 'open-level'; readonly level: string; readonly server: string }
  | { readonly kind: 'explain-limit'; readonly level: string; readonly server: string }
  | { readonly kind: 'show-server'; readonly server: string }
  | { readonly kind: 'try-now'; readonly server: string }
  /** Opens the screen with the manifest of a level for the console. */
  | { readonly kind: 'own-level'; readonly server: string }

export interface NowStatement {
  readonly tone: 'ok' | 'trouble' | 'stale' | 'withheld'
  readonly title: string
  /** As many whole sentences as fit into two lines. */
  readonly evidence?: string
  /** All of them, in full. */
  readonly details?: string
  /** The level of the statement. */
  readonly level?: string
  readonly actions: readonly NowAction[]
}

/** One server, as input of the rules. */
export interface NowServer {
  readonly id: string
  readonly rows: readonly LevelRow[]
  /** Absent before two samples. */
  readonly recent?: RecentRejections | undefined
  /** Of the past, where that is shown. */
  readonly instant?: UnixMs | undefined
  /** The selected range; absent until its history is known. */
  readonly range?: NowRange | undefined
  /** The flow that has most of one level's requests, where a dump identifies it. */
  readonly flow?: BusiestFlow | undefined
  /** The first cause of a diagnosis, where there is one. */
  readonly cause?: LikelyCause | undefined
}

/** One sentence of the evidence: as shown in the two lines, and in full where that is longer. */
export type Sentence = string | { readonly short: string; readonly full: string }
/** A statement before its evidence is fitted into two lines. */
export type Told = Omit<NowStatement, 'evidence' | 'details'> & { readonly evidence: readonly Sentence[] }

/** Characters that fit into two lines next to the buttons, with the first-run notes on a screen 1440 wide. */
const TWO_LINES = 185

/** The evidence as whole sentences in their order: sentences that do not fit are left to the tooltip, never cut. */
export function evidenceOf(sentences: readonly Sentence[]): Pick<NowStatement, 'evidence' | 'details'> {
  const said = sentences.filter((one) => one !== '')
  const shorts = said.map((one) => (typeof one === 'string' ? one : one.short))
  const [first] = shorts
  if (first === undefined) return {}
  const evidence = shorts.slice(1).reduce((text, one) => {
    const longer = `${text} ${one}`
    return longer.length > TWO_LINES ? text : longer
  }, first)
  const details = said.map((one) => (typeof one === 'string' ? one : one.full)).join(' ')
  return details === evidence ? { evidence } : { evidence, details }
}

export interface NowRange extends RangeFacts {
  /** The range ends with the newest sample. */
  readonly follows: boolean
}

const seats = (format: Format, n: number) => format.counted(n, 'seat')
const requests = (format: Format, n: number) => format.counted(n, 'request')
