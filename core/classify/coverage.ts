import type { DumpFrame, DumpRequest } from '../frame/dump.ts'
import type { SchemaFrame, ServerFrame } from '../frame/frame.ts'
import { isRestart } from '../frame/reading.ts'
import { unixMsOf } from '../units.ts'
import { CATCH_ALL, type FlowSchema } from '../config/objects.ts'

/**
 * Which flow schemas get requests: the increase of counters between two frames, and the requests in dumps. A dump
 * contains only what waits or executes at that moment, so short requests are missed; counters miss none but identify no
 * user.
 */
export interface Coverage {
  /** Unix milliseconds of the first and the newest frame; absent before the first one. */
  readonly since?: number
  readonly at?: number
  /** By server. */
  readonly counters: ReadonlyMap<string, ServerCounters>
  /** By flow schema. */
  readonly counted: ReadonlyMap<string, Counted>
  /** Dumps that were evaluated. */
  readonly dumps: number
  /** Requests of the newest dump by their identifying properties, with the number of identical ones. */
  readonly held: ReadonlyMap<string, number>
  /** By schema and distinguisher. */
  readonly flows: ReadonlyMap<string, SeenFlow>
  /** Requests of flows beyond the remembered ones. */
  readonly left: number
}

interface ServerCounters {
  readonly startedAt: number | undefined
  /** Requests since the server started, by schema; without schemas that the server does not count. */
  readonly totals: ReadonlyMap<string, number>
}

interface Counted {
  /** The level that it leads to, according to the newest frame. */
  readonly level: string
  /** Increase of the request counters since the first frame, over all servers. */
  readonly requests: number
  /** Unix milliseconds of the frame in which they last increased. */
  readonly lastAt?: number
}

/** A flow found in dumps (specification 2.6). */
export interface SeenFlow {
  readonly key: string
  readonly schema: string
  readonly level: string
  readonly distinguisher: string
  /** Requests, each counted once. */
  readonly requests: number
  /** At most `MOST_USERS`. */
  readonly users: ReadonlySet<string>
  readonly lastAt: number
  /** The newest of its requests. */
  readonly example: DumpRequest
}

export const NO_COVERAGE: Coverage = {
  counters: new Map(),
  counted: new Map(),
  dumps: 0,
  held: new Map(),
  flows: new Map(),
  left: 0,
}

/** Requests of a schema since the server started, served or not; `undefined` when the server does not count them. */
function totalOf({ dispatched, rejected }: SchemaFrame): number | undefined {
  if (dispatched === undefined) return undefined
  return dispatched + Object.values(rejected ?? {}).reduce((sum, count) => sum + count, 0)
}

/** Updated with the counters of newer pages of some servers. After a restart a server counts from 0. */
export function withServers(coverage: Coverage, servers: readonly ServerFrame[]): Coverage {
  const counters = new Map(coverage.counters)
  const counted = new Map(coverage.counted)
  let { since, at } = coverage
  for (const server of servers) {
    const now = unixMsOf(server.at)
    since = Math.min(since ?? now, now)
    at = Math.max(at ?? now, now)
    const before = coverage.counters.get(server.id)
    const restarted = isRestart(before?.startedAt, server.startedAt)
    const totals = new Map<string, number>()
    for (const { name: level, schemas } of server.levels) {
      for (const schema of schemas) {
        const total = totalOf(schema)
        if (total === undefined) continue
        totals.set(schema.name, total)
        const earlier = before?.totals.get(schema.name)
        // A schema appears with its first request; for a server seen for the first time, that moment is unknown.
        const from = before === undefined ? total : restarted || earlier === undefined || earlier > total ? 0 : earlier
        const gained = total - from
        const known = counted.get(schema.name)
        const lastAt = gained > 0 ? now : known?.lastAt
        counted.set(schema.name, {
          level,
          requests: (known?.requests ?? 0) + gained,
          ...(lastAt !== undefined && { lastAt }),
        })
      }
    }
    counters.set(server.id, { startedAt: server.startedAt, totals })
  }
  return {
    ...coverage,
    ...(since !== undefined && { since }),
    ...(at !== undefined && { at }),
    counters,
    counted,
  }
}

/** Flows that are remembered; requests of other flows are only counted. */
export const MOST_FLOWS = 5_000
export const MOST_USERS = 100

/** Properties that identify a request across consecutive dumps; a dump has no request IDs. */
const identityOf = ({ arrivedAt, schema, flow, user, verb, path, queue }: DumpRequest): string =>
  `${arrivedAt}\n${schema}\n${flow}\n${user}\n${verb}\n${path}\n${queue}`

/**
 * Updated with a newer dump of the same server. A request that the previous dump contained as well is not counted
 * again.
 */
export function withDump(coverage: Coverage, { at, requests }: Pick<DumpFrame, 'at' | 'requests'>): Coverage {
  if (requests === undefined) return coverage
  const now = unixMsOf(at)
  const held = new Map<string, number>()
  const flows = new Map(coverage.flows)
  let { left } = coverage
  for (const request of requests) {
    const identity = identityOf(request)
    const alike = (held.get(identity) ?? 0) + 1
    held.set(identity, alike)
    const isNew = alike > (coverage.held.get(identity) ?? 0)
    const key = `${request.schema}\n${request.flow}`
    const known = flows.get(key)
    if (known === undefined && flows.size >= MOST_FLOWS) {
      if (isNew) left += 1
      continue
    }
    if (!isNew && known !== undefined) {
      if (known.lastAt !== now) flows.set(key, { ...known, lastAt: now })
      continue
    }
    flows.set(key, {
      key,
      schema: request.schema,
      level: request.level,
      distinguisher: request.flow,
      requests: (known?.requests ?? 0) + 1,
      users: withUser(known?.users ?? NOBODY, request.user),
      lastAt: now,
      example: request,
    })
  }
  return { ...coverage, dumps: coverage.dumps + 1, held, flows, left }
}

const NOBODY: ReadonlySet<string> = new Set()

const withUser = (users: ReadonlySet<string>, user: string | undefined): ReadonlySet<string> =>
  user === undefined || users.has(user) || users.size >= MOST_USERS ? users : new Set([...users, user])

/** Whether a schema gets requests, or why it gets none. */
export type Standing =
  /** Some within the last ten minutes. */
  | { readonly kind: 'traffic' }
  /** None for this long, but some before that. */
  | { readonly kind: 'quiet'; readonly forMs: number }
  /** None since the servers started. */
  | { readonly kind: 'never' }
  /** Earlier schemas match all its requests; if there are none, its rules match nothing. */
  | { readonly kind: 'shadowed'; readonly by: readonly string[] }
  /** Its level does not exist. */
  | { readonly kind: 'dangling' }
  /** The servers still count it, but it is not among the objects. */
  | { readonly kind: 'removed' }
  /** The servers do not count requests by schema, and no dump contained one. */
  | { readonly kind: 'unknown' }

export interface CoverageRow {
  readonly schema: string
  readonly level: string
  /** Absent for one that is not among the objects. */
  readonly matchingPrecedence?: number
  readonly standing: Standing
  /** Increase of the request counters since the first frame, and the last frame with an increase. */
  readonly counted?: number
  readonly lastCountedAt?: number
  /** Requests since the servers started. */
  readonly total?: number
  /** Findings from dumps; absent when none was evaluated. */
  readonly seen?: { readonly requests: number; readonly flows: number }
}

export const QUIET_AFTER_MS = 600_000

/** What a row needs from the objects. */
interface CoveredObjects {
  /** In matching order, including the schemas that the server creates internally. */
  readonly order: readonly FlowSchema[]
  readonly dangling: readonly FlowSchema[]
  /** Earlier schemas that match everything a schema would get, by its name (core/guard/shadowing.ts). */
  readonly shadowed: ReadonlyMap<string, readonly string[]>
}

/** One row for each schema in matching order, then dangling ones, then those that only the servers report. */
export function coverageRows(
  coverage: Coverage,
  { order, dangling, shadowed }: CoveredObjects,
): readonly CoverageRow[] {
  const seen = seenBySchema(coverage)
  const totals = totalsOf(coverage)
  const lost = new Set(dangling.map(({ metadata }) => metadata.name))
  const listed = [...order, ...dangling]
  const known = new Set(listed.map(({ metadata }) => metadata.name))
  const row = (schema: string, level: string, standing: (facts: Facts) => Standing): CoverageRow => {
    const facts: Facts = {
      total: totals?.get(schema) ?? (totals === undefined ? undefined : 0),
      counted: coverage.counted.get(schema),
      seen: seen.get(schema),
    }
    return {
      schema,
      level,
      standing: standing(facts),
      ...(facts.total !== undefined && { total: facts.total, counted: facts.counted?.requests ?? 0 }),
      ...(facts.counted?.lastAt !== undefined && { lastCountedAt: facts.counted.lastAt }),
      ...(coverage.dumps > 0 && { seen: { requests: facts.seen?.requests ?? 0, flows: facts.seen?.flows ?? 0 } }),
    }
  }
  return [
    ...listed.map(({ metadata: { name }, spec }) => ({
      ...row(name, spec.priorityLevelConfiguration.name, (facts) =>
        lost.has(name)
          ? { kind: 'dangling' }
          : standingOf(facts, coverage, tookSome(name, facts) ? undefined : shadowed.get(name)),
      ),
      matchingPrecedence: spec.matchingPrecedence,
    })),
    ...[...new Set([...coverage.counted.keys(), ...seen.keys()])]
      .filter((name) => !known.has(name))
      .map((name) =>
        row(name, coverage.counted.get(name)?.level ?? seen.get(name)?.level ?? '', () => ({ kind: 'removed' })),
      ),
  ]
}

interface SeenSchema {
  readonly level: string
  readonly requests: number
  readonly flows: number
  readonly lastAt: number
}
interface Facts {
  readonly total: number | undefined
  readonly counted: Counted | undefined
  readonly seen: SeenSchema | undefined
}

/** catch-all had requests although the present objects leave none for it: it counts as used. */
const tookSome = (name: string, { total = 0 }: Facts): boolean => name === CATCH_ALL && total > 0

function standingOf(
  { total, counted, seen }: Facts,
  { since = 0, at = 0 }: Coverage,
  by: readonly string[] | undefined,
): Standing {
  const lastAt = Math.max(counted?.lastAt ?? Number.NEGATIVE_INFINITY, seen?.lastAt ?? Number.NEGATIVE_INFINITY)
  if (at - lastAt < QUIET_AFTER_MS) return { kind: 'traffic' }
  if (by !== undefined) return { kind: 'shadowed', by }
  if (total === undefined && seen === undefined) return { kind: 'unknown' }
  if (total === 0 && seen === undefined) return { kind: 'never' }
  return { kind: 'quiet', forMs: at - Math.max(lastAt, since) }
}

/** By schema, the sum over servers; `undefined` when no server counts requests by schema. */
function totalsOf({ counters }: Coverage): ReadonlyMap<string, number> | undefined {
  const sums = new Map<string, number>()
  for (const { totals } of counters.values()) {
    for (const [schema, total] of totals) sums.set(schema, (sums.get(schema) ?? 0) + total)
  }
  return sums.size === 0 ? undefined : sums
}

function seenBySchema({ flows }: Coverage): ReadonlyMap<string, SeenSchema> {
  const bySchema = new Map<string, SeenSchema>()
  for (const { schema, level, requests, lastAt } of flows.values()) {
    const known = bySchema.get(schema)
    bySchema.set(schema, {
      level,
      requests: (known?.requests ?? 0) + requests,
      flows: (known?.flows ?? 0) + 1,
      lastAt: Math.max(known?.lastAt ?? lastAt, lastAt),
    })
  }
  return bySchema
}
