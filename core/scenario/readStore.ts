import { entry, type Finding, member } from '../config/finding.ts'
import { isJsonObject, type JsonObject, type Read, readAnything } from '../config/jsonValues.ts'
import { readAs } from '../config/members.ts'
import { type QosConfiguration, NO_RULES } from '../qos/configuration.ts'
import { readRules } from '../qos/read.ts'
import { RecordReader } from '../qos/record.ts'
import { numbered } from '../simulate/workload.ts'
import { checkAssertionCount, checkRequestCount, checkWhole } from './checkScenario.ts'
import { aboutMembers, LONGEST_SECONDS, readVerdict } from './readAbout.ts'
import { MOST_ACTORS, MOST_CALLS, MOST_MS, MOST_PER_SECOND, thinkTime } from './readClients.ts'
import type { Assertion, MeasureName } from './scenario.ts'
import type { StoreCall, StoreClients, StoreScenario, StoreVariant } from './store.ts'
import { bounded, knownName, namedOnce, problem } from './values.ts'

const DEFAULT_THINK_MS = 5
const BYTES = { min: 1, max: 2 ** 50, whole: true } as const

/** Measures of a store; all others exist only for an API server. */
const STORE_MEASURES: readonly MeasureName[] = [
  'failedPercent',
  'rejectedPercent',
  'servedPerSecond',
  'offered',
  'served',
  'waitP50',
  'waitP90',
  'waitP99',
  'waitMax',
]

const readEtcd = readAs((members) => ({
  quotaBytes: members.given('quotaBytes', bounded(BYTES)).quotaBytes ?? 2 * 1024 ** 3,
  usedBytes: members.nested('usedBytes', bounded({ ...BYTES, min: 0 })),
  concurrency: members.given('concurrency', bounded({ min: 1, max: 1_000, whole: true })).concurrency ?? 8,
}))

const readGroup = readAs((members) => ({
  name: members.text('name'),
  count: members.given('count', bounded({ min: 1, max: MOST_ACTORS, whole: true })).count ?? 1,
  user: members.text('user'),
  clientIP: members.text('clientIP'),
  ...members.given('threads', bounded({ min: 1, max: MOST_ACTORS, whole: true })),
  ...members.given('perSecond', bounded({ min: 0.001, max: MOST_PER_SECOND })),
  ...members.given('thinkMs', bounded({ min: 0, max: MOST_MS })),
  ...members.given('from', bounded({ min: 0, max: LONGEST_SECONDS })),
  ...members.given('to', bounded({ min: 0, max: LONGEST_SECONDS })),
  requests: members.list('requests', readAnything),
}))

const readVariant = readAs((members) => ({
  name: members.text('name'),
  ...members.given('verdict', readVerdict),
  ...members.given('rules', readQosRules),
}))

/** Classes and rules in the format of `qos` files. */
const readQosRules: Read<QosConfiguration | undefined> = (value, at, findings) => {
  if (value === undefined || value === null) return undefined
  const read = readRules([{ file: at, text: JSON.stringify(value) }])
  findings.push(
    ...read.findings.map(({ field, reason, severity, message }) => ({
      field: field === '' ? at : `${at}.${field}`,
      reason,
      severity,
      message,
    })),
  )
  return read.configuration
}

const readWritten = readAs((members) => ({
  ...aboutMembers(members),
  etcd: members.nested('etcd', readEtcd),
  clients: members.list('clients', readGroup),
  variants: members.list('variants', readVariant),
}))

/** `undefined` only with an error among the findings. */
export function decodeStoreScenario(value: unknown, findings: Finding[]): StoreScenario | undefined {
  const { clients: groups, variants: written, ...rest } = readWritten(value, '', findings)
  const clients = groups.map((group, index) => clientsOf(group, entry('clients', index), rest.seconds, findings))
  const variants = written.map(({ rules = NO_RULES, ...variant }): StoreVariant => ({ ...variant, rules }))
  const scenario = { ...rest, clients, variants }
  checkStore(scenario, findings)
  return findings.some(({ severity }) => severity === 'error') ? undefined : scenario
}

function clientsOf(
  group: ReturnType<typeof readGroup>,
  at: string,
  seconds: number,
  findings: Finding[],
): StoreClients {
  const { name, count, threads, perSecond, thinkMs = DEFAULT_THINK_MS, from = 0, to = seconds, requests } = group
  if ((threads === undefined) === (perSecond === undefined)) {
    findings.push(problem(at, `${at} needs exactly one of threads and perSecond.`))
  }
  if (to <= from) findings.push(problem(member(at, 'to'), `${at} ends before it begins.`))
  const place = member(at, 'requests')
  if (requests.length === 0) findings.push(problem(place, `${at} needs requests.`))
  if (requests.length > MOST_CALLS)
    findings.push(problem(place, `A group has at most ${MOST_CALLS} kinds of requests.`))
  // Their keys may contain a number: those of the first client are as valid as all others.
  for (const [index, request] of requests.entries()) callOf(request, group, 0, entry(place, index), findings)
  return {
    name,
    clients: count,
    fromMs: from * 1_000,
    toMs: to * 1_000,
    behaviour:
      threads === undefined
        ? { kind: 'open', perSecond: perSecond ?? 1 }
        : { kind: 'closed', threads, think: thinkTime(thinkMs) },
    calls: (client) => requests.flatMap((request) => callOf(request, group, client, place, []) ?? []),
  }
}

function callOf(
  written: unknown,
  { user, clientIP }: Pick<ReturnType<typeof readGroup>, 'user' | 'clientIP'>,
  client: number,
  at: string,
  findings: Finding[],
): StoreCall | undefined {
  const caller = { user: numbered(user, client), clientIP: numbered(clientIP, client) }
  const read = new RecordReader().read(isJsonObject(written) ? { ...withNumber(written, client), ...caller } : written)
  if (read.ok) return { request: read.record.request, observed: read.record.observed }
  const field = read.field === '' ? at : member(at, read.field)
  findings.push({ ...problem(field, read.message), reason: read.unknown ? 'FieldUnknown' : 'FieldValueInvalid' })
  return undefined
}

const withNumber = (written: JsonObject, client: number): JsonObject =>
  Object.fromEntries(
    Object.entries(written).map(([key, value]) => [key, typeof value === 'string' ? numbered(value, client) : value]),
  )

function checkStore(scenario: StoreScenario, findings: Finding[]): void {
  const { seconds, statisticsFrom, etcd, clients, variants, criteria, assertions } = scenario
  const say = (at: string, message: string): void => void findings.push(problem(at, message))
  checkWhole(scenario, say)
  if (statisticsFrom >= seconds) say('statisticsFrom', `The run ends after ${seconds} s: begin earlier.`)
  if (etcd.usedBytes > etcd.quotaBytes) say('etcd.usedBytes', 'More is stored than the quota allows: store less.')
  checkAssertionCount(scenario, say)
  const actors = clients.reduce(
    (sum, { clients: count, behaviour }) => sum + count * (behaviour.kind === 'closed' ? behaviour.threads : 1),
    0,
  )
  if (actors > MOST_ACTORS) say('clients', `The clients have ${actors} threads; a scenario has at most ${MOST_ACTORS}.`)
  checkRequestCount(mostRequests(scenario), say)
  namedOnce(clients, 'clients', findings)
  namedOnce(variants, 'variants', findings)
  for (const [index, one] of criteria.entries()) checkAssertion(one, entry('criteria', index), scenario, findings)
  for (const [index, one] of assertions.entries()) checkAssertion(one, entry('assertions', index), scenario, findings)
}

/** As if calls took no time. */
const mostRequests = ({ clients }: StoreScenario): number =>
  clients.reduce((sum, { clients: count, fromMs, toMs, behaviour }) => {
    const perSecond =
      behaviour.kind === 'open'
        ? behaviour.perSecond
        : (behaviour.threads * 1_000) / Math.max(1, behaviour.think.kind === 'uniform' ? behaviour.think.fromMs : 1)
    return sum + (count * perSecond * (toMs - fromMs)) / 1_000
  }, 0)

function checkAssertion(
  { of, measure, variants = [] }: Assertion,
  place: string,
  { clients, variants: all }: StoreScenario,
  findings: Finding[],
): void {
  if (of !== undefined && of.kind !== 'clients') {
    findings.push(problem(member(place, of.kind), 'An etcd has neither levels nor controllers: name clients.'))
  } else if (of !== undefined) {
    const names = clients.map(({ name }) => name)
    knownName(of.name, names, { at: member(place, 'clients'), what: 'group of clients', findings })
  }
  if (!STORE_MEASURES.includes(measure)) {
    findings.push(problem(member(place, 'measure'), `Scenarios for an etcd have no measure ${measure}.`))
  }
  for (const [i, variant] of variants.entries()) {
    const names = all.map(({ name }) => name)
    knownName(variant, names, { at: entry(member(place, 'variants'), i), what: 'variant', findings })
  }
}

/** Whether a value is the scenario of an etcd. */
export const isOfStore = (value: unknown): boolean => isJsonObject(value) && Object.hasOwn(value, 'etcd')
