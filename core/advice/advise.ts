import type { Diagnosis } from '../contract/diagnosis.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { Advice, Suggestion } from '../contract/advice.ts'
import { allRejected } from '../frame/recent.ts'
import { plain } from '../text/format.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../units.ts'
import { lacking } from '../frame/lacking.ts'
import { FAMILY } from '../metrics/familyNames.ts'
import { seatsFor, type ServerUsage, type Usage } from './usage.ts'
import { boundaryAdvice } from './boundaries.ts'
import { counting, ENOUGH, isInNeed, type Place, range } from './evidence.ts'
import { lendingAdvice, queueAdvice, sharesAdvice } from './levelAdvice.ts'
import { missedAdvice } from './missed.ts'
import { flagAdvice, schemaAdvice, scrapeAdvice, sizeAdvice } from './serverAdvice.ts'
import { listed } from '../text/text.ts'
import type { LevelCallers } from './callerTally.ts'
import { between, sumOf } from './tally.ts'

/** Samples that cover less time are not enough to determine how many seats a level needs. */
const SHORTEST_MS = 5 * 60_000
const SHARES = [0.5, 0.9, 0.95, 0.99, 1] as const
const MOST_EDITS = 8

interface AdviceOptions {
  /** Nodes of the cluster, if the user specifies them. */
  readonly nodes?: number | undefined
  /** What is wrong at the end of the usage: its cause and remedy are not advised on a second time. */
  readonly verdict?: Diagnosis | undefined
}

/** Recommended changes of shares, lending, queues, schemas, flags and scraping, derived from their usage. */
export function advise(usage: Usage, { nodes, verdict }: AdviceOptions = {}): Advice {
  const servers = usage.servers.toSorted((a, b) => (most(b) ?? 0) - (most(a) ?? 0))
  const [busiest] = servers
  if (busiest === undefined) {
    return {
      from: 0,
      to: 0,
      servers: [],
      summary: 'There are no samples yet, so there is no advice.',
      suggestions: [],
      enough: [],
      limits: [],
    }
  }
  const { objects } = usage
  const isLong = busiest.coveredMs >= SHORTEST_MS
  const judged = (verdict?.findings ?? []).filter(({ group }) => group !== 'none' && group !== 'own side')
  const isJudged = ({ level }: Place): boolean =>
    judged.some(({ place }) => place.level === level.name || (place.level === undefined && isInNeed(level)))
  const all = isLong ? worstOfEach(servers) : []
  const levels = all.filter((place) => !isJudged(place))
  const needy = levels.filter(({ level }) => isInNeed(level))
  // Where trouble fills most of the samples, or may have come and gone in them, their demand is that of its cause.
  const isOfTrouble =
    judged.length > 0 &&
    verdict !== undefined &&
    busiest.coveredMs < Math.max(MS_PER_HOUR, 2 * (verdict.to - verdict.from))
  const suggestions = [
    ...levels.flatMap((place) => [...sharesAdvice(place, objects), ...queueAdvice(place, objects)]),
    ...levels.flatMap((place) => lendingAdvice(place, objects, needy.length > 0)),
    ...schemaAdvice(servers, objects),
    ...missedAdvice(usage.withoutNamespace, servers, objects),
    ...callerAdvice(usage.callers, levels),
    ...boundaryAdvice(usage.flows, levels, objects),
    ...(isLong && !isOfTrouble ? flagAdvice(busiest, needy.length > 0) : []),
    ...(nodes === undefined ? [] : sizeAdvice(busiest, nodes)),
    ...scrapeAdvice(busiest),
    ...(isLong && judged.length === 0 && needy.length === 0 && unseen(busiest).length === 0 ? [nothing(busiest)] : []),
  ]
  const ranked = suggestions.toSorted((a, b) => RANK[a.verdict] - RANK[b.verdict])
  return {
    from: Math.min(...servers.map(({ from }) => from)),
    to: Math.max(...servers.map(({ to }) => to)),
    servers: servers.map(({ id }) => id),
    ...(verdict !== undefined && judged.length > 0 && { verdict: verdict.summary }),
    summary: `${judged.length === 0 ? '' : 'Diagnosis says what helps against that. '}${summaryOf(busiest, isLong, needy, ranked, judged.length > 0)}`,
    suggestions: [...ranked.filter(isEdit).slice(0, MOST_EDITS), ...ranked.filter((one) => !isEdit(one))],
    enough: SHARES.flatMap((share) => {
      const seats = seatsFor(share, busiest.demand)
      return seats === undefined ? [] : [{ share, seats }]
    }),
    ...(busiest.limit !== undefined && { serverLimit: busiest.limit }),
    limits: limitsOf(busiest, isLong, isOfTrouble, objects, nodes),
  }
}

const RANK = { edit: 0, precaution: 1, rejected: 2 } as const
const isEdit = ({ verdict }: Suggestion): boolean => verdict === 'edit'
const most = ({ demand }: ServerUsage): number | undefined => seatsFor(ENOUGH, demand)

function worstOfEach(servers: readonly ServerUsage[]): readonly Place[] {
  const worst = new Map<string, Place>()
  // Rejections count before demand.
  const isWorse = ({ level: a }: Place, { level: b }: Place): boolean => {
    const more = allRejected(a.rejected) - allRejected(b.rejected)
    return more > 0 || (more === 0 && (seatsFor(ENOUGH, a.demand) ?? 0) > (seatsFor(ENOUGH, b.demand) ?? 0))
  }
  for (const server of servers) {
    for (const level of server.levels) {
      const place = { server, level }
      const known = worst.get(level.name)
      if (known === undefined || isWorse(place, known)) worst.set(level.name, place)
    }
  }
  return [...worst.values()]
}

/** Families without which trouble is not seen. */
const unseen = (server: ServerUsage): readonly string[] => lacking(server.last, [FAMILY.rejected, FAMILY.wait])

const nothing = (server: ServerUsage): Suggestion => ({
  kind: 'nothing',
  verdict: 'precaution',
  title: 'Change no limits',
  text: 'No request was rejected and none waited noticeably.',
  server: server.id,
  ...range(server),
  evidence: [`This holds ${counting(server)}.`],
  unknown: ['Rarer peaks than these samples show.'],
  changes: [],
  impact: [],
})

function summaryOf(
  busiest: ServerUsage,
  isLong: boolean,
  needy: readonly Place[],
  suggestions: readonly Suggestion[],
  isJudged: boolean,
): string {
  if (!isLong) {
    return `Samples cover ${plain.length(busiest.coveredMs)}. Advice on limits takes at least ${plain.length(SHORTEST_MS)}.`
  }
  const edits = suggestions.filter(isEdit)
  const changes = `${plain.counted(edits.length, 'change is', 'changes are')} suggested.`
  const lacks = unseen(busiest)
  if (needy.length === 0) {
    return lacks.length === 0
      ? `${isJudged ? 'No request of another level waits or is rejected.' : 'Every level has enough seats.'} ${edits.length === 0 ? 'The recommendations below are precautions.' : changes}`
      : `Whether requests wait or are rejected is unknown: the pages lack ${listed(lacks)}.`
  }
  const names = listed(needy.map(({ level }) => level.name))
  const seats = edits.some(({ kind }) => kind === 'flags')
    ? 'The servers have too few seats.'
    : suggestions.some(({ kind, verdict }) => kind === 'flags' && verdict === 'rejected')
      ? 'More seats for the server would not help.'
      : ''
  const helps = edits.length === 0 ? 'No edit found that would help.' : changes
  return `Requests of ${names} wait or are rejected. ${helps} ${seats}`.trimEnd()
}

/** What stands for demand that the pages do not show. */
function demandWithout({ last }: ServerUsage): string {
  if (lacking(last, [FAMILY.executingSeats]).length > 0)
    return 'The pages show neither demand nor the seats of requests that execute, so demand is unknown.'
  return lacking(last, [FAMILY.queuedSeats]).length > 0
    ? 'The pages show neither demand nor the seats of requests that wait. Demand is estimated from those that executed in each sample.'
    : 'The pages do not show demand. It is estimated from the requests that executed and waited in each sample.'
}

function limitsOf(
  server: ServerUsage,
  isLong: boolean,
  isOfTrouble: boolean,
  objects: ObjectSet | undefined,
  nodes: number | undefined,
): readonly string[] {
  const { limit, levels, coveredMs } = server
  return [
    ...(isLong && coveredMs < 7 * MS_PER_DAY
      ? [
          `Samples cover ${plain.length(coveredMs)}. A level that is idle now may be needed on another day; a week shows more.`,
        ]
      : []),
    ...(isLong && isOfTrouble
      ? [
          `How many seats the server should have is not said while something is wrong: that takes samples of ${plain.length(MS_PER_HOUR)}, most of them without trouble.`,
        ]
      : []),
    ...(objects === undefined
      ? ['The flow-control objects are unavailable, so there are no drafts and schemas are not checked.']
      : []),
    ...(limit === undefined
      ? ['The pages do not show how many seats the server has, so its flags are not checked.']
      : []),
    ...(levels.some(({ last }) => last.demand.highWatermark === undefined) ? [demandWithout(server)] : []),
    ...(nodes === undefined
      ? ['The number of nodes is unknown, so flags are not compared with the size of the cluster.']
      : []),
    'Effects on waits are not computed here: open an edit as a draft to forecast it.',
  ]
}

/** With fewer requests of a level, a dominant user cannot be determined. */
const LEAST_REQUESTS = 100
/** A user that sends this part of the requests of a level dominates it. */
const DOMINANT = 0.5
/** This many addresses, each with this many requests, are considered instances. */
const LEAST_ADDRESSES = 3
const LEAST_OF_ADDRESS = 5

/** Names given to components of Kubernetes, unlike those of service accounts. */
const isFixedName = (user: string): boolean => user.startsWith('system:') && !user.startsWith('system:serviceaccount:')

/** A user of a level whose instances, at several addresses, are one flow that sends most of its requests. */
function callerAdvice(callers: readonly LevelCallers[], places: readonly Place[]): readonly Suggestion[] {
  return callers.flatMap((found) => {
    const { level, requests, from, to, users } = found
    const place = places.find((one) => one.level.name === level)
    if (place === undefined || requests < LEAST_REQUESTS) return []
    return [...users].flatMap(([user, addresses]): readonly Suggestion[] => {
      const own = sumOf(addresses)
      const instances = [...addresses]
        .filter(([, count]) => count >= LEAST_OF_ADDRESS)
        .toSorted(([, a], [, b]) => b - a)
      if (own < DOMINANT * requests || instances.length < LEAST_ADDRESSES || isFixedName(user)) return []
      return [
        {
          kind: 'users',
          verdict: isInNeed(place.level) ? 'edit' : 'precaution',
          title: `Give each instance of ${user} a user name of its own`,
          text: `Its instances are one flow of ${level}: they share one hand of queues and wait behind each other. With names of their own, each is a flow that fair queuing serves in its turn.`,
          server: place.server.id,
          level,
          from,
          to,
          evidence: [
            `${user} sent ${plain.percent(own / requests)} of ${plain.counted(requests, 'request')} of ${level} whose flow is their user, ${between(found)}, from ${plain.counted(instances.length, 'address', 'addresses')} with ${plain.amount(LEAST_OF_ADDRESS)} requests or more: ${listed(instances.slice(0, 3).map(([address, count]) => `${address} (${plain.amount(count)})`))}${instances.length > 3 ? ' and others' : ''}.`,
          ],
          unknown: [
            'Addresses may be those of proxies: one can stand for several instances, and one instance can use several.',
            'As several flows the instances together can get more than the one flow did, at the cost of other users of the level.',
          ],
          changes: [],
          impact: [],
        },
      ]
    })
  })
}
