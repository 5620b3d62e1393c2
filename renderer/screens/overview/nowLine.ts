import { REJECT_REASONS } from '../../../core/frame/frame.ts'
import { peakOverMean } from '../../charts/serverStrip.data.ts'
import { REASON_TEXT } from '../../components/rejectReasons.ts'
import { format } from '../../theme/format.ts'
import { needAttention, totalsOf, type LevelRow } from './levelRows.ts'
import type { RejectionRow } from './rejections.ts'

/** What a reader can do about the sentence. */
export type NowAction =
  | { readonly kind: 'open-level'; readonly level: string; readonly server: string }
  | { readonly kind: 'explain-limit'; readonly level: string; readonly server: string }
  | { readonly kind: 'show-server'; readonly server: string }
  | { readonly kind: 'try-now'; readonly server: string }

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
  const own = server.rejections.filter(({ level }) => level === row.name)
  const by = row.rejectedBy
  const reasons = REJECT_REASONS.filter((reason) => (by?.[reason] ?? 0) > 0).toSorted(
    (a, b) => (by?.[b] ?? 0) - (by?.[a] ?? 0),
  )
  const [main] = reasons
  const detail = reasons.map((reason) => `${reason} ${format.rate(by?.[reason])}`).join(', ')
  const total = own.reduce((sum, { count }) => sum + count, 0)
  const worst = own.length === 0 ? undefined : own.reduce((a, b) => (b.count > a.count ? b : a))
  const from = worst && total > 0 ? `from flow schema ${worst.schema}` : ''
  const share = worst?.count === total ? 'All of them' : `${format.percent((worst?.count ?? 0) / total)} of them`
  const cause = main === undefined ? '' : ` ${REASON_TEXT[main].cause}`
  const idle = elsewhere(about)
  return {
    tone: 'trouble',
    level: row.name,
    title: `${row.name} is ${isFull(about.row) ? 'full and rejecting' : 'rejecting'}${place(about)}.`,
    // Two lines of evidence at most: with several servers the idle ones matter more than the cause.
    evidence: `${detail} answered 429.${from === '' ? '' : ` ${share} ${from}.`}${idle === '' ? cause : idle}`,
    actions: [open(about), explain(about)],
  }
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
  const wait = typeof row.waitP99 === 'number' ? ` The longest 1 % waited ${format.seconds(row.waitP99)} or more.` : ''
  const free = executing === undefined || current === undefined ? 0 : current - executing
  const wide = free > 0 ? ` ${seats(free)} free: the next request may be wider than that.` : ''
  const waiting = row.queuedRequests === undefined ? 'Requests wait' : `${requests(row.queuedRequests)} wait`
  const grammar = row.queuedRequests === 1 ? `${waiting}s` : waiting
  return {
    tone: 'trouble',
    level: row.name,
    title: `${row.name} queues${place(about)}. ${grammar} for ${queued === undefined ? 'seats' : seats(queued)}.`,
    evidence: `${format.seats(executing)} of ${format.seats(current)} seats execute.${wide}${wait}${elsewhere(about)}`,
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
  if (rows.some(({ rejectedPerSecond }) => rejectedPerSecond === undefined)) {
    return {
      tone: 'ok',
      title: `No level queues. ${seatsExecuting}`,
      evidence: 'Whether requests are rejected takes two samples to know.',
      actions: [],
    }
  }
  return { tone: 'ok', title: `All ${names.size} levels are flowing. ${seatsExecuting}`, actions: [] }
}
