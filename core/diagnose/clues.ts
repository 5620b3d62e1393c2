import { THRESHOLDS } from '../alerts/rules.ts'
import { EXEMPT } from '../config/objects.ts'
import type { SchemaTraffic } from '../contract/forecast.ts'
import { flowName } from '../frame/flow.ts'
import { histogramMean } from '../frame/quantile.ts'
import { allRejected } from '../frame/recent.ts'
import { largestOf, watchPart, type DumpedFlow } from '../verdict/ledger.ts'
import { plain } from '../text/format.ts'
import { meanOf } from '../twin/observe.ts'
import { MS_PER_SECOND } from '../units.ts'
import { executionOf, type LevelFacts, type ServerFacts } from './facts.ts'
import { isSlower, sameClients } from './slower.ts'
import { byUser, WIDE, type Suspect } from './suspects.ts'
import { listed } from '../text/text.ts'

/** A statement with numbers that supports or contradicts a cause. */
export interface Clue {
  /** `undefined` if the source does not provide it. */
  readonly holds: boolean | undefined
  /** One sentence, valid whether it supports the cause or contradicts it; if it is unknown, the missing data. */
  readonly text: string
  /** Absent: 1. */
  readonly weight?: number
  /** What it says is that something else is not the case: it makes a cause more likely, and is no evidence for it. */
  readonly isAbsence?: true
}

/** The factor by which requests must have grown to count as more. */
const MORE = 1.5
/** Below this a growth is noise: requests per second. */
const LEAST_MORE = 1
/** With fewer finished requests, their execution time is not reliable. */
const FEWEST_FINISHED = 10
/** A flow with this fraction of the requests and seats of a level dominates it, if it has that many requests. */
const DOMINANT = 0.5
const FEWEST_OF_FLOW = 5
/** Seconds of execution so far from which a request counts as long. */
export const LONG_SECONDS = 4

/** The opposite; a hint weighs 1 again. */
export const not = ({ holds, text }: Clue): Clue => ({
  holds: holds === undefined ? undefined : !holds,
  text,
  isAbsence: true,
})
export const weighing = (weight: number, clue: Clue): Clue => ({ ...clue, weight })
export const fact = (holds: boolean | undefined, text: string): Clue => ({ holds, text })

const NO_BASELINE =
  'There are no samples from before the trouble, so more requests and slower requests cannot be distinguished.'
const NO_DUMPS = 'There are no debug dumps, so the flows of this level are unknown.'

/** Whether more requests arrive than before. */
export function moreRequests({ name, now, before }: LevelFacts): Clue {
  if (before === undefined) {
    const [first, second] = halves(now.schemas.map(({ arrivals }) => arrivals))
    if (first.length < FEWEST_STEPS || second.length < FEWEST_STEPS) return fact(undefined, NO_BASELINE)
    const [was, is] = [meanOf(first) ?? 0, meanOf(second) ?? 0]
    return weighing(
      2,
      fact(
        is >= MORE * was && is - was >= LEAST_MORE,
        `${name} received ${plain.amount(is)} requests/s in the second half of the samples, and ${plain.amount(was)} /s in the first one.`,
      ),
    )
  }
  const [is, was] = [now.quantities.arrivalsPerSecond, before.quantities.arrivalsPerSecond]
  return weighing(
    2,
    fact(
      is >= MORE * was && is - was >= LEAST_MORE,
      `${name} received ${plain.amount(is)} requests/s, and ${plain.amount(was)} /s before.`,
    ),
  )
}

/** Steps in each half; with fewer, the halves are not compared. */
const FEWEST_STEPS = 15

/** Sums of several columns, step by step, in two halves. */
function halves(columns: readonly (readonly number[])[]): readonly [readonly number[], readonly number[]] {
  const steps = Math.max(0, ...columns.map(({ length }) => length))
  const sums = Array.from({ length: steps }, (_, step) => columns.reduce((sum, column) => sum + (column[step] ?? 0), 0))
  const middle = Math.floor(steps / 2)
  return [sums.slice(0, middle), sums.slice(middle)]
}

const finished = ({ execution }: SchemaTraffic): number => execution?.count ?? 0

/** Requests per second that were not rejected. */
const servedPerSecond = ({ arrivals, rejected }: SchemaTraffic): number =>
  Math.max(0, (meanOf(arrivals) ?? 0) - (meanOf(rejected) ?? 0))

/**
 * Whether a schema serves so many more requests than before that its execution times are mostly those of other
 * requests. Requests that become slower are not served more often: retries of their clients are rejected or wait.
 */
const servesOthers = (now: SchemaTraffic, before: SchemaTraffic): boolean => {
  const [is, was] = [servedPerSecond(now), servedPerSecond(before)]
  return is >= MORE * was && is - was >= LEAST_MORE
}

/** The same schema in the time before that, if enough of its requests finished in both. */
function earlierOf(schema: SchemaTraffic, before: LevelFacts['before']): SchemaTraffic | undefined {
  const earlier = before?.schemas.find((one) => one.schema === schema.schema)
  if (earlier === undefined || finished(schema) < FEWEST_FINISHED || finished(earlier) < FEWEST_FINISHED)
    return undefined
  return earlier
}

/**
 * Mean execution time of a schema now and before; `undefined` if too few requests finished, or other requests than
 * before.
 */
function executionPair(
  schema: SchemaTraffic,
  before: LevelFacts['before'],
): { readonly was: number; readonly is: number } | undefined {
  const earlier = earlierOf(schema, before)
  if (earlier === undefined || servesOthers(schema, earlier)) return undefined
  const [is, was] = [
    schema.execution && histogramMean(schema.execution),
    earlier.execution && histogramMean(earlier.execution),
  ]
  return is === undefined || was === undefined ? undefined : { was, is }
}

type Observed = Pick<LevelFacts, 'name' | 'now' | 'before'>

/** Levels, the exempt one included. */
export const withExempt = ({ levels, exempt }: ServerFacts): readonly Observed[] =>
  exempt === undefined ? levels : [...levels, exempt]

/** Mean execution times now and before, seconds, of the flow schemas of these levels that can be compared. */
export const executionPairs = (levels: readonly Observed[]) =>
  levels.flatMap(({ name, now, before }) =>
    now.schemas.flatMap((schema) => {
      const pair = executionPair(schema, before)
      return pair === undefined ? [] : [{ level: name, schema, ...pair }]
    }),
  )

/** Whether the requests of a level take longer than before, like with like: the same clients, else the same schema. */
export function slowerRequests(level: LevelFacts, server: ServerFacts): Clue {
  const { name, now, before } = level
  if (before === undefined) return fact(undefined, NO_BASELINE)
  const left = new Set(level.suspects.map((one) => one.name))
  const same =
    newSuspect(level) === undefined
      ? undefined
      : sameClients(byUser(server.ledger, name), byUser(server.earlier, name), left)
  if (same !== undefined && !isSlower(same)) {
    return weighing(
      3,
      fact(
        false,
        `Requests of the other clients of ${name} had executed for ${plain.seconds(same.is)} in debug dumps, and for ${plain.seconds(same.was)} before: longer ones are those of ${listed([...left])}.`,
      ),
    )
  }
  const pairs = executionPairs([level])
  const others = now.schemas.find((schema) => {
    const earlier = earlierOf(schema, before)
    return earlier !== undefined && servesOthers(schema, earlier)
  })
  const [main] = pairs.toSorted((a, b) => (b.schema.seats ?? 0) - (a.schema.seats ?? 0))
  if (others !== undefined && (others.seats ?? 0) >= (main?.schema.seats ?? 0)) {
    return fact(
      undefined,
      `${name} executes many more requests of ${others.schema} than before, so the execution times are those of other requests.`,
    )
  }
  if (main === undefined) {
    return fact(undefined, `Too few requests of ${name} finished to compare their execution times with those before.`)
  }
  const { is, was } = main
  return weighing(
    3,
    fact(
      isSlower(main),
      `Requests of ${main.schema.schema} executed for ${plain.seconds(is)} on average, and ${plain.seconds(was)} before.`,
    ),
  )
}

/**
 * Seconds of waiting requests or occupied seats up to which it may be a burst; longer ones show a recurring lack of
 * seats.
 */
export const BRIEF_SECONDS = 25

/** Whether a level uses all its seats: most of the time, or repeatedly. */
export function isFull({
  name,
  fullShare,
  fullSeconds,
  pagesQueued,
  usedSeats: { executing, current },
}: LevelFacts): Clue {
  const where = pagesQueued === 0 ? 'of the samples' : 'of the samples since requests first waited'
  return fact(
    fullShare >= 0.5 || fullSeconds > BRIEF_SECONDS,
    `In ${plain.percent(fullShare)} ${where}, requests of ${name} waited or all its seats were taken: it used ${plain.amount(executing)} of ${plain.amount(current)} seats on average.`,
  )
}

/** Waiting or rejected requests: the symptom itself. */
export function trouble({ name, rejected, now, mostQueued, waitRange }: LevelFacts): string {
  const all = allRejected(rejected)
  const waits = now.quantities.waitP99
  const parts = [
    ...(all > 0 ? [`${plain.counted(all, 'request')} rejected`] : []),
    ...(mostQueued > 0 ? [`up to ${plain.counted(mostQueued, 'request')} queued`] : []),
    ...(waits === undefined ? [] : [`wait p99 ${plain.quantile(waits, waitRange)}`]),
  ]
  return `${name}: ${parts.join(', ')}.`
}

/** A flow that is named like none of its users is a namespace. */
const isNamespace = ({ flow, users }: DumpedFlow): boolean =>
  flow !== '' && users.length > 0 && users.every(({ name }) => name !== flow)
/** The flow as every surface names it. */
export const nameOf = (flow: DumpedFlow): string =>
  isNamespace(flow) ? `namespace ${flow.flow}` : flowName(flow.flow, flow.schema)
/** Who sends most of its requests, where a dump shows it, else the flow. */
export const senderOf = (flow: DumpedFlow): string => flowName(flow.users[0]?.name ?? flow.flow, flow.schema)

/** What the server calls the flow of a sender, in brackets; empty where it is called as the sender. */
export const asideOf = (flow: DumpedFlow, sender: string): string =>
  nameOf(flow) === sender ? '' : ` (${isNamespace(flow) ? 'in' : 'flow'} ${nameOf(flow)})`

/** The flow by its only user, where a dump shows no other: whom to ask, and what the server calls it. */
export const culpritOf = (flow: DumpedFlow): string =>
  flow.users.length === 1 ? `${senderOf(flow)}${asideOf(flow, senderOf(flow))}` : nameOf(flow)

/** Whoever sends most of the requests of a flow, else the flow. */
export const mostlyOf = (flow: DumpedFlow): string =>
  (flow.users[0]?.part ?? 0) >= DOMINANT ? senderOf(flow) : nameOf(flow)

/** Whether the flow has requests of several users. */
export function severalUsers(flow: DumpedFlow | undefined): Clue {
  if (flow === undefined) return fact(undefined, 'There are no debug dumps, so the users of a flow are unknown.')
  const [first, ...others] = flow.users
  const most =
    first === undefined || others.length === 0
      ? ''
      : `; ${senderOf(flow)} sends ${plain.percent(Math.min(first.part, 0.99))} of them`
  return fact(
    first === undefined ? undefined : others.length > 0,
    `${culpritOf(flow)} has requests of ${plain.counted(flow.users.length, 'user')}${most}.`,
  )
}

/** The client out of proportion that was not there before, or hardly. */
export const newSuspect = ({ suspects }: LevelFacts): Suspect | undefined =>
  suspects.find(({ before, pressure }) => before !== undefined && before < NEW * pressure)

/** A client that wanted less than this part of what it wants now is new. */
const NEW = 0.25

/** From this part of all executing seats on, and this factor of those before, exempt requests make a machine busy. */
const MUCH_EXEMPT = 0.3
const MORE_EXEMPT = 2

/** Whether exempt requests use much of the server, and far more than before. */
export function isExemptFlood({ exempt, exemptSeats, exemptBegan, allSeats }: ServerFacts): boolean {
  const before = exempt?.before?.quantities.seats
  const isMuch = exemptSeats >= Math.max(THRESHOLDS.exemptSeats, MUCH_EXEMPT * allSeats)
  return isMuch && (exemptBegan !== undefined || (before !== undefined && exemptSeats >= MORE_EXEMPT * before))
}

/** Whether a client floods that was not there before: a busy machine and longer executions follow from it. */
export function newFlood(server: ServerFacts): Clue {
  const [found] = server.levels.flatMap((level) => {
    const suspect = newSuspect(level)
    return suspect === undefined ? [] : [{ level: level.name, who: suspect.name }]
  })
  const flood = found ?? (isExemptFlood(server) ? { level: EXEMPT, who: 'Exempt requests' } : undefined)
  return fact(
    flood !== undefined,
    flood === undefined
      ? 'No client began to send far more than the others.'
      : `${flood.who} began to use far more of ${flood.level}; what becomes slower since then follows from it.`,
  )
}

/** Whether one client, or one flow of many clients, has most of what a level cannot serve. */
export function oneFlow({ name, flows, suspects: [suspect] }: LevelFacts, { dumps, ledger }: ServerFacts): Clue {
  const largest = largestOf(flows)
  const seen = dumps > 0 ? plain.counted(dumps, 'debug dump') : plain.counted(ledger.requests, 'request')
  if (suspect !== undefined) return weighing(3, fact(true, suspectText(suspect, name, seen)))
  if (largest === undefined) return fact(undefined, NO_DUMPS)
  const { flow, part } = largest
  return weighing(
    3,
    fact(
      part >= DOMINANT && flow.executing + flow.waiting >= FEWEST_OF_FLOW,
      `${nameOf(flow)} has ${plain.percent(part)} of the requests of ${name} in ${seen}.`,
    ),
  )
}

/** What it takes and wants beside the others and before, and whether these fit without it. */
export function suspectText({ name, pressure, before, others, limit }: Suspect, level: string, seen: string): string {
  const was = before === undefined ? '' : `, and ${plain.amount(before)} before`
  const fits = others <= limit ? 'they fit without it' : 'they do not fit without it either'
  return `${name} takes and wants ${plain.counted(pressure, 'seat')} of ${level} in ${seen}${was}; all others take and want ${plain.amount(others)} of ${plain.amount(limit)}: ${fits}.`
}

/** The flow with the most seats of a level. */
export const widestFlow = ({ flows }: LevelFacts): DumpedFlow | undefined =>
  flows.toSorted((a, b) => b.seats - a.seats)[0]

/** Whether one flow holds seats with requests that execute for a long time, while others do not. */
export function longFlow(level: LevelFacts, { dumps }: ServerFacts): Clue {
  const widest = widestFlow(level)
  if (dumps === 0 || widest === undefined) return fact(undefined, NO_DUMPS)
  const { seconds: age = 0, partOfLevel } = widest
  const others = level.flows.filter((flow) => flow !== widest && flow.seconds !== undefined)
  const count = others.reduce((sum, { executing }) => sum + executing, 0)
  const usual = count === 0 ? 0 : others.reduce((sum, flow) => sum + (flow.seconds ?? 0) * flow.executing, 0) / count
  return weighing(
    5,
    fact(
      partOfLevel >= 0.4 && age >= LONG_SECONDS && usual < age / 3,
      `Requests of ${nameOf(widest)} hold ${plain.percent(partOfLevel)} of the seats that ${level.name} uses and had executed for ${plain.seconds(age)} on average${count === 0 ? '' : `, those of other flows for ${plain.seconds(usual)}`}.`,
    ),
  )
}

/** Whether the executing requests are many seats wide. */
export const wideRequests = ({ name, seatsPerRequest }: LevelFacts): Clue =>
  weighing(
    4,
    fact(
      seatsPerRequest === undefined ? undefined : seatsPerRequest >= WIDE,
      seatsPerRequest === undefined
        ? `No sample shows how many seats a request of ${name} takes.`
        : `A request that executed or waited in ${name} takes ${plain.counted(seatsPerRequest, 'seat')} on average.`,
    ),
  )

/**
 * Seats of watches that are being initialised, as a fraction of those that a level uses: by their finished ones, or by
 * dumps, where a watch holds a seat until it is initialised.
 */
export function watchShare({ name, now }: LevelFacts, { ledger }: ServerFacts, spanSeconds: number): number {
  const time = now.schemas.reduce((sum, { executionWatch }) => sum + (executionWatch?.sum ?? 0), 0)
  const own = ledger.clients.filter(({ level, seenExecuting }) => level === name && seenExecuting > 0)
  const all = own.reduce((sum, { seats }) => sum + seats, 0)
  const watches = own.reduce((sum, client) => sum + client.seats * watchPart(client), 0)
  return Math.max(time / spanSeconds / Math.max(1, now.quantities.seats ?? 0), all === 0 ? 0 : watches / all)
}

/** A set of queues that drains within this many seconds is short: only then do longer ones help. */
export const SHORT_DRAIN_SECONDS = 2

/** Seconds that the queues of a level need to drain when they are full; `undefined` if their shape is unknown. */
export function drainSeconds(
  { spec, dispatched }: Pick<LevelFacts, 'spec'> & { readonly dispatched: number | undefined },
  spanSeconds: number,
): number | undefined {
  const queuing = spec?.limitResponse.queuing
  return queuing === undefined || dispatched === undefined || dispatched === 0
    ? undefined
    : (queuing.queues * queuing.queueLengthLimit * spanSeconds) / dispatched
}

/** Execution times of all schemas with enough requests, exempt ones included. */
export function slowEverywhere(server: ServerFacts): Clue {
  const pairs = executionPairs(withExempt(server))
  const slow = pairs.filter(isSlower)
  if (pairs.length < 2) {
    return fact(
      server.levels.some(({ before }) => before !== undefined) ? false : undefined,
      pairs.length === 0
        ? 'There are no execution times from before, so whether the server became slower is unknown.'
        : 'Execution times of one flow schema alone can be compared with those before.',
    )
  }
  return fact(
    slow.length >= 2 && slow.length >= 0.6 * pairs.length,
    `Requests of ${plain.amount(slow.length)} of ${plain.counted(pairs.length, 'flow schema')} take at least twice as long as before.`,
  )
}

/** Whether the server has as many seats as before. */
export const sameServer = ({ id, limit, limitBefore }: ServerFacts) =>
  fact(
    limit === undefined || limitBefore === undefined ? undefined : limit >= 0.95 * limitBefore,
    `${id} has ${plain.amount(limit ?? 0)} seats, and had ${plain.amount(limitBefore ?? 0)} in the first sample.`,
  )

/** For this long after a start, effects of the start itself are likely. */
const STARTING_SECONDS = 120

/** Whether the server started with as many seats as before a moment ago. */
export function justStarted(server: ServerFacts): Clue {
  const { restartedAt, to } = server
  const started = restartedAt === undefined ? undefined : (to - restartedAt) / MS_PER_SECOND
  return fact(
    started !== undefined && started <= STARTING_SECONDS && sameServer(server).holds !== false,
    started === undefined
      ? 'The server did not restart.'
      : `The server restarted ${plain.seconds(started)} before the last sample, at ${plain.time(restartedAt ?? to)}.`,
  )
}

/** How long requests of a level execute, as a sentence; empty where that is not known. */
export const executionText = (level: LevelFacts): string => {
  const mean = executionOf(level.now)
  return mean === undefined ? '' : ` Requests execute for ${plain.seconds(mean)} on average.`
}
