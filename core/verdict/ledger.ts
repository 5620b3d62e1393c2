import { identityOf } from '../classify/identity.ts'
import type { LiveRequest } from '../contract/live.ts'
import type { DumpFrame, DumpRequest } from '../frame/dump.ts'
import { asksForDump, flowName, isWaiting } from '../frame/flow.ts'
import { median } from '../frame/quantile.ts'
import type { RequestDigest } from '../request/match.ts'
import { MS_PER_SECOND, unixMsOf } from '../units.ts'

/** A sender in one flow of one level, as it would be looked up. */
export interface Client {
  readonly level: string
  readonly schema: string
  /** Distinguisher; empty where the schema has none. */
  readonly flow: string
  /** `undefined` where the source does not tell. */
  readonly user: string | undefined
}

/** What single requests show of a client: a proxy, an audit log or a request log has each of them. */
export interface SentRequests {
  readonly perSecond: number
  readonly count: number
  readonly rejected: number
  /** Time-outs in the queue that came sooner than those of clients without a deadline of their own. */
  readonly timedOutEarly: number
  /** Seconds; means of those whose wait or execution is known. */
  readonly waited: number | undefined
  readonly executed: number | undefined
  /** Seats of a request, mean. */
  readonly width: number
  /** Page size of most of its lists: 0 where they have none; `undefined` without lists. */
  readonly limit: number | undefined
  /** Request timeout that most of its requests set, seconds. */
  readonly timeout: number | undefined
  /** Whether they arrive as evenly as those of a client that limits itself. */
  readonly isEven: boolean
}

/** Requests with the same verb and resource or path. */
export interface Call {
  /** `list pods`. */
  readonly text: string
  readonly count: number
  /** As flow schemas see one of them. Groups are those that the source tells, else what the name implies. */
  readonly digest: RequestDigest
}

/** A client in a period. */
export interface ClientUse extends Client {
  /** Means over the dumps of the period: requests, and seats of both. */
  readonly waiting: number
  readonly executing: number
  readonly seats: number
  readonly queuedSeats: number
  /** Requests in all of the dumps. */
  readonly seenWaiting: number
  readonly seenExecuting: number
  /** Different requests among them, as long as these are few: those that waited, and all. */
  readonly fewWaiting: number
  readonly fewSeen: number
  /** Seconds so far, means; `undefined` if there are none. */
  readonly waited: number | undefined
  readonly seconds: number | undefined
  /** The longest wait so far that a dump showed, seconds. */
  readonly longest: number
  /** Kinds of its requests, the most frequent first. */
  readonly calls: readonly Call[]
  readonly queues: ReadonlySet<number>
  readonly sent: SentRequests | undefined
}

export interface DumpedFlow extends Omit<Client, 'user'> {
  /** Means over all dumps. */
  readonly seats: number
  readonly waiting: number
  /** Executing requests, and for how many seconds they have executed so far; `undefined` if there are none. */
  readonly executing: number
  readonly seconds: number | undefined
  /** Observed users, the one with the most requests first, each with its share of them. */
  readonly users: readonly { readonly name: string; readonly part: number }[]
  /** Share of the seats that its level used in the dumps, 0 to 1. */
  readonly partOfLevel: number
}

/** Who used a server in a period, as far as debug dumps and single requests show it. */
export interface Ledger {
  /** Number of dumps of requests. */
  readonly dumps: number
  /** Number of single requests. */
  readonly requests: number
  /** Those with the most seats, taken or wanted, first. */
  readonly clients: readonly ClientUse[]
  readonly flows: readonly DumpedFlow[]
}

/** Dumps show a request that takes long again and again: fewer requests than this are told apart. */
export const FEW_SEEN = 20
/** Maximum number of separate clients, and of kinds of requests of each: later ones do not count. */
const MOST_CLIENTS = 50_000
const MOST_CALLS = 20
/** So many requests show how evenly a client sends. */
const MOST_TIMES = 2_000

interface Seen {
  readonly client: Client
  seats: number
  queuedSeats: number
  waiting: number
  executing: number
  waited: number
  seconds: number
  longest: number
  /** When its requests arrived, waiting and executing ones; the first few. */
  readonly arrivedWaiting: Set<number>
  readonly arrivedExecuting: Set<number>
  readonly calls: Map<string, { count: number; readonly example: DumpRequest | LiveRequest }>
  readonly queues: Set<number>
  sent: Sent | undefined
}

interface Sent {
  count: number
  readonly times: number[]
  rejected: number
  timedOutEarly: number
  readonly waits: Mean
  readonly executions: Mean
  readonly widths: Mean
  readonly limits: Map<number, number>
  readonly timeouts: Map<number, number>
}

interface Mean {
  sum: number
  count: number
}
const mean = ({ sum, count }: Mean): number | undefined => (count === 0 ? undefined : sum / count)
const addTo = (to: Mean, value: number | undefined): void => {
  if (value === undefined) return
  to.sum += value
  to.count++
}
const count = <K>(counts: Map<K, number>, key: K, by = 1): void => void counts.set(key, (counts.get(key) ?? 0) + by)
const byCount = <K>(counts: ReadonlyMap<K, number>): readonly K[] =>
  [...counts].toSorted(([, a], [, b]) => b - a).map(([key]) => key)

const keyOf = ({ level, schema, flow, user = '' }: Client): string => `${level}\n${schema}\n${flow}\n${user}`

function addFew(to: Set<number>, arrivals: Iterable<number>): void {
  for (const at of arrivals) if (to.size < FEW_SEEN) to.add(at)
}

/** Of one dump, in which requests that arrived at once are different ones. */
function addArrival(to: Set<number>, arrivedAt: number): void {
  let at = arrivedAt
  while (to.has(at)) at += 0.001
  addFew(to, [at])
}

const unseen = ({ level, schema, flow, user }: Client): Seen => ({
  client: { level, schema, flow, user },
  seats: 0,
  queuedSeats: 0,
  waiting: 0,
  executing: 0,
  waited: 0,
  seconds: 0,
  longest: 0,
  arrivedWaiting: new Set(),
  arrivedExecuting: new Set(),
  calls: new Map(),
  queues: new Set(),
  sent: undefined,
})

/** Each dump is read once, however many periods contain it. */
const READ = new WeakMap<DumpFrame, ReadonlyMap<string, Seen>>()

function clientsIn(dump: DumpFrame): ReadonlyMap<string, Seen> {
  const known = READ.get(dump)
  if (known !== undefined) return known
  const found = new Map<string, Seen>()
  const at = unixMsOf(dump.at)
  for (const row of dump.requests ?? []) {
    // Whoever reads dumps would otherwise be the largest client of a quiet level.
    if (asksForDump(row)) continue
    const client = { level: row.level, schema: row.schema, flow: row.flow, user: row.user }
    const key = keyOf(client)
    const seen = found.get(key) ?? unseen(client)
    if (found.size < MOST_CLIENTS) found.set(key, seen)
    countCall(seen, callOf(row), row)
    const [since, seats] = [Math.max(0, at - (row.startedAt ?? row.arrivedAt)) / MS_PER_SECOND, row.initialSeats]
    if (isWaiting(row)) {
      seen.waiting++
      seen.waited += since
      seen.longest = Math.max(seen.longest, since)
      addArrival(seen.arrivedWaiting, row.arrivedAt)
      seen.queuedSeats += seats
      if (row.queue >= 0) seen.queues.add(row.queue)
    } else {
      seen.executing++
      addArrival(seen.arrivedExecuting, row.arrivedAt)
      seen.seconds += since
      seen.seats += seats
    }
  }
  READ.set(dump, found)
  return found
}

/** Each dump is counted once, however many clients are looked up in it. */
const COUNTED = new WeakMap<DumpFrame, ReadonlyMap<string, number>>()

/** Requests of that client that wait or execute in a level at the moment of a dump; `undefined` if it has no requests. */
export function countIn(dump: DumpFrame, level: string, name: string): number | undefined {
  if (dump.requests === undefined) return undefined
  const known = COUNTED.get(dump)
  if (known !== undefined) return known.get(`${level}\n${name}`) ?? 0
  const counts = new Map<string, number>()
  for (const { client, waiting, executing } of clientsIn(dump).values())
    count(counts, `${client.level}\n${clientName(client)}`, waiting + executing)
  COUNTED.set(dump, counts)
  return counts.get(`${level}\n${name}`) ?? 0
}

const callOf = ({ verb = '', resource = '', subresource = '', path = '' }: DumpRequest): string =>
  resource === '' ? `${verb} ${path}` : `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}`

function countCall({ calls }: Seen, text: string, example: DumpRequest | LiveRequest, by = 1): void {
  const known = calls.get(text)
  if (known !== undefined) known.count += by
  else if (calls.size < MOST_CALLS) calls.set(text, { count: by, example })
}

function digestOf(row: DumpRequest | LiveRequest): RequestDigest {
  const { user = '', verb = '', resource = '', namespace = '', name = '' } = row
  const isLive = 'url' in row
  const path = isLive ? (row.url.split('?', 1)[0] ?? '') : (row.path ?? '')
  const [, group = ''] = /^\/apis\/([^/]+)\//.exec(path) ?? []
  const [plural = '', ...rest] = resource.split(isLive ? /[./]/ : '/')
  const subresource = isLive ? (resource.split('/')[1] ?? '') : (row.subresource ?? rest[0] ?? '')
  return {
    user: { name: user, groups: isLive && row.groups.length > 0 ? row.groups : identityOf(user).groups },
    info: {
      isResource: resource !== '',
      path,
      verb,
      apiPrefix: path.split('/', 2)[1] ?? '',
      apiGroup: group,
      apiVersion: '',
      namespace,
      resource: plural,
      subresource,
      name,
      fieldSelector: '',
      labelSelector: '',
      parts: undefined,
    },
  }
}

export interface LedgerBuilder {
  dump(dump: DumpFrame): void
  /** Each request once, in its last state. */
  requests(rows: readonly LiveRequest[]): void
  /** `seconds`: the length of the period. */
  finish(seconds: number): Ledger
}

export function createLedger(): LedgerBuilder {
  const clients = new Map<string, Seen>()
  const seenOf = (client: Client, key = keyOf(client)): Seen => {
    const seen = clients.get(key) ?? unseen(client)
    if (clients.size < MOST_CLIENTS) clients.set(key, seen)
    return seen
  }
  let [dumps, requests] = [0, 0]
  return {
    dump(dump) {
      if (dump.requests === undefined) return
      dumps++
      for (const [key, one] of clientsIn(dump)) {
        const seen = seenOf(one.client, key)
        for (const sum of ['seats', 'queuedSeats', 'waiting', 'executing', 'waited', 'seconds'] as const)
          seen[sum] += one[sum]
        seen.longest = Math.max(seen.longest, one.longest)
        addFew(seen.arrivedWaiting, one.arrivedWaiting)
        addFew(seen.arrivedExecuting, one.arrivedExecuting)
        for (const [call, { count: times, example }] of one.calls) countCall(seen, call, example, times)
        for (const queue of one.queues) seen.queues.add(queue)
      }
    },
    requests(rows) {
      for (const row of rows) {
        if (row.state === 'bypassed') continue
        requests++
        addRow(seenOf(row), row)
      }
    },
    finish(seconds) {
      const all = [...clients.values()].map((seen) => useOf(seen, { dumps, seconds }))
      return {
        dumps,
        requests,
        clients: all.toSorted((a, b) => pressureOf(b) - pressureOf(a)),
        flows: flowsOf(all),
      }
    },
  }
}

/** Waiting requests time out after a quarter of their deadline: 15 s if the client sets none. */
export const USUAL_TIME_OUT_SECONDS = 15
/** Shorter waits did not end at the usual time-out. */
export const LONG_WAIT_SECONDS = 0.9 * USUAL_TIME_OUT_SECONDS

function addRow(seen: Seen, row: LiveRequest): void {
  const { at, verb, resource, url, state, reason, waitMs, runMs, seats, server } = row
  const sent: Sent = seen.sent ?? {
    count: 0,
    times: [],
    rejected: 0,
    timedOutEarly: 0,
    waits: { sum: 0, count: 0 },
    executions: { sum: 0, count: 0 },
    widths: { sum: 0, count: 0 },
    limits: new Map(),
    timeouts: new Map(),
  }
  seen.sent = sent
  sent.count++
  if (sent.times.length < MOST_TIMES) sent.times.push(at)
  countCall(seen, `${verb} ${resource === '' ? url.split('?', 1)[0] : resource}`, row)
  if (state === 'rejected') sent.rejected++
  addTo(sent.waits, server?.waitMs ?? waitMs)
  if (verb !== 'watch') addTo(sent.executions, runMs)
  addTo(sent.widths, server?.initialSeats ?? seats.initial)
  const query = (name: string): string | undefined => new RegExp(`[?&]${name}=([^&]*)`).exec(url)?.[1]
  if (verb === 'list') count(sent.limits, Number(query('limit') ?? 0))
  const timeout = Number.parseFloat(query('timeout') ?? '')
  if (Number.isFinite(timeout)) count(sent.timeouts, timeout)
  const waited = inSeconds(server?.waitMs ?? waitMs) ?? timeout / 4
  if (reason === 'time-out' && waited < LONG_WAIT_SECONDS) sent.timedOutEarly++
}

function useOf(seen: Seen, of: { readonly dumps: number; readonly seconds: number }): ClientUse {
  const dumps = Math.max(1, of.dumps)
  return {
    ...seen.client,
    waiting: seen.waiting / dumps,
    executing: seen.executing / dumps,
    seats: seen.seats / dumps,
    queuedSeats: seen.queuedSeats / dumps,
    seenWaiting: seen.waiting,
    seenExecuting: seen.executing,
    fewWaiting: seen.arrivedWaiting.size,
    fewSeen: new Set([...seen.arrivedWaiting, ...seen.arrivedExecuting]).size,
    waited: seen.waiting === 0 ? undefined : seen.waited / seen.waiting,
    seconds: seen.executing === 0 ? undefined : seen.seconds / seen.executing,
    longest: seen.longest,
    calls: [...seen.calls]
      .map(([text, { count: times, example }]) => ({ text, count: times, digest: digestOf(example) }))
      .toSorted((a, b) => b.count - a.count),
    queues: seen.queues,
    sent: seen.sent && sentOf(seen.sent, of.seconds),
  }
}

function sentOf(sent: Sent, seconds: number): SentRequests {
  const times = sent.times.toSorted((a, b) => a - b)
  return {
    perSecond: sent.count / Math.max(1, seconds),
    count: sent.count,
    rejected: sent.rejected,
    timedOutEarly: sent.timedOutEarly,
    waited: inSeconds(mean(sent.waits)),
    executed: inSeconds(mean(sent.executions)),
    width: mean(sent.widths) ?? 1,
    limit: byCount(sent.limits)[0],
    timeout: byCount(sent.timeouts)[0],
    isEven: isEven(times),
  }
}

const inSeconds = (ms: number | undefined): number | undefined => ms && ms / MS_PER_SECOND

/** With fewer requests, or fewer in a second, an even distance is chance. */
const FEWEST_EVEN = 30
const LEAST_EVEN_RATE = 2
/** Deviation from the usual distance between two requests, as a part of it, within which most of them are. */
const EVEN_DEVIATION = 0.2

/** Whether most requests come at the same distance: a token bucket that is empty hands out one token after the other. */
function isEven(times: readonly number[]): boolean {
  const distances = times.slice(1).map((at, i) => at - (times[i] ?? at))
  const usual = median(distances) ?? 0
  if (times.length < FEWEST_EVEN || usual <= 0 || usual > MS_PER_SECOND / LEAST_EVEN_RATE) return false
  const off = median(distances.map((distance) => Math.abs(distance - usual))) ?? 0
  return off <= EVEN_DEVIATION * usual && usual * distances.length >= 0.5 * ((times.at(-1) ?? 0) - (times[0] ?? 0))
}

/** Seats that it takes and waits for at once. Without dumps: those of its requests by their rate and duration. */
export const pressureOf = ({ seats, queuedSeats, sent }: ClientUse): number =>
  seats + queuedSeats > 0 || sent === undefined
    ? seats + queuedSeats
    : sent.perSecond * sent.width * ((sent.executed ?? 0) + (sent.waited ?? 0))

/** The part of the requests of a client that are watches. */
export function watchPart({ calls }: ClientUse): number {
  const all = calls.reduce((sum, one) => sum + one.count, 0)
  return calls.reduce((sum, one) => (one.digest.info.verb === 'watch' ? sum + one.count : sum), 0) / (all || 1)
}

function flowsOf(clients: readonly ClientUse[]): readonly DumpedFlow[] {
  const levels = new Map<string, number>()
  const flows = new Map<string, ClientUse[]>()
  for (const one of clients) {
    if (one.seenWaiting + one.seenExecuting === 0) continue
    count(levels, one.level, one.seats)
    const key = keyOf({ ...one, user: '' })
    const members = flows.get(key)
    if (members === undefined) flows.set(key, [one])
    else members.push(one)
  }
  const sum = (of: readonly ClientUse[], what: (one: ClientUse) => number): number =>
    of.reduce((total, one) => total + what(one), 0)
  return [...flows.values()]
    .flatMap((members): readonly DumpedFlow[] => {
      const [first] = members
      if (first === undefined) return []
      const [seats, executing, all] = [
        sum(members, (one) => one.seats),
        sum(members, (one) => one.executing),
        sum(members, sizeOf),
      ]
      return [
        {
          level: first.level,
          schema: first.schema,
          flow: first.flow,
          seats,
          executing,
          waiting: sum(members, (one) => one.waiting),
          seconds: executing === 0 ? undefined : sum(members, (one) => (one.seconds ?? 0) * one.executing) / executing,
          users: members
            .flatMap((one) => (one.user === undefined ? [] : [{ name: one.user, part: sizeOf(one) / all }]))
            .toSorted((a, b) => b.part - a.part),
          partOfLevel: seats / (levels.get(first.level) || 1),
        },
      ]
    })
    .toSorted((a, b) => b.seats + b.waiting - a.seats - a.waiting)
}

const sizeOf = ({ executing, waiting }: Pick<ClientUse, 'executing' | 'waiting'>): number => executing + waiting

/** The flow with the most requests, and its fraction of them. */
export function largestOf(
  flows: readonly DumpedFlow[],
): { readonly flow: DumpedFlow; readonly part: number } | undefined {
  const [flow] = flows.toSorted((a, b) => sizeOf(b) - sizeOf(a))
  const all = flows.reduce((sum, one) => sum + sizeOf(one), 0)
  return flow === undefined || all === 0 ? undefined : { flow, part: sizeOf(flow) / all }
}

/** A client as its owner knows it: the user, or the flow where the source tells no user. */
export const clientName = ({ user, flow, schema }: Client): string => flowName(user ?? flow, schema)

/** The range that contains the share behind `k` of `n` with 95 %, by Wilson’s interval; all of 0 to 1 without any. */
export function shareRange(k: number, n: number): { readonly low: number; readonly high: number } {
  if (n <= 0) return { low: 0, high: 1 }
  const [z, p] = [1.96, k / n]
  const [middle, scale] = [p + (z * z) / (2 * n), 1 + (z * z) / n]
  const half = z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))
  return { low: Math.max(0, (middle - half) / scale), high: Math.min(1, (middle + half) / scale) }
}
