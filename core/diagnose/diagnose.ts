import { showsNone } from '../frame/lacking.ts'
import { EXEMPT } from '../config/objects.ts'
import type { CauseId } from '../contract/causes.ts'
import type { Diagnosis } from '../contract/diagnosis.ts'
import { byScore, findingOf, judge, type Case, type Judged } from './case.ts'
import { CAUSE_INFO } from './causeList.ts'
import { trouble } from './clues.ts'
import { changesOf, judgedChanges, type Change } from './changes.ts'
import { configurationCases } from './configurationCauses.ts'
import {
  isCalm,
  isTroubled,
  serverFacts,
  troubleOf,
  type Evidence,
  type LevelFacts,
  type ServerFacts,
} from './facts.ts'
import { explainedBy, wellOf } from './explain.ts'
import { remedyJudge } from './judgedRemedies.ts'
import { isSilent, newestOf, ownSide } from './ownSide.ts'
import type { Known } from './remedies.ts'
import { calmCases, danglingCases, serverCases } from './serverCauses.ts'
import { systemCases } from './systemRequests.ts'
import { isHazard } from './text.ts'
import { trafficCases } from './trafficCauses.ts'
import { isSqueezed } from '../frame/reading.ts'
import { allRejected, rejectedSince } from '../frame/recent.ts'
import { plain } from '../text/format.ts'
import { clientName, pressureOf } from '../verdict/ledger.ts'
import { listed } from '../text/text.ts'
import { inOrder, levelIn } from '../twin/observe.ts'
import { FAMILY } from '../metrics/familyNames.ts'
import { unixMsOf } from '../units.ts'
import { likelyCause, type LikelyCause } from '../verdict/cause.ts'
import { headline, staleServersLine } from '../verdict/headline.ts'
import type { NowStatement } from '../verdict/levelStatements.ts'
import { NOW_MS, nowServer, serverNow, withBusiest } from '../verdict/now.ts'

/** More findings than this are noise. */
const MOST_FINDINGS = 8
/** Below this fraction of the best score a cause is not worth showing. */
const LEAST_OF_BEST = 0.4
/** A defect in itself, and the fallback if no better cause is known. */
const ALWAYS_SHOWN: ReadonlySet<CauseId> = new Set(['dangling-schema', 'overload'])
/** Levels in trouble whose causes are searched, the worst first. */
const MOST_LEVELS = 6

/**
 * Why requests wait, are rejected or are slow, derived from the data of a source. Our own side comes first: unless it
 * is excluded (no samples, stale samples, missing families), no server is blamed.
 */
export function diagnose(evidence: Evidence): Diagnosis {
  const servers = evidence.servers.flatMap((one) => serverFacts(one, evidence) ?? [])
  const own = ownSide(evidence, servers)
  const changes: Changes = new Map(servers.map((server) => [server.id, changesOf(evidence, server)]))
  const cases = [...own.cases, ...(own.blocks ? [] : causesOf(evidence, servers, changes))]
  const judged = cases.map(judge)
  const troubled = worstFirst(servers)
  const ranked = judged
    .filter(({ isShown, known, hasEvidence }) => isShown && (known || hasEvidence))
    .toSorted(
      (a, b) =>
        Number(isAside(a, troubled)) - Number(isAside(b, troubled)) ||
        (troubled.length > 0 ? 0 : calmRank(a) - calmRank(b)) ||
        byScore(a, b),
    )
  const newest = newestOf(evidence)
  const to = Number.isFinite(newest) ? newest : (evidence.asOf ?? 0)
  const pages = evidence.servers.flatMap(({ frames }) => frames.map(({ at }) => unixMsOf(at)))
  const from = Math.min(to, ...(servers.length === 0 ? pages : servers.map((server) => server.from)))
  const judgedBy = remedyJudge(evidence, servers)
  const findings = worthShowing(largestFirst(explained(ranked, troubled), troubled[0]?.level.name)).map((one) => {
    const server = servers.find(({ id }) => id === one.given.place.server)
    return judgedBy(findingOf(one, { from: server?.from ?? from, to: server?.to ?? to }), one.given.remedy)
  })
  const silent = silentNow(evidence, servers)
  const last = nowIn({ ...evidence, ...(silent && { isPast: true, asOf: undefined }) }, likelyCause(findings))
  const now = silent ?? last
  const found = new Set(findings.map(({ cause }) => cause))
  const judgedOnes = servers.flatMap((server) =>
    judgedChanges(changes.get(server.id) ?? [], server, ({ subject, at }) =>
      findings.some(({ culprit, since }) => culprit?.startsWith(subject) === true && since === at),
    ),
  )
  return {
    state: stateOf(servers, now, findings[0]),
    ...(troubled[0]?.server.since !== undefined && { since: troubled[0].server.since }),
    from,
    to,
    servers: servers.map(({ id }) => id),
    now,
    summary: summaryOf(now, last, servers, troubled[0]?.level, findings),
    findings,
    changes: judgedOnes,
    innocent: own.blocks ? [] : innocentOf(servers, judgedOnes, findings),
    ...othersIn(judged, found),
    limits: limitsOf(evidence, servers),
  }
}

type Changes = ReadonlyMap<string, readonly Change[]>

function causesOf(evidence: Evidence, servers: readonly ServerFacts[], changes: Changes): readonly Case[] {
  const known = (server: ServerFacts | undefined): Known => ({
    objects: evidence.objects,
    version: server?.last.version,
    changes: changes.get(server?.id ?? '') ?? [],
  })
  // What is over does not matter beside what goes on.
  const worst = worstFirst(servers)
    .filter((one, i) => i === 0 || goesOn(one))
    .slice(0, MOST_LEVELS)
  return [
    ...danglingCases(known(servers[0]), servers),
    ...servers.flatMap((server) => systemCases(server, known(server))),
    ...servers.flatMap((server) =>
      serverCases(
        server,
        servers.filter((other) => other !== server),
      ),
    ),
    ...worst.flatMap(({ server, level }) => [
      ...configurationCases(server, level, known(server)),
      ...trafficCases(server, level, known(server)),
    ]),
    ...(worst.length === 0 ? servers.flatMap(calmCases) : []),
  ]
}

interface Troubled {
  readonly server: ServerFacts
  readonly level: LevelFacts
}

const worstFirst = (servers: readonly ServerFacts[]): readonly Troubled[] =>
  servers
    .flatMap((server) => server.levels.filter(isTroubled).map((level) => ({ server, level })))
    .toSorted((a, b) => troubleOf(b.level) - troubleOf(a.level))

const RECENT_MS = 20_000

/** Whether requests of a level waited or were rejected in the last pages. */
function goesOn({ server: { pages, to }, level: { name } }: Troubled): boolean {
  const recent = pages.filter(({ at }) => unixMsOf(at) >= to - RECENT_MS).flatMap((page) => levelIn(page, name) ?? [])
  const [last] = recent.slice(-1)
  return (
    recent.some(({ requests: { queued = 0 } }) => queued > 0) ||
    (last !== undefined && allRejected(rejectedSince(last, recent[0])) > 0)
  )
}

/** It explains the trouble of another level than the worst one, which is what the user asks about. */
const isAside = ({ given: { place } }: Judged, [worst, ...others]: readonly Troubled[]): boolean =>
  place.level !== undefined &&
  place.level !== worst?.level.name &&
  others.some(({ level }) => level.name === place.level)

/** While nothing is wrong, what will go wrong comes before that. */
const calmRank = ({ given: { cause } }: Judged): number => {
  const { group } = CAUSE_INFO[cause]
  return group === 'own side' ? 0 : group === 'configuration' ? 1 : 2
}

/** Causes that explain less than this part of the trouble of every level are innocent. */
const LEAST_EXPLAINED = 0.1
/** Shapes of the configuration and what follows from that which fills a level, where that explains this part of its trouble. */
const STANDING: ReadonlySet<CauseId> = new Set([
  'lender-squeezed',
  'nothing-to-borrow',
  'lingering-demand',
  'brief-burst',
  'borrowing-capped',
  'server-full',
])
const MOST_EXPLAINED = 0.5

/** With the part of the trouble that each explains; without those that explain nearly nothing. */
function explained(ranked: readonly Judged[], troubled: readonly Troubled[]): readonly Judged[] {
  const isSlower = ranked.some(({ given }) => given.cause === 'slow-server')
  const over = new Set(
    ranked.flatMap(({ known, given: { cause, place } }) =>
      known && cause === 'brief-burst' ? [`${place.server} ${place.level}`] : [],
    ),
  )
  const [parts, ofWorst] = [new Map<Judged, number>(), new Map<Judged, number>()]
  const explainedIn = new Map<string, { readonly part: number; readonly score: number }>()
  for (const { server, level } of troubled) {
    const acting = ranked.flatMap((one) => {
      const { lever, place } = one.given
      const isHere = place.level === undefined || place.level === EXEMPT || place.level === level.name
      const isSaid = isSlower && one.given.cause === 'slow-requests'
      return lever === undefined || place.server !== server.id || !isHere || isSaid
        ? []
        : [{ one, lever: lever(level) }]
    })
    const levers = acting.slice(0, MOST_LEVERS).map(({ lever }) => lever)
    const taken = levers.reduce((sum, { takes = 0 }) => sum + takes, 0)
    const found = explainedBy(wellOf(level, taken), levers)
    const key = `${server.id} ${level.name}`
    for (const [i, part] of found.entries()) {
      const one = acting[i]?.one
      if (one === undefined) continue
      parts.set(one, Math.max(parts.get(one) ?? 0, part))
      if (level === troubled[0]?.level) ofWorst.set(one, part)
      const known = explainedIn.get(key) ?? { part: 0, score: 0 }
      explainedIn.set(key, {
        part: known.part + part,
        score: part >= LEAST_EXPLAINED ? Math.max(known.score, one.score) : known.score,
      })
      // What a server suffers as a whole explains what the levels do.
      if (one.given.place.level === undefined || one.given.place.level === EXEMPT)
        explainedIn.set(`${server.id} `, { part: 1, score: one.score })
    }
  }
  const isLess = ({ score }: Judged, by: { readonly part: number; readonly score: number } | undefined): boolean =>
    by !== undefined && by.part >= MOST_EXPLAINED && by.score > score
  return ranked.flatMap((one) => {
    const { cause, place, share } = one.given
    const part = parts.get(one)
    const where = `${place.server} ${place.level}`
    const level = explainedIn.get(where)
    const isAmong = level !== undefined && level.part > 0 && part !== undefined
    if (isAmong && part < LEAST_EXPLAINED) return []
    if (isSlower && cause === 'slow-requests') return []
    if (STANDING.has(cause)) {
      if (isLess(one, level) || isLess(one, explainedIn.get(`${place.server} `))) return []
      // Nothing has to be done about what is over.
      if (cause !== 'brief-burst' && over.has(where)) return []
      const isYoung = troubled.some(({ server }) => server.id === place.server && server.isYoung)
      return [{ ...one, isBeside: isYoung || ranked.some((other) => actsThere(other, one)) }]
    }
    if (part === undefined || part === 0) return [one]
    return [{ ...one, ofWorst: ofWorst.get(one) ?? 0, given: { ...one.given, share: shareOf(part, share) } }]
  })
}

/** Of the causes of one level whose parts are known, the one that explains the most comes first; what stands beside others last. */
function largestFirst(ranked: readonly Judged[], worst: string | undefined): readonly Judged[] {
  const keyOf = ({ known, isBeside, given: { share, place } }: Judged): string | undefined =>
    share === undefined || !known || isBeside === true ? undefined : `${place.server} ${place.level ?? worst}`
  const partOf = ({ ofWorst, given: { share, place } }: Judged): number =>
    (place.level === undefined ? ofWorst : share?.part) ?? 0
  // Only whom one can ask comes before what the configuration is like.
  const isClient = ({ isBeside, given: { cause, culprit } }: Judged): boolean =>
    isBeside !== true && culprit !== undefined && ['traffic', 'client'].includes(CAUSE_INFO[cause].group)
  const byClient = ranked.some(isClient)
  const standsBehind = ({ isBeside = false }: Judged): number => Number(byClient && isBeside)
  const sorted = new Map(
    [...Map.groupBy(ranked, keyOf)].map(([key, all]) => [key, all.toSorted((a, b) => partOf(b) - partOf(a)).values()]),
  )
  return ranked
    .map((one) => (keyOf(one) === undefined ? one : (sorted.get(keyOf(one))?.next().value ?? one)))
    .toSorted((a, b) => standsBehind(a) - standsBehind(b))
}

/** Whether a cause with more evidence acts where the other stands. */
function actsThere({ given: { cause, place }, known, score }: Judged, other: Judged): boolean {
  const isThere =
    place.server === other.given.place.server &&
    (place.level === undefined || place.level === EXEMPT || place.level === other.given.place.level)
  return isThere && known && score > other.score && !STANDING.has(cause) && cause !== 'overload'
}

/** More causes of one level are not told apart. */
const MOST_LEVERS = 6

/** The part that a cause explains, with the range that so many observed requests allow. */
function shareOf(part: number, seen: Case['share']): Case['share'] {
  const scale = seen === undefined ? 1 : part / Math.max(part, seen.part)
  return { part, low: Math.min(part, (seen?.low ?? part) * scale), high: Math.max(part, (seen?.high ?? part) * scale) }
}

/** Each cause of a place once; causes with far less evidence than the best are dropped. */
function worthShowing(ranked: readonly Judged[]): readonly Judged[] {
  const best = Math.max(0, ...ranked.map(({ score }) => score))
  const shown = ranked.filter(
    ({ given, score }) =>
      ALWAYS_SHOWN.has(given.cause) ||
      CAUSE_INFO[given.cause].group === 'own side' ||
      (given.share?.part ?? 0) >= LEAST_EXPLAINED ||
      score >= LEAST_OF_BEST * best,
  )
  const specific = shown.some(
    ({ given, known }) => known && given.cause !== 'overload' && given.cause !== 'dangling-schema',
  )
  return shown.filter(({ given }) => !specific || given.cause !== 'overload').slice(0, MOST_FINDINGS)
}

/** The state of the worst server, in one word. */
function stateOf(
  servers: readonly ServerFacts[],
  { tone, level }: Diagnosis['now'],
  first: Diagnosis['findings'][number] | undefined,
): Diagnosis['state'] {
  if (servers.length === 0 || tone === 'withheld' || tone === 'stale') return 'unknown'
  const worst = servers.flatMap(({ levels }) => levels).find(({ name }) => name === level)
  // A headline may be about a level that serves requests it was not made for.
  if (tone === 'ok' || worst === undefined || isCalm(worst)) return first?.symptom === undefined ? 'flowing' : 'slow'
  const { rejected } = worst
  if (allRejected(rejected) > 0) return rejected['time-out'] * 2 > allRejected(rejected) ? 'timing out' : 'rejecting'
  return isSqueezed(worst.last.limits) ? 'squeezed' : 'queueing'
}

/** Changes that came too late or did nothing to the victims, and clients that use much and cause nothing. */
function innocentOf(
  servers: readonly ServerFacts[],
  changes: Diagnosis['changes'],
  findings: Diagnosis['findings'],
): Diagnosis['innocent'] {
  const isTrouble = findings.some(({ group }) => group !== 'none')
  if (!isTrouble) return []
  const named = new Set(findings.flatMap(({ culprit, victims }) => [culprit, ...victims.map(({ name }) => name)]))
  const busiest = servers.flatMap(({ ledger: { clients }, levels }) => {
    const calm = new Set(levels.filter(isCalm).map(({ name }) => name))
    const most = clients.find((client) => calm.has(client.level) && pressureOf(client) >= 1)
    if (most === undefined || named.has(clientName(most))) return []
    const text = `uses ${plain.counted(pressureOf(most), 'seat')} of ${most.level}, where nothing waits.`
    return [{ name: clientName(most), text }]
  })
  return [
    ...changes.flatMap(({ subject, at, effect, isToBlame }) =>
      isToBlame === false ? [{ name: subject, text: `changed at ${plain.time(at)}: ${lowerFirst(effect)}` }] : [],
    ),
    ...busiest,
  ]
}

/** A server that was last read so long before another one says nothing of the same instant. */
const LEFT_BEHIND_MS = 90_000

/** The headline that the Overview shows of the same samples. */
function nowIn({ servers, asOf, isPast }: Evidence, cause: LikelyCause | undefined): Diagnosis['now'] {
  const newest = newestOf({ servers })
  const current = servers.filter((server) => newestOf({ servers: [server] }) >= newest - LEFT_BEHIND_MS)
  const seen = current.flatMap(({ frames, latest, dumps }) => {
    if (latest !== undefined) return withBusiest(serverNow(latest.frame, latest.derived), dumps.at(-1))
    const pages = inOrder(frames)
    const since = unixMsOf(pages.at(-1)?.at ?? '') - NOW_MS
    return (
      nowServer(
        pages.filter(({ at }) => unixMsOf(at) >= since),
        dumps.at(-1),
      ) ?? []
    )
  })
  return nowOf(
    headline(
      seen.map((one) => ({ ...one, cause, ...(isPast && { instant: asOf ?? newest }) })),
      plain,
    ),
  )
}

/** What the Overview says where no server has a current sample: nothing is known of now. */
function silentNow({ asOf = 0, health }: Evidence, servers: readonly ServerFacts[]): Diagnosis['now'] | undefined {
  const stale = new Set(servers.filter((server) => isSilent(server, asOf)).map(({ id }) => id))
  if (servers.length === 0 || stale.size < servers.length) return undefined
  const said = staleServersLine(
    servers.map(({ id, to }) => {
      return { server: id, stale, ageMs: asOf - to, lastAt: to, health, isPast: true, now: asOf, format: plain }
    }),
  )
  return said && nowOf(said)
}

const nowOf = ({ tone, title, evidence, details = evidence, level }: NowStatement): Diagnosis['now'] => ({
  tone,
  title,
  ...(details !== undefined && { details }),
  ...(level !== undefined && { level }),
})

function summaryOf(
  now: Diagnosis['now'],
  last: Diagnosis['now'],
  servers: readonly ServerFacts[],
  worst: LevelFacts | undefined,
  [best]: Diagnosis['findings'],
): string {
  const before = worst === undefined || worst.name === now.level ? '' : ` Before, ${trouble(worst)}`
  if (servers.length === 0) return best?.text ?? ''
  if (now !== last) return `${now.title} ${last.title}`
  const state = `${now.title}${before}`
  if (best === undefined) return `${state} No known cause fits.`
  if (best.cause === 'missing-metrics') return `${state} The cause is unknown: ${best.title.toLowerCase()}.`
  const { level } = best.place
  const where =
    worst === undefined || level === undefined || level === (now.level ?? worst.name) ? '' : ` (of ${level})`
  return `${state} ${isHazard(now, best) ? 'Found' : 'Most likely'}: ${best.title.toLowerCase()}${where}.`
}

/** Causes that a fact about them excludes wherever they were looked for, and those that the data do not show. */
function othersIn(judged: readonly Judged[], found: ReadonlySet<CauseId>): Pick<Diagnosis, 'excluded' | 'notShown'> {
  const byCause = [...Map.groupBy(judged, ({ given }) => given.cause)].filter(([cause]) => !found.has(cause))
  const isExcluded = (cases: readonly Judged[]): boolean => cases.every(({ excludedBy }) => excludedBy !== undefined)
  return {
    excluded: byCause.flatMap(([cause, cases]) => {
      const because = isExcluded(cases) ? cases[0]?.excludedBy?.text : undefined
      return because === undefined ? [] : [{ cause, title: CAUSE_INFO[cause].title, because }]
    }),
    notShown: byCause.flatMap(([cause, cases]) => (isExcluded(cases) ? [] : [CAUSE_INFO[cause].title])),
  }
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const titles = (...causes: readonly CauseId[]): string =>
  listed(causes.map((cause) => CAUSE_INFO[cause].title.toLowerCase()))

/** Data that this source does not provide, and causes that cannot be distinguished without it. */
function limitsOf({ objects }: Evidence, servers: readonly ServerFacts[]): readonly string[] {
  if (servers.length === 0) return []
  return [
    servers.every(({ last }) => showsNone('queuedRequests', last)) &&
      `The pages do not show ${FAMILY.queuedRequests}: whether requests wait now is unknown.`,
    servers.every(({ hasBaseline }) => !hasBaseline) &&
      `There are no samples from before: ${titles('more-requests', 'slow-requests', 'slow-server')} cannot be distinguished.`,
    servers.every(({ dumps }) => dumps === 0) &&
      `There are no debug dumps: ${titles('one-flow', 'more-requests', 'slow-reader', 'shared-flow', 'shared-queues')} cannot be distinguished.`,
    objects === undefined &&
      `The flow-control objects are unavailable: ${titles('reject-level', 'short-queues', 'dangling-schema')} cannot be recognised, and there are no drafts.`,
    servers.length === 1 && `Samples are of one server: whether ${titles('one-server')} is unknown.`,
  ].filter((one) => one !== false)
}
