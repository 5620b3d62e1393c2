import { plural, type Format } from '../text/format.ts'
import { sentenceText } from '../answer/answer.ts'
import { gapsPhrase } from '../history/gaps.ts'
import { peakOverMean } from '../frame/aggregate.ts'
import { unixMsOf } from '../units.ts'
import { byCodeUnits, listed } from '../text/text.ts'
import { causeIn, causeName, causeSentences, levelWithCause } from './cause.ts'
import type { ServerHealth } from '../contract/source.ts'
import { troubleOf } from '../frame/recent.ts'
import { isSqueezed } from '../frame/reading.ts'
import {
  atInstant,
  catchAllUsed,
  evidenceOf,
  lenderSqueezed,
  overRange,
  theLast,
  queueing,
  rejecting,
  shortAtMax,
  type Case,
  type NowServer,
  type NowStatement,
  type Told,
} from './levelStatements.ts'
import { needAttention, ofDeleted, totalsOf, type LevelRow } from './levelRows.ts'

/** Levels that keep nodes and the control plane alive: rejections there come first. */
const VITAL: ReadonlySet<string> = new Set(['node-high', 'system', 'leader-election'])

const has = (row: LevelRow, state: LevelRow['states'][number]) => row.states.includes(state)
/** A difference between idle servers is noise. */
const IMBALANCE = { ratio: 2, leastSeats: 5, leastShare: 0.05 } as const

function imbalance(servers: readonly NowServer[], format: Format): Told | undefined {
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
    evidence: ['Limits are per server.', 'Clients with long-lived connections must reconnect to change servers.'],
    actions: [{ kind: 'show-server', server: busiest.id }],
  }
}

/** Rules about single levels, worst first; within a rule the worst row first (design 3.1). */
const LEVEL_RULES: readonly {
  readonly applies: (row: LevelRow) => boolean
  readonly say: (about: Case) => Told
}[] = [
  { applies: (row) => has(row, 'rejecting') && VITAL.has(row.name), say: rejecting },
  { applies: (row) => has(row, 'rejecting'), say: rejecting },
  { applies: (row) => has(row, 'queueing') && Number(row.change) < 0 && isSqueezed(row.seats), say: lenderSqueezed },
  { applies: (row) => has(row, 'queueing'), say: queueing },
  {
    applies: ({ exempt, seats: { current, upper }, demand }) =>
      !exempt && current !== undefined && upper !== undefined && current >= upper && (demand ?? 0) > upper,
    say: shortAtMax,
  },
]

const usesCatchAll = (row: LevelRow) =>
  row.name === 'catch-all' && ((row.seats.executing ?? 0) > 0 || (row.dispatchedPerSecond ?? 0) > 0)

/** The worst true statement about these servers, by rule order; `note` ends its evidence. */
export function headline(servers: readonly NowServer[], format: Format, note = ''): NowStatement {
  const { evidence, title, ...statement } = worstOf(servers, format)
  return {
    ...statement,
    title: `${atInstant(servers[0] ?? {}, format)}${title}`,
    ...evidenceOf([...evidence, ...servers.map((one) => missingIn(one, servers.length === 1, format)), note]),
  }
}

/** What the headline says of one level when it is the worst; `undefined` while nothing is wrong with it. */
export function levelHeadline(server: NowServer, level: string, format: Format): NowStatement | undefined {
  const row = server.rows.find(({ name }) => name === level)
  const rule = row && LEVEL_RULES.find(({ applies }) => applies(row))
  if (row === undefined || rule === undefined) return undefined
  const about: Case = { servers: [server], server, row, format }
  const { evidence, title, ...statement } = withCause(rule.say(about), about)
  return { ...statement, title: `${atInstant(server, format)}${title}`, ...evidenceOf(evidence) }
}

/**
 * Stretches of the range without a sample of a server: its counters cover them, but queues in them were not observed.
 */
function missingIn({ id, range }: NowServer, isAlone: boolean, format: Format): string {
  const phrase = sentenceText(gapsPhrase(range?.gaps ?? [], 'time'), format)
  if (phrase === '') return ''
  return isAlone ? `The server has ${phrase}.` : `${id} has ${phrase}.`
}

function worstOf(servers: readonly NowServer[], format: Format): Told {
  const cases = servers.flatMap((server) => server.rows.map((row): Case => ({ servers, server, row, format })))
  if (cases.length === 0) return nothingReported(servers)
  const worstFirst = needAttention(cases.map(({ row }) => row))
  const rank = ({ row }: Case) => (worstFirst.includes(row) ? worstFirst.indexOf(row) : worstFirst.length)
  const ordered = cases.toSorted((a, b) => rank(a) - rank(b) || byCodeUnits(a.row.name, b.row.name))
  for (const rule of LEVEL_RULES) {
    const about = ordered.find(({ row }) => rule.applies(row))
    if (about !== undefined) return withCause(withOthers(rule.say(about), about, ordered), about)
  }
  const unequal = imbalance(servers, format)
  if (unequal !== undefined) return unequal
  const slow = servers.flatMap(({ cause }) => cause ?? []).find(({ finding }) => finding.symptom !== undefined)
  if (slow?.finding.symptom !== undefined) {
    const { symptom, place } = slow.finding
    return {
      tone: 'trouble',
      title: `No request waits or is rejected, but ${symptom}`,
      ...(place.level !== undefined && { level: place.level }),
      evidence: causeSentences(slow.finding, format),
      actions: [],
    }
  }
  const stray = ordered.find(({ row }) => usesCatchAll(row))
  if (stray !== undefined) return catchAllUsed(stray)
  const calm = flowing(servers, cases, format)
  const known = servers
    .flatMap(({ cause }) => cause?.finding ?? [])
    .find(({ group, culprit }) => group === 'client' || (group === 'traffic' && culprit !== undefined))
  if (known === undefined || calm.tone !== 'ok') return calm
  return known.cause === 'client-throttling'
    ? { ...calm, evidence: [...causeSentences(known, format), ...calm.evidence] }
    : { ...calm, evidence: [...calm.evidence, `Before, most likely: ${causeName(known, format)}.`] }
}

/** Begins with the cause of this level's trouble, or of that of its server. */
function withCause(statement: Told, { server: { id, cause }, row, format }: Case): Told {
  const found = causeIn(cause, id, row.name)
  return found === undefined
    ? statement
    : { ...statement, evidence: [...causeSentences(found, format), ...statement.evidence] }
}

/** Names the other levels that reject or queue, so that one sentence does not hide them. */
function withOthers(statement: Told, about: Case, ordered: readonly Case[]): Told {
  const others = new Set(
    ordered
      .filter(({ row }) => row.name !== about.row.name && (has(row, 'rejecting') || has(row, 'queueing')))
      .map(({ row, server }) => levelWithCause(row.name, server.id, server.cause)),
  )
  if (others.size === 0) return statement
  const names = [...others].slice(0, 2).join(' and ')
  const more = others.size > 2 ? `, and ${others.size - 2} more` : ''
  const [first = '', flow = '', ...rest] = statement.evidence
  return { ...statement, evidence: [first, flow, `Also waiting or rejecting: ${names}${more}.`, ...rest] }
}

function nothingReported(servers: readonly NowServer[]): Told {
  if (servers.length === 0) return { tone: 'withheld', title: 'No server is shown.', evidence: [], actions: [] }
  return {
    tone: 'withheld',
    title: 'This server reports no priority level.',
    evidence: [
      'Priority and fairness may be switched off (--enable-priority-and-fairness=false), or the page holds no flow-control family.',
    ],
    actions: [],
  }
}

function flowing(servers: readonly NowServer[], cases: readonly Case[], format: Format): Told {
  const rows = cases.map(({ row }) => row)
  const { executing, nominal } = totalsOf(rows)
  const sum = servers.length > 1 ? `, sum of ${servers.length} servers` : ''
  const seatsInUse =
    executing === undefined
      ? 'Seats in use are unknown.'
      : `${format.seats(executing)} of ${format.counted(nominal, 'seat')} in use${sum}.`
  if (rows.some(({ queuedRequests, seats: { queued } }) => queuedRequests === undefined && queued === undefined)) {
    return {
      tone: 'withheld',
      title: `Whether requests wait is unknown. ${seatsInUse}`,
      evidence: [],
      actions: [],
    }
  }
  const [gone, ranged] = [rejectedByDeleted(servers, format), overRange(servers, format)]
  if (rows.some(({ rejectedPerSecond }) => rejectedPerSecond === undefined)) {
    return {
      tone: 'ok',
      title: `No request waits. ${seatsInUse}`,
      evidence: ['Rejections are unknown until two samples count them.'],
      actions: [],
    }
  }
  return {
    tone: 'ok',
    title: `No request waits or is rejected. ${seatsInUse}`,
    evidence: [gone, ranged === '' && gone === '' ? `No request was rejected in ${theLast(format, servers)}.` : ranged],
    actions: [],
  }
}

/** Rejections that no level of the page accounts for. */
function rejectedByDeleted(servers: readonly NowServer[], format: Format): string {
  const gone = servers.flatMap(({ rows, recent }) => ofDeleted(rows, recent?.rows ?? []))
  if (gone.length === 0) return ''
  const count = gone.reduce((sum, row) => sum + row.count, 0)
  const names = [...new Set(gone.map(({ level }) => level))]
  return `${listed(names)}, which ${plural(names.length, 'was', 'were')} deleted, rejected ${format.counted(count, 'request')} in ${theLast(format, servers)}.`
}

interface StaleFacts {
  /** The shown server, or one of several. */
  readonly server: string
  /** All servers without a recent sample, `server` among them. */
  readonly stale: ReadonlySet<string>
  /** Age of the shown frame in milliseconds, and when it was read (Unix milliseconds). */
  readonly ageMs: number
  readonly lastAt: number
  /** Health of all servers of the source. */
  readonly health: readonly ServerHealth[]
  /** The past is shown, so there is no next attempt. */
  readonly isPast?: boolean
  /** Unix milliseconds. */
  readonly now: number
  readonly format: Format
  /** The level that serves the console's own requests, where it is known and not exempt. */
  readonly own?: LevelRow | undefined
  /** The statement when the last sample was read. */
  readonly last?: NowStatement | undefined
}

const MOST_NAMED = 3

/** `a, b and c`; of many names the first and the number of the others. */
const list = ([first = '', ...others]: readonly string[]): string =>
  listed([first, ...(others.length < MOST_NAMED ? others : [`${others.length} others`])])

/** When the next attempt for a failing server is, as a sentence; empty when that is not known. */
export function nextTry(health: ServerHealth | undefined, now: number, format: Format): string {
  if (health?.nextTryAt === undefined) return ''
  const wait = unixMsOf(health.nextTryAt) - now
  return wait > 0 ? `Next try in ${format.fixed(Math.ceil(wait / 1_000))} s.` : 'Trying now.'
}

/** Failures that a server under overload causes. */
const OVERLOAD: ReadonlySet<string | undefined> = new Set([undefined, 'throttled', 'timeout'])

/**
 * The console's own requests wait in a level, or are rejected there, like those of any client. Reported where the last
 * sample showed that level in trouble, or the server answered 429, and nothing else failed.
 */
function overloadLine(facts: StaleFacts): NowStatement | undefined {
  const { server, stale, ageMs, lastAt, own, last, health, isPast = false, now, format } = facts
  if (isPast) return undefined
  const state = health.find(({ id }) => id === server)
  const code = state?.failures.at(-1)?.problem.code
  const trouble = own === undefined ? undefined : troubleOf(own.states)
  if (!OVERLOAD.has(code) || (code !== 'throttled' && trouble === undefined)) return undefined
  const where = own === undefined ? '' : ` in ${own.name}`
  const waiting =
    own?.queuedRequests === undefined || own.queuedRequests === 0
      ? ''
      : ` ${format.seats(own.queuedRequests)} ${plural(own.queuedRequests, 'request', 'requests')} waited there at ${format.time(lastAt)}.`
  const sentences = [
    `The server treats the console’s requests like all others${where === '' ? '' : ` of ${own?.name ?? ''}`}.${waiting}`,
    last === undefined || last.tone !== 'trouble' ? '' : `${atInstant({ instant: lastAt }, format)}${last.title}`,
    'A separate level for the console keeps samples coming under overload.',
    nextTry(state, now, format),
  ]
  return {
    tone: 'stale',
    title: `The console itself is ${code === 'throttled' ? 'rejected' : 'queued'}${where}: no sample from ${silentOnes(server, stale, health)} for ${format.age(ageMs)}.`,
    ...evidenceOf(sentences),
    actions: [
      { kind: 'own-level', server },
      { kind: 'try-now', server },
    ],
  }
}

/** Replaces the now line while no sample arrives: the last values are old, and allow no conclusions. */
export function staleLine(facts: StaleFacts): NowStatement {
  return overloadLine(facts) ?? silentLine(facts)
}

/** The same for several servers, the chosen one first: overload of any of them explains more than silence. */
export function staleServersLine(servers: readonly StaleFacts[]): NowStatement | undefined {
  for (const facts of servers) {
    const said = overloadLine(facts)
    if (said !== undefined) return said
  }
  return servers[0] && silentLine(servers[0])
}

const currentOnes = (server: string, stale: ReadonlySet<string>, health: readonly ServerHealth[]): readonly string[] =>
  health.filter(({ id, status }) => id !== server && status === 'ok' && !stale.has(id)).map(({ id }) => id)

const silentOnes = (server: string, stale: ReadonlySet<string>, health: readonly ServerHealth[]): string =>
  stale.size > 1 && currentOnes(server, stale, health).length === 0 ? `any of ${stale.size} servers` : server

function silentLine({ server, stale, ageMs, lastAt, health, isPast = false, now, format }: StaleFacts): NowStatement {
  const own = health.find(({ id }) => id === server)
  const problem = own?.failures.at(-1)?.problem
  const others = currentOnes(server, stale, health)
  const current = others.length === 0 ? '' : `${list(others)} ${plural(others.length, 'is', 'are')} current.`
  const sentences = [
    problem?.message ?? '',
    `Showing the last values from ${format.time(lastAt)}.`,
    isPast ? '' : nextTry(own, now, format),
    current,
  ]
  const [other] = others
  return {
    tone: 'stale',
    title: `No sample from ${silentOnes(server, stale, health)} for ${format.age(ageMs)}.`,
    ...evidenceOf(sentences),
    actions: [
      ...(isPast ? [] : [{ kind: 'try-now' as const, server }]),
      ...(other === undefined ? [] : [{ kind: 'show-server' as const, server: other }]),
    ],
  }
}

/** Note for a statement about the other servers while some are left out of it. */
export function leftOut(stale: ReadonlySet<string>): string {
  return stale.size === 0 ? '' : `No recent sample from ${list([...stale])}: left out of this sentence.`
}
