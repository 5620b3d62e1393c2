import type { DumpFrame, DumpRequest } from '../frame/dump.ts'
import type { SchemaFrame, ServerFrame } from '../frame/frame.ts'
import { unixMsOf } from '../units.ts'

/**
 * Which flow schemas get requests: what counters told between two frames, and which requests dumps showed. A dump shows
 * only what waits or executes at that moment, so that short requests are missed; counters miss none but name nobody.
 */
export interface Coverage {
  /** Unix milliseconds of the first and the newest frame; absent before there was one. */
  readonly since?: number
  readonly at?: number
  /** By server. */
  readonly counters: ReadonlyMap<string, ServerCounters>
  /** By flow schema. */
  readonly counted: ReadonlyMap<string, Counted>
  /** Dumps that were looked at. */
  readonly dumps: number
  /** Requests of the newest dump by what tells them apart, with how many are alike. */
  readonly held: ReadonlyMap<string, number>
  /** By schema and distinguisher. */
  readonly flows: ReadonlyMap<string, SeenFlow>
  /** Requests of flows beyond those that are remembered. */
  readonly left: number
}

interface ServerCounters {
  readonly startedAt: number | undefined
  /** Requests since the server started, by schema; without those that the server does not count. */
  readonly totals: ReadonlyMap<string, number>
}

export interface Counted {
  /** The level that it leads to, as the newest frame says. */
  readonly level: string
  /** Requests that the counters gained since the first frame, of all servers. */
  readonly requests: number
  /** Unix milliseconds of the frame in which they were last seen to gain some. */
  readonly lastAt?: number
}

/** A flow that dumps showed (specification 2.6). */
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

/** With the counters of newer pages of some servers. A server that restarted has counted from 0. */
export function withServers(coverage: Coverage, servers: readonly ServerFrame[]): Coverage {
  const counters = new Map(coverage.counters)
  const counted = new Map(coverage.counted)
  let { since, at } = coverage
  for (const server of servers) {
    const now = unixMsOf(server.at)
    since = Math.min(since ?? now, now)
    at = Math.max(at ?? now, now)
    const before = coverage.counters.get(server.id)
    const restarted = before !== undefined && before.startedAt !== server.startedAt
    const totals = new Map<string, number>()
    for (const { name: level, schemas } of server.levels) {
      for (const schema of schemas) {
        const total = totalOf(schema)
        if (total === undefined) continue
        totals.set(schema.name, total)
        const earlier = before?.totals.get(schema.name)
        // A schema appears with its first request; of a server seen for the first time nobody knows when.
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

/** Flows that are remembered; requests of others are only counted. */
export const MOST_FLOWS = 5_000
export const MOST_USERS = 100

/** What tells requests of consecutive dumps apart; a dump names none. */
const identityOf = ({ arrivedAt, schema, flow, user, verb, path, queue }: DumpRequest): string =>
  `${arrivedAt}\n${schema}\n${flow}\n${user}\n${verb}\n${path}\n${queue}`

/** With a newer dump of the same server. A request that the dump before showed as well is not counted again. */
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
