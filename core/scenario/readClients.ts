import { identityOf } from '../classify/identity.ts'
import { entry, type Finding, member, quoted } from '../config/finding.ts'
import { type Read, readList, readText } from '../config/jsonValues.ts'
import { readAs } from '../config/members.ts'
import { readRequestLine } from '../request/requestInfo.ts'
import { constant, type Distribution, exponential, meanOfBuckets, uniform } from '../simulate/random.ts'
import {
  type Arrivals,
  type BackOff,
  type CallKind,
  type ClientGroup,
  numbered,
  type Waves,
} from '../simulate/workload.ts'
import { bounded, problem } from './values.ts'

/** Maximum number of threads and open clients of a whole scenario: more would take minutes and gigabytes. */
export const MOST_ACTORS = 50_000
export const MOST_CALLS = 50
const MOST_BURST = 1_000
export const MOST_PER_SECOND = 100_000
export const MOST_MS = 3_600_000
const MOST_SECONDS = 3_600
const DEFAULT_THINK_MS = 5
/** A window without an end. */
const FOREVER_MS = 1e12

const DISTRIBUTIONS: Readonly<Record<string, (ms: number) => Distribution>> = { exponential, constant }

const readDistribution: Read<keyof typeof DISTRIBUTIONS> = (value, at, findings) => {
  const text = readText(value, at, findings)
  if (text === '' || Object.hasOwn(DISTRIBUTIONS, text)) return text
  findings.push(problem(at, `${at} must be “exponential” or “constant”, not ${quoted(text)}.`))
  return ''
}

const readCall = readAs((members) => ({
  request: members.text('request'),
  weight: members.given('weight', bounded({ min: 0, max: 1_000_000 })).weight ?? 1,
  executionMs: members.nested('executionMs', bounded({ min: 0, max: MOST_MS })),
  distribution: members.nested('distribution', readDistribution),
  ...members.given('needs', readText),
  ...members.given('causes', readText),
}))

const readBurst = readAs((members) => ({
  at: members.nested('at', bounded({ min: 0, max: MOST_SECONDS })),
  requests: members.nested('requests', bounded({ min: 1, max: MOST_BURST, whole: true })),
}))

/** By default as controllers wait: from 0.8 s on, doubling up to 30 s, half of it up or down. */
const readBackOff = readAs((members): BackOff => ({
  firstMs: members.given('firstMs', bounded({ min: 1, max: MOST_MS })).firstMs ?? 800,
  factor: members.given('factor', bounded({ min: 1, max: 10 })).factor ?? 2,
  mostMs: members.given('mostMs', bounded({ min: 1, max: MOST_MS })).mostMs ?? 30_000,
  jitter: members.given('jitter', bounded({ min: 0, max: 1 })).jitter ?? 0.5,
}))

const readGroup = readAs((members) => ({
  name: members.text('name'),
  count: members.given('count', bounded({ min: 1, max: MOST_ACTORS, whole: true })).count ?? 1,
  user: members.text('user'),
  ...members.given('groups', readList(readText)),
  ...members.given('threads', bounded({ min: 1, max: MOST_ACTORS, whole: true })),
  ...members.given('perSecond', bounded({ min: 0, max: MOST_PER_SECOND })),
  ...members.given('burst', readBurst),
  ...members.given('thinkMs', bounded({ min: 0, max: MOST_MS })),
  ...members.given('from', bounded({ min: 0, max: MOST_SECONDS })),
  ...members.given('to', bounded({ min: 0, max: MOST_SECONDS })),
  retries: members.someFlag('retries').retries ?? false,
  ...members.given('backOff', readBackOff),
  onDemand: members.someFlag('onDemand').onDemand ?? false,
  calls: members.list('calls', readCall),
}))

type Written = ReturnType<typeof readGroup>

const meanMs = (distribution: Distribution): number => {
  switch (distribution.kind) {
    case 'constant':
      return distribution.ms
    case 'exponential':
      return distribution.meanMs
    case 'uniform':
      return (distribution.fromMs + distribution.toMs) / 2
    case 'lognormal':
      return distribution.medianMs
    case 'buckets':
      return meanOfBuckets(distribution)
  }
}

/**
 * Approximate upper bound of the requests that a group sends in this many seconds, including those that they need or
 * cause: as if it never had to wait. With a bug, its threads only think for `bugMs`, even after an immediate rejection.
 */
export function mostRequests({ clients, behaviour }: ClientGroup, seconds: number, bugMs?: number): number {
  switch (behaviour.kind) {
    case 'informer':
    case 'on demand':
      return 0
    case 'open': {
      const { arrivals } = behaviour
      const each = withJobs(behaviour.calls)
      if (arrivals.kind === 'schedule') return each * clients * arrivals.atMs.length
      return arrivals.kind === 'poisson' ? each * clients * arrivals.perSecond * seconds : 0
    }
    case 'closed': {
      const shortest = Math.min(
        ...behaviour.calls.map(({ execution }) => (execution === undefined ? 0 : meanMs(execution))),
      )
      const turnMs = bugMs ?? meanMs(behaviour.think) + shortest
      return (withJobs(behaviour.calls) * clients * behaviour.threads * seconds * 1_000) / turnMs
    }
  }
}

/** A request plus the maximum number that one of them needs and causes. */
const withJobs = (calls: readonly CallKind[]): number =>
  1 + Math.max(0, ...calls.map(({ jobs }) => Object.keys(jobs ?? {}).length))

/** Groups of clients in the format of the simulation. */
export const readClients: Read<readonly ClientGroup[]> = (value, at, findings) => {
  const written = readList(readGroup)(value, at, findings)
  const actors = written.reduce((sum, { count, threads = 1 }) => sum + count * threads, 0)
  if (actors > MOST_ACTORS) {
    findings.push(problem(at, `The clients have ${actors} threads; a scenario has at most ${MOST_ACTORS}.`))
    return []
  }
  return written.map((group, index) => groupOf(group, entry(at, index), findings))
}

function groupOf(group: Written, at: string, findings: Finding[]): ClientGroup {
  const { name, count, user, groups } = group
  if (user === '') findings.push(problem(member(at, 'user'), `${at} needs a user.`))
  return {
    name,
    clients: count,
    user: { name: user, groups: groups ?? identityOf(user).groups },
    behaviour: behaviourOf(group, at, findings),
  }
}

/** Between two calls of a thread, given the mean in milliseconds. */
export const thinkTime = (averageMs: number): Distribution => uniform(0.5 * averageMs, 1.5 * averageMs)

function behaviourOf(group: Written, at: string, findings: Finding[]): ClientGroup['behaviour'] {
  const { threads, perSecond, burst, thinkMs = DEFAULT_THINK_MS, retries, backOff } = group
  const kinds = [threads, perSecond, burst].filter((kind) => kind !== undefined).length
  if (kinds !== 1) findings.push(problem(at, `${at} needs exactly one of threads, perSecond and burst.`))
  if (perSecond === 0)
    findings.push(problem(member(at, 'perSecond'), 'perSecond must be above 0: nothing would be sent.'))
  const calls = callsOf(group, at, findings)
  if (retries && backOff !== undefined) {
    findings.push(
      problem(member(at, 'backOff'), `${at} waits for Retry-After or by a back-off: remove retries or backOff.`),
    )
  }
  const onRejection = backOff ?? (retries ? 'retry' : 'next')
  if (group.onDemand) {
    checkOnDemand(group, at, findings)
    return { kind: 'on demand', threads: threads ?? 1, think: thinkTime(group.thinkMs ?? 0), calls }
  }
  const waves = wavesOf(group, at, findings)
  if (threads !== undefined) {
    const think = thinkTime(thinkMs)
    return { kind: 'closed', threads, think, calls, onRejection, ...(waves !== undefined && { waves }) }
  }
  const arrivals: Arrivals =
    burst === undefined
      ? { kind: 'poisson', perSecond: perSecond ?? 0, ...(waves !== undefined && { waves }) }
      : { kind: 'schedule', atMs: Array.from({ length: burst.requests }, () => burst.at * 1_000) }
  return { kind: 'open', arrivals, calls, onRejection }
}

/** On-demand clients have no times of their own. */
function checkOnDemand(group: Written, at: string, findings: Finding[]): void {
  if (group.threads === undefined) findings.push(problem(at, `${at} sends on demand: it needs threads.`))
  for (const key of ['from', 'to'] as const) {
    if (group[key] === undefined) continue
    findings.push(problem(member(at, key), `${at} sends on demand, so ${key} has no effect: remove it.`))
  }
  for (const key of ['retries', 'backOff'] as const) {
    if (group[key] === undefined || group[key] === false) continue
    findings.push(problem(member(at, key), `${at} sends on demand and always retries: remove ${key}.`))
  }
}

function wavesOf({ from, to }: Written, at: string, findings: Finding[]): Waves | undefined {
  if (from === undefined && to === undefined) return undefined
  if (to !== undefined && to <= (from ?? 0)) findings.push(problem(member(at, 'to'), `${at} ends before it begins.`))
  const firstMs = (from ?? 0) * 1_000
  return { firstMs, activeMs: to === undefined ? FOREVER_MS : to * 1_000 - firstMs, periodMs: 2 * FOREVER_MS }
}

function callsOf({ calls }: Written, at: string, findings: Finding[]): readonly CallKind[] {
  const place = member(at, 'calls')
  if (calls.length === 0) findings.push(problem(place, `${at} needs calls.`))
  if (calls.length > MOST_CALLS) findings.push(problem(place, `A group has at most ${MOST_CALLS} kinds of calls.`))
  if (calls.length > 0 && calls.every(({ weight }) => weight === 0)) {
    findings.push(problem(place, 'At least one call needs a weight above 0.'))
  }
  return calls.map(({ request, weight, executionMs, distribution, needs, causes }, index): CallKind => {
    const where = member(entry(place, index), 'request')
    const [method = '', target = ''] = request.split(' ')
    const line = /^[A-Z]+ \/\S*$/.test(request) ? readRequestLine(method, numbered(target, 0)) : undefined
    if (line === undefined) {
      findings.push(
        problem(where, `${where} must be method and path, such as “GET /api/v1/pods”, not ${quoted(request)}.`),
      )
    } else if (!line.ok) findings.push(problem(where, `Cannot parse ${quoted(request)} as a request: ${line.problem}.`))
    const draw = DISTRIBUTIONS[distribution] ?? exponential
    const jobs = { ...(needs !== undefined && { needs }), ...(causes !== undefined && { causes }) }
    const gives = needs !== undefined || causes !== undefined
    return { method, target, weight, execution: draw(executionMs), ...(gives && { jobs }) }
  })
}
