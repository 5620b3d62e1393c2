import { type ExplainedEstimate, statisticsKey } from '../engine/workEstimator.ts'
import type { Seats } from '../units.ts'
import type { RequestSample } from '../contract/objects.ts'
import { readRequestLine, type RequestInfo } from '../request/requestInfo.ts'
import type { RequestDigest } from '../request/match.ts'
import type { Query } from '../request/requestTarget.ts'
import type { ReportedFacts } from '../contract/source.ts'
import type { DumpRequest } from '../frame/dump.ts'
import type { Criterion, Mismatch } from './mismatch.ts'

/** `none`: the rule does not check this for such a request, or has nothing to check it with. */
export type Outcome = 'pass' | 'fail' | 'none'
export type Outcomes = Readonly<Record<Criterion, Outcome>>

/** The result of one rule of a flow schema for the request (specification 2.3 – 2.5). Indexes count from 0. */
export interface RuleTrace {
  /** In `spec.rules`. */
  readonly index: number
  readonly matched: boolean
  readonly outcomes: Outcomes
  /** The first subject that matches, in `subjects`. */
  readonly subject?: number
  /** The resource or non-resource rule that matches, else the one that got furthest. */
  readonly part?: { readonly kind: 'resourceRules' | 'nonResourceRules'; readonly index: number }
  /** The first criterion that fails. Absent when the rule matches. */
  readonly mismatch?: Mismatch
}

/** The result of one flow schema for the request. */
export interface SchemaTrace {
  readonly flowSchema: string
  readonly priorityLevel: string
  readonly matchingPrecedence: number
  /** A stand-in that the server creates internally because the object is missing or dangling (trap T37). */
  readonly imagined: boolean
  /** Whether its rules match the request, regardless of earlier schemas. */
  readonly matched: boolean
  /** Whether the server evaluates it: nothing before it matches. */
  readonly reached: boolean
  /** The request falls into this schema. */
  readonly decides: boolean
  /** The rule that matches, else the one that got furthest; absent without rules. */
  readonly rule?: RuleTrace
  /** Every rule, in order. */
  readonly rules: readonly RuleTrace[]
  /** One sentence without a full stop: `not in group system:masters`, `not reached; would match`. */
  readonly reason: string
}

/** A flow schema that is skipped because its level does not exist (specification 7.3, 7.6). */
export interface DanglingTrace {
  readonly flowSchema: string
  readonly priorityLevel: string
  readonly matchingPrecedence: number
  /** Whether it would match if it were not skipped. */
  readonly matched: boolean
  /** Why the server ignores the level: no level has that name, or the server rejects the object (specification 7.2). */
  readonly cause: 'missing' | 'refused'
  readonly reason: string
}

/** The flow of the request within its level (specification 2.6, 2.7, 3.2). */
export interface FlowExplanation {
  readonly method: 'ByUser' | 'ByNamespace' | 'none'
  readonly distinguisher: string
  /** Unsigned, decimal; `0` if none is computed. */
  readonly hash: string
  /** Queues of the level: −1 for Exempt, 0 for Reject. */
  readonly queues: number
  readonly handSize: number
  /** Queues by index, in deal order; empty if the level has none. */
  readonly hand: readonly number[]
  /** What separates the flows, in one sentence. */
  readonly reason: string
}

export type SeatUnit = 'objects' | 'bytes' | 'seats' | 'milliseconds' | 'watches'

/** One step of the estimator. `label` names the value, without containing it. */
export interface SeatStep {
  readonly kind:
    | 'verb'
    | 'objects'
    | 'object-size'
    | 'objects-read'
    | 'bytes'
    | 'watches'
    | 'needed'
    | 'cap'
    | 'final'
    | 'latency'
    | 'width'
  readonly label: string
  readonly value?: number
  readonly unit?: SeatUnit
  /** The value is unknown and this was used in its place. */
  readonly assumed?: true
}

/** Seats that the request occupies (specification 5.2 – 5.5). */
export interface SeatExplanation {
  readonly initial: number
  readonly final: number
  /** How long the final seats are held after the response. */
  readonly additionalLatencyMs: number
  /** Most seats that it occupies at a time. */
  readonly width: number
  /** The level's cap of seats per request; 0 when the level has no cap (specification 5.2). */
  readonly levelCap: number
  /** Largest estimate for a request of this verb, the level's cap included. */
  readonly cap: number
  readonly basis: ExplainedEstimate['basis']
  /** What the estimate is: `size-based list estimate`. */
  readonly method: string
  readonly steps: readonly SeatStep[]
  /** Assumptions made for unknown values, in sentences. */
  readonly assumptions: readonly string[]
}

/** Everything that a server decides about a request before it is queued or executed. */
export interface Classification {
  readonly info: RequestInfo
  readonly flowSchema: string
  readonly priorityLevel: string
  /** Of the response headers; empty for objects that the server creates internally (trap T71). */
  readonly uids: { readonly flowSchema: string; readonly priorityLevel: string }
  /** No schema matches; the server uses catch-all nevertheless. */
  readonly fallback: boolean
  /** Long-running but not a watch: the server serves it without flow control, and its response has no UID headers. */
  readonly bypasses: boolean
  /** All schemas that are not skipped, in matching order. */
  readonly trace: readonly SchemaTrace[]
  /** Skipped schemas, in the same order. */
  readonly dangling: readonly DanglingTrace[]
  readonly flow: FlowExplanation
  /** NominalCL of the level for the given server limit (specification 6.1). */
  readonly nominalLimit: number
  readonly seats: SeatExplanation
  /** Notes about the request itself, in sentences: for example that its path is not a resource path. */
  readonly notes: readonly string[]
}

/** A request that no server classifies: it is answered 400 or 500 before that. */
export interface Unclassifiable {
  readonly status: 400 | 500
  readonly problem: string
}

export type Explained =
  { readonly ok: true; readonly classification: Classification } | ({ readonly ok: false } & Unclassifiable)

/** What is available about the objects that a list would return, as the server polled it (specification 5.7). */
export interface KnownObjects {
  readonly count: number
  /** Bytes. Without it, the server's own worst case is used. */
  readonly averageSize?: number
  /** Seconds since the server polled it; the server ignores values older than 180. */
  readonly ageSeconds?: number
}

/** Estimates of the server for similar requests, from its dump or its rows. */
export interface SeenSeats {
  readonly seats: Seats
  readonly requests: number
}

/** The server that classifies. Absent values are assumed, and the explanation reports that where it matters. */
export interface ServerContext {
  /** gitVersion; absent: the newest known behaviour. */
  readonly version?: string
  /** Sum of both in-flight flags; absent: 600, the default. */
  readonly serverLimit?: Seats
  /** Whether lists without a version come from the cache; absent: as by default in the version. */
  readonly consistentReadsFromCache?: boolean
  /** Of the requested resource; `none` when the server has no statistics for it (aggregated and unknown resources). */
  readonly objects?: KnownObjects | 'none'
  /** Watches that receive the changes of the request. */
  readonly watchers?: number
  /** Replaces the estimate of a list whose number of objects is unknown. */
  readonly seen?: SeenSeats
}

/** A request with the properties that flow schemas and estimators evaluate. */
export interface DigestedRequest {
  readonly ok: true
  readonly digest: RequestDigest
  readonly query: Query
}

/** How a server classifies a request, or its error response when it cannot (specification 2.1). */
export function digestRequest({
  user,
  groups,
  method,
  url,
}: RequestSample): DigestedRequest | ({ readonly ok: false } & Unclassifiable) {
  if (!/^(?:\/|\*$)/.test(url)) {
    return { ok: false, status: 400, problem: 'The path of the request must begin with a slash: /api/v1/pods.' }
  }
  const line = readRequestLine(method, url)
  if (!line.ok) return { ok: false, status: line.status, problem: `A server answers ${line.status}: ${line.problem}.` }
  return { ok: true, digest: { user: { name: user, groups }, info: line.info }, query: line.query }
}

/** What a source reports about the resource that a request names; empty if the source reports nothing. */
export function contextOfFacts(
  facts: ReportedFacts | undefined,
  info: Pick<RequestInfo, 'resource' | 'apiGroup' | 'isResource'> | undefined,
): Pick<ServerContext, 'objects' | 'watchers'> {
  if (facts === undefined || info?.isResource !== true) return {}
  const key = statisticsKey(info)
  return { objects: facts.objects[key] ?? 'none', watchers: facts.watches[key] ?? 0 }
}

/**
 * The server's estimate for requests of the dump with the same verb, resource and namespace. Returns the most common
 * estimate; rows that disagree differ in limit or resourceVersion, which a dump does not show.
 */
export function seenSeats(rows: readonly DumpRequest[], info: RequestInfo | undefined): SeenSeats | undefined {
  if (info?.isResource !== true) return undefined
  const counts = new Map<number, number>()
  for (const row of rows) {
    const apiGroup = row.apiVersion?.includes('/') === true ? row.apiVersion.split('/')[0] : ''
    const same =
      row.verb === info.verb &&
      row.resource === info.resource &&
      apiGroup === info.apiGroup &&
      (row.subresource ?? '') === info.subresource &&
      (row.namespace ?? '') === info.namespace
    if (same) counts.set(row.initialSeats, (counts.get(row.initialSeats) ?? 0) + 1)
  }
  const [most] = [...counts].toSorted(([a, as], [b, bs]) => bs - as || b - a)
  return most && { seats: most[0], requests: most[1] }
}
