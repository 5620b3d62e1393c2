import { REJECT_REASONS } from '../../../core/frame/frame.ts'
import { peakOverMean } from '../../charts/serverStrip.data.ts'
import { REASON_TEXT } from '../../components/rejectReasons.ts'
import { format } from '../../theme/format.ts'
import { needAttention, totalsOf, type LevelRow } from './levelRows.ts'
import type { RangeFacts, RangeLevel } from '../../../core/frame/rangeFacts.ts'
import type { BusiestFlow } from './busiestFlow.ts'
import type { RejectionRow } from './rejections.ts'

/** What a reader can do about the sentence. */
export type NowAction =
  | { readonly kind: 'open-level'; readonly level: string; readonly server: string }
  | { readonly kind: 'explain-limit'; readonly level: string; readonly server: string }
  | { readonly kind: 'show-server'; readonly server: string }
  | { readonly kind: 'try-now'; readonly server: string }
  /** Where the manifest of a level for the console stands. */
  | { readonly kind: 'own-level'; readonly server: string }

export interface NowStatement {
  readonly tone: 'ok' | 'trouble' | 'stale' | 'withheld'
  readonly title: string
  readonly evidence?: string
  /** The level that it is about. */
  readonly level?: string
  readonly actions: readonly NowAction[]
}

/** One server as the rules see it. */
export interface NowServer {
  readonly id: string
  readonly rows: readonly LevelRow[]
  readonly rejections: readonly RejectionRow[]
  /** The selected range; absent until its history is known. */
  readonly range?: NowRange | undefined
  /** The flow that has most of one level's requests, by its debug dumps. */
  readonly flow?: BusiestFlow | undefined
}

export interface NowRange extends RangeFacts {
  /** The range ends with the newest sample. */
  readonly follows: boolean
}

/** Levels by which nodes and the control plane keep themselves alive: rejections there are told first. */
const VITAL: ReadonlySet<string> = new Set(['node-high', 'system', 'leader-election'])

interface Case {
  readonly servers: readonly NowServer[]
  readonly server: NowServer
  readonly row: LevelRow
}

const has = (row: LevelRow, state: LevelRow['states'][number]) => row.states.includes(state)
const isFull = ({ seats }: LevelRow) =>
  seats.executing !== undefined && seats.current !== undefined && seats.executing >= seats.current
const plural = (n: number, one: string, many: string) => `${format.seats(n)} ${n === 1 ? one : many}`
const seats = (n: number) => plural(n, 'seat', 'seats')
const requests = (n: number) => plural(n, 'request', 'requests')

/** ` on apiserver-a`, only where several servers are shown. */
const place = ({ servers, server }: Case) => (servers.length > 1 ? ` on ${server.id}` : '')

const open = ({ row, server }: Case): NowAction => ({ kind: 'open-level', level: row.name, server: server.id })
const explain = ({ row, server }: Case): NowAction => ({ kind: 'explain-limit', level: row.name, server: server.id })

/** Seats do not move between servers, so idle ones elsewhere do not help. */
function elsewhere({ servers, server }: Case): string {
  const idle = servers
    .filter(({ id }) => id !== server.id)
    .map(({ rows }) => totalsOf(rows))
    .map(({ nominal, executing }) =>
      nominal === undefined || executing === undefined ? undefined : nominal - executing,
    )
  const known = idle.filter((n) => n !== undefined)
  if (known.length === 0 || known.length < idle.length || known.every((n) => n <= 0)) return ''
  const most = Math.max(...known)
  const who = known.length === 1 ? 'The other server has' : 'Another server has'
  return ` ${who} ${seats(most)} idle, but limits are per server and seats do not move between servers.`
}

function rejecting(about: Case): NowStatement {
  const { row, server } = about
  const by = row.rejectedBy
  const reasons = REJECT_REASONS.filter((reason) => (by?.[reason] ?? 0) > 0).toSorted(
    (a, b) => (by?.[b] ?? 0) - (by?.[a] ?? 0),
  )
  const [main] = reasons
  const detail = reasons.map((reason) => `${reason} ${format.rate(by?.[reason])}`).join(', ')
  const cause = main === undefined ? '' : REASON_TEXT[main].cause
  const idle = elsewhere(about).trim()
  const flow = ofFlow(about)
  const own = server.range?.levels.find(({ name }) => name === row.name)
  const range = server.range === undefined || !own?.rejected ? '' : rejectedInRange(own.rejected, server.range)
  return {
    tone: 'trouble',
    level: row.name,
    title: `${row.name} is ${isFull(about.row) ? 'full and rejecting' : 'rejecting'}${place(about)}.`,
    // Two lines of evidence at most: idle servers and the flow matter more than the cause.
    evidence: [
      `${detail} answered 429 in the last 10 s${fromSchema(server.rejections, row.name)}.`,
      range,
      flow,
      idle === '' && flow === '' ? cause : idle,
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
    actions: [open(about), explain(about)],
  }
}

/** `, 78 % of them from flow schema …`: over all reasons, as rows are by schema and reason. */
function fromSchema(rejections: readonly RejectionRow[], level: string): string {
  const bySchema = new Map<string, number>()
  let total = 0
  for (const row of rejections) {
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

/** `94 % of the 188 waiting requests are from inventory:crawler (dump of 03:12:40).` */
function ofFlow({ row, server }: Case): string {
  const { flow } = server
  if (flow === undefined || flow.level !== row.name) return ''
  const what = `${flow.waits ? 'waiting' : 'executing'} request`
  const whose = `from ${flow.name} (dump of ${format.time(flow.at)}).`
  if (flow.of === 1) return `The ${what} is ${whose}`
  const all = `the ${format.seats(flow.of)} ${what}s`
  return flow.count === flow.of
    ? `All of ${all} are ${whose}`
    : `${format.percent(Math.min(flow.count / flow.of, 0.99))} of ${all} are ${whose}`
}

const span = (range: NowRange): string =>
  range.follows
    ? `in the last ${format.span((range.to - range.from) / 1_000)}`
    : `from ${format.time(range.from)} to ${format.time(range.to)}`

const rejectedInRange = (count: number, range: NowRange): string =>
  `${range.approximate ? '≈ ' : ''}${requests(count)} rejected ${span(range)}.`

/** What the selected range saw of rejections and queues, and when last: one sentence, empty while that is not known. */
function overRange(servers: readonly NowServer[]): string {
  const [first, ...more] = servers.flatMap(({ range }) => range ?? [])
  if (first === undefined || more.length > 0) return ''
  const known = first.levels.filter(({ rejected }) => rejected !== undefined)
  const total = known.reduce((sum, { rejected = 0 }) => sum + rejected, 0)
  const last = latest(first.levels, ({ lastRejectedAt }) => lastRejectedAt)
  if (last !== undefined && total > 0) {
    return `${rejectedInRange(total, first).slice(0, -1)}, last by ${last.name} at ${format.time(last.at)}.`
  }
  const none = known.length === 0 ? '' : `No request was rejected ${span(first)}`
  const queued = latest(first.levels, ({ lastQueuedAt }) => lastQueuedAt)
  if (queued === undefined) return none === '' ? '' : `${none}, and no sample saw one wait.`
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

function lenderSqueezed(about: Case): NowStatement {
  const { row } = about
  const lent = typeof row.change === 'number' ? -row.change : 0
  const waiting = row.queuedRequests ?? 0
  const floor = row.seats.current === row.lower ? ', its floor' : ''
  return {
    tone: 'trouble',
    level: row.name,
    title: `${row.name} lends ${seats(lent)} while ${requests(waiting)} wait${waiting === 1 ? 's' : ''}${place(about)}.`,
    evidence: `Its limit is ${format.seats(row.seats.current)}${floor}, of ${format.seats(row.seats.nominal)} nominal seats. It gets lent seats back within 10 s of needing them.`,
    actions: [open(about), explain(about)],
  }
}

function queueing(about: Case): NowStatement {
  const { row } = about
  const { executing, current, queued } = row.seats
  const wait =
    typeof row.waitP99 === 'number'
      ? ` Wait p99 of the last 30 s: ${format.quantile(row.waitP99, row.waitP99Range)}.`
      : ''
  const flow = ofFlow(about)
  const free = executing === undefined || current === undefined ? 0 : current - executing
  const wide = free > 0 ? ` ${seats(free)} free: the next request may be wider than that.` : ''
  const waiting = row.queuedRequests === undefined ? 'Requests wait' : `${requests(row.queuedRequests)} wait`
  const grammar = row.queuedRequests === 1 ? `${waiting}s` : waiting
  return {
    tone: 'trouble',
    level: row.name,
    title: `${row.name} queues${place(about)}. ${grammar} for ${queued === undefined ? 'seats' : seats(queued)}.`,
    evidence: `${format.seats(executing)} of ${format.seats(current)} seats execute.${wide}${wait}${flow === '' ? '' : ` ${flow}`}${elsewhere(about)}`,
    actions: [open(about), explain(about)],
  }
}

function shortAtMax(about: Case): NowStatement {
  const { row } = about
  return {
    tone: 'trouble',
    level: row.name,
    title: `${row.name} is at its max of ${seats(row.seats.upper ?? 0)} and would use ${row.approximate ? '≈ ' : ''}${format.seats(row.demand)}${place(about)}.`,
    evidence: 'Its borrowing limit keeps it there, however many seats others leave idle.',
    actions: [open(about), explain(about)],
  }
}

function catchAllUsed(about: Case): NowStatement {
  const { row } = about
  const amount = (row.seats.executing ?? 0) > 0 ? `executes ${seats(row.seats.executing ?? 0)}` : 'serves requests'
  return {
    tone: 'trouble',
    level: row.name,
    title: `catch-all ${amount}${place(about)}.`,
    evidence: 'No other flow schema matched these requests. A schema of their own would say where they belong.',
    actions: [open(about)],
  }
}

/** A difference between idle servers is noise. */
const IMBALANCE = { ratio: 2, leastSeats: 5, leastShare: 0.05 } as const

function imbalance(servers: readonly NowServer[]): NowStatement | undefined {
  const totals = servers.map(({ rows }) => totalsOf(rows))
  const ratio = peakOverMean(totals.map(({ executing }) => executing))
  if (ratio === undefined || ratio <= IMBALANCE.ratio) return undefined
  const index = totals.reduce(
    (best, { executing }, i) => ((executing ?? 0) > (totals[best]?.executing ?? 0) ? i : best),
    0,
  )
  const busiest = servers[index]
  const { executing = 0, nominal = 0 } = totals[index] ?? {}
  if (busiest === undefined || executing < Math.max(IMBALANCE.leastSeats, IMBALANCE.leastShare * nominal))
    return undefined
  return {
    tone: 'trouble',
    title: `${busiest.id} executes ${format.fixed(ratio, 1)} times the mean of the ${servers.length} servers.`,
    evidence: 'Limits are per server. Clients that keep one connection open would have to reconnect.',
    actions: [{ kind: 'show-server', server: busiest.id }],
  }
}

/** Rules about single levels, the worst first; within a rule the worst row first (design 3.1). */
const LEVEL_RULES: readonly {
  readonly applies: (row: LevelRow) => boolean
  readonly say: (about: Case) => NowStatement
}[] = [
  { applies: (row) => has(row, 'rejecting') && VITAL.has(row.name), say: rejecting },
  { applies: (row) => has(row, 'rejecting'), say: rejecting },
  { applies: (row) => has(row, 'queueing') && typeof row.change === 'number' && row.change < 0, say: lenderSqueezed },
  { applies: (row) => has(row, 'queueing'), say: queueing },
  {
    applies: ({ exempt, seats: { current, upper }, demand }) =>
      !exempt && current !== undefined && upper !== undefined && current >= upper && (demand ?? 0) > upper,
    say: shortAtMax,
  },
]

const usesCatchAll = (row: LevelRow) =>
  row.name === 'catch-all' && ((row.seats.executing ?? 0) > 0 || (row.dispatchedPerSecond ?? 0) > 0)

/** The worst true statement about these servers, by rule order. */
export function nowLine(servers: readonly NowServer[]): NowStatement {
  const cases = servers.flatMap((server) => server.rows.map((row): Case => ({ servers, server, row })))
  if (cases.length === 0) return nothingReported(servers)
  const worstFirst = needAttention(cases.map(({ row }) => row))
  const rank = ({ row }: Case) => (worstFirst.includes(row) ? worstFirst.indexOf(row) : worstFirst.length)
  const ordered = cases.toSorted((a, b) => rank(a) - rank(b))
  for (const rule of LEVEL_RULES) {
    const about = ordered.find(({ row }) => rule.applies(row))
    if (about !== undefined) return withOthers(rule.say(about), about, ordered)
  }
  const unequal = imbalance(servers)
  if (unequal !== undefined) return unequal
  const stray = ordered.find(({ row }) => usesCatchAll(row))
  return stray === undefined ? flowing(servers, cases) : catchAllUsed(stray)
}

/** Names what else rejects or queues, so that one sentence does not hide it. */
function withOthers(statement: NowStatement, about: Case, ordered: readonly Case[]): NowStatement {
  const others = new Set(
    ordered
      .filter(({ row }) => row.name !== about.row.name && (has(row, 'rejecting') || has(row, 'queueing')))
      .map(({ row }) => row.name),
  )
  if (others.size === 0) return statement
  const names = [...others].slice(0, 2).join(' and ')
  const more = others.size > 2 ? `, and ${others.size - 2} more` : ''
  return { ...statement, evidence: `${statement.evidence ?? ''} Also waiting or rejecting: ${names}${more}.` }
}

function nothingReported(servers: readonly NowServer[]): NowStatement {
  return {
    tone: 'withheld',
    title: servers.length === 0 ? 'No server is shown.' : 'This server reports no priority level.',
    evidence:
      'Priority and fairness may be switched off (--enable-priority-and-fairness=false), or the page holds no flow-control family.',
    actions: [],
  }
}

function flowing(servers: readonly NowServer[], cases: readonly Case[]): NowStatement {
  const rows = cases.map(({ row }) => row)
  const names = new Set(rows.map(({ name }) => name))
  const { executing, nominal } = totalsOf(rows)
  const sum = servers.length > 1 ? `, sum of ${servers.length} servers` : ''
  const seatsExecuting =
    executing === undefined
      ? 'How many seats execute is not reported.'
      : `${format.seats(executing)} of ${format.seats(nominal)} seats are executing${sum}.`
  if (rows.some(({ queuedRequests, seats: { queued } }) => queuedRequests === undefined && queued === undefined)) {
    return { tone: 'withheld', title: `Whether requests wait is not reported. ${seatsExecuting}`, actions: [] }
  }
  const ranged = overRange(servers)
  if (rows.some(({ rejectedPerSecond }) => rejectedPerSecond === undefined)) {
    return {
      tone: 'ok',
      title: `No level queues. ${seatsExecuting}`,
      evidence: 'Whether requests are rejected takes two samples to know.',
      actions: [],
    }
  }
  return {
    tone: 'ok',
    title: `All ${names.size} levels are flowing now. ${seatsExecuting}`,
    evidence: ranged === '' ? 'No request was rejected in the last 10 s.' : ranged,
    actions: [],
  }
}
