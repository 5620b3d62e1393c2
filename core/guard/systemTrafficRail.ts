import { plural } from '../text/format.ts'
import { levelOf } from '../classify/configuration.ts'
import type { RequestDigest } from '../request/match.ts'
import { CATCH_ALL, type FlowSchema } from '../config/objects.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { digestRequest } from '../classify/classification.ts'
import { type GuardFinding, type GuardRemedy, levelRef, schemaRef } from './finding.ts'
import type { Rail, RailInput, Side } from './changes.ts'
import { SYSTEM_GROUPS, type SystemGroup } from './systemRequests.ts'
import { listed } from '../text/text.ts'

/** Requests that keep a cluster alive, before and after the edit: one finding for each kind. */
export const systemTrafficRail: Rail = (input) => {
  const full = fullLevels(input.context.servers)
  return SYSTEM_GROUPS.flatMap((group) => findingsOf(group, input, full))
}

interface Moved {
  readonly label: string
  readonly was: Landing
  readonly is: Landing
}

function findingsOf(
  { id, title, requests }: SystemGroup,
  { before, after, changes }: RailInput,
  full: ReadonlyMap<string, string>,
): readonly GuardFinding[] {
  const all = requests.map(({ label, digest }): Moved => {
    const [was, is] = [landingOf(before, digest, full), landingOf(after, digest, full)]
    const problem = is.problem ?? tooSmall(was, is)
    return { label, was, is: { ...is, problem } }
  })
  const failing = all.filter(
    ({ was, is }) => is.problem !== undefined && (was.problem === undefined || was.level !== is.level),
  )
  const moved = all.filter(({ was, is }) => was.level !== is.level && is.problem === undefined)
  // A level without limits is only better.
  const worse = moved.filter(({ is }) => !is.exempt)
  const findingOf = (same: NotEmpty<Moved>, severity: 'blocks' | 'warns', consequence: string): GuardFinding => {
    const [{ label, is }] = same
    const { name } = is.schema.metadata
    return {
      code: `system-traffic/${id}`,
      severity,
      objects: [schemaRef(name), levelRef(is.level)],
      message: `${title}: ${name} sends ${counted(same, label)} to ${is.level}${consequence}.`,
      remedy: remedyFor(same, changes),
      evidence: same.map(evidenceOf),
    }
  }
  const failed = byPlace(failing).map((same) => findingOf(same, 'blocks', `, which ${same[0].is.problem ?? ''}`))
  const shifted = byPlace(worse).map((same) => {
    const places = new Set(same.map(({ was }) => placeOf(was)))
    return findingOf(same, 'warns', ` (${seatsOf(same[0].is)}) instead of ${listed([...places])}`)
  })
  if (failed.length + shifted.length > 0) return [...failed, ...shifted]
  const old = all.filter(({ is }) => is.problem !== undefined)
  const [first] = old
  return [
    {
      code: `system-traffic/${id}`,
      severity: first === undefined ? 'passes' : 'expected',
      objects: first === undefined ? [] : [levelRef(first.is.level)],
      message:
        first === undefined
          ? `${title}: all ${requests.length} requests are served${moved.length > 0 ? ', some by exempt now' : ' as before'}.`
          : `${title}: as before the edit, the request with which ${first.label} goes to ${first.is.level}, which ${first.is.problem ?? ''}.`,
      evidence: (old.length > 0 ? old : moved).map(evidenceOf),
    },
  ]
}

/** A level with less than a quarter of the seats that served the requests: they would starve under their usual load. */
function tooSmall(was: Landing, is: Landing): string | undefined {
  const least = was.exempt ? 2 : was.nominal / 4
  if (is.exempt || is.nominal >= least || (was.level === is.level && was.nominal === is.nominal)) return undefined
  const has = `is too small for them: ${is.nominal} nominal ${plural(is.nominal, 'seat', 'seats')}`
  return was.exempt ? has : `${has} instead of ${was.nominal}${was.level === is.level ? '' : ` in ${was.level}`}`
}

type NotEmpty<T> = readonly [T, ...T[]]

/** Requests with the same schema and level together. */
function byPlace(all: readonly Moved[]): readonly NotEmpty<Moved>[] {
  const places = new Map<string, [Moved, ...Moved[]]>()
  for (const one of all) {
    const key = `${one.is.schema.metadata.name} ${one.is.level}`
    const same = places.get(key)
    if (same === undefined) places.set(key, [one])
    else same.push(one)
  }
  return [...places.values()]
}

const counted = (all: NotEmpty<Moved>, label: string): string =>
  plural(all.length, `the request with which ${label}`, `${all.length} kinds of requests`)

const seatsOf = ({ nominal, exempt }: Landing): string => (exempt ? 'no limit' : `${nominal} nominal seats`)

const placeOf = (landing: Landing): string => `${landing.level} (${seatsOf(landing)})`

const evidenceOf = ({ label, was, is }: Moved): string =>
  `${label}: ${was.schema.metadata.name} in ${was.level} → ${is.schema.metadata.name} in ${is.level}`

/** A schema of the edit with too early a precedence can move just behind those that served the requests. */
function remedyFor(moved: NotEmpty<Moved>, changes: RailInput['changes']): GuardRemedy {
  const [{ was, is }] = moved
  const catching = is.schema.metadata.name
  const served = [...new Set(moved.map((one) => one.was.schema.metadata.name))]
  const behind = Math.max(...moved.map((one) => one.was.schema.spec.matchingPrecedence)) + 1
  const changed = changes.some(({ kind, name, to }) => kind === 'FlowSchema' && name === catching && to !== null)
  if (changed && !served.includes(catching) && behind > is.schema.spec.matchingPrecedence && behind < 10_000) {
    return {
      sentence: `Set the matching precedence of ${catching} to ${behind}, so that ${listed(served)} ${plural(served.length, 'comes', 'come')} first.`,
      fix: { action: 'set', object: schemaRef(catching), path: ['spec', 'matchingPrecedence'], value: behind },
    }
  }
  if (was.level === is.level) return { sentence: `Keep the queues and seats of ${is.level}.` }
  return { sentence: `Keep ${listed(served)} and the level ${was.level} for these requests.` }
}

/** The schema and level of a request, and why they are unsuitable for one that must be served. */
interface Landing {
  readonly schema: FlowSchema
  readonly level: string
  readonly exempt: boolean
  /** Seats. */
  readonly nominal: number
  /** The end of a sentence that begins with the level: `has no seats of its own`. */
  readonly problem: string | undefined
}

function landingOf({ configuration }: Side, digest: RequestDigest, full: ReadonlyMap<string, string>): Landing {
  const schema = configuration.schemaOf(digest)
  const { plan, limits } = levelOf(configuration, schema)
  const place = { schema, level: plan.name, exempt: plan.exempt, nominal: limits.nominal }
  if (plan.exempt) return { ...place, problem: undefined }
  if (plan.name === CATCH_ALL)
    return { ...place, problem: 'is for unmatched requests, and rejects those that exceed its seats' }
  if (limits.nominal === 0) return { ...place, problem: 'has no seats of its own' }
  if (plan.queuing.queues <= 0) return { ...place, problem: 'immediately rejects requests that exceed its seats' }
  return { ...place, problem: full.get(plan.name) }
}

/** Levels that are currently full on at least one server, each with the end of a sentence for it. */
function fullLevels(servers: readonly ServerFrame[] = []): ReadonlyMap<string, string> {
  const full = new Map<string, string>()
  for (const server of servers) {
    for (const { name, limits, seats, requests } of server.levels) {
      const { current } = limits
      const { executing } = seats
      const { queued } = requests
      if (current === undefined || executing === undefined || queued === undefined) continue
      if (executing < current || queued === 0 || full.has(name)) continue
      const where = servers.length > 1 ? ` on ${server.id}` : ''
      full.set(name, `is full${where}: ${executing} of ${current} seats are taken and ${queued} requests wait`)
    }
  }
  return full
}

/** Requests of the console: without the first two an edit cannot be reverted. */
const REQUESTS = [
  { what: 'its edits', method: 'PATCH', url: '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/any' },
  { what: 'reading the objects', method: 'GET', url: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas' },
  { what: 'the metrics', method: 'GET', url: '/metrics' },
] as const

/** Requests of the console's own user that the edit sends to a level where they may not be served. */
export const ownAccessRail: Rail = ({ before, after, context }) => {
  const { user } = context
  if (user === undefined) return []
  const full = fullLevels(context.servers)
  const hit = REQUESTS.flatMap(({ what, method, url }) => {
    const read = digestRequest({ user: user.name, groups: [...user.groups], method, url })
    if (!read.ok) return []
    const [was, is] = [landingOf(before, read.digest, full), landingOf(after, read.digest, full)]
    const { problem } = is
    return problem === undefined || (was.level === is.level && was.problem === problem)
      ? []
      : [{ what, was, is, problem }]
  })
  const [first] = hit
  if (first === undefined) return []
  const { is, was, problem } = first
  const finding: GuardFinding = {
    code: 'own-access/locked-out',
    severity: is.nominal === 0 ? 'blocks' : 'warns',
    objects: [schemaRef(is.schema.metadata.name), levelRef(is.level)],
    message: `This console’s own requests (${hit.map(({ what }) => what).join(', ')}) would go to ${is.level}, which ${problem}: you may not be able to undo the edit.`,
    remedy: {
      sentence: `Keep ${user.name} out of ${is.schema.metadata.name}, or give the console a level of its own first.`,
    },
    evidence: [
      `user ${user.name}, groups ${user.groups.join(', ')}`,
      `before the edit: ${was.schema.metadata.name} in ${was.level}`,
    ],
  }
  return [finding]
}
