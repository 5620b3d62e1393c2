import { type ExplainedEstimate, statisticsKey } from '../engine/workEstimator.ts'
import type { Seats } from '../units.ts'
import type { RequestSample } from '../contract/objects.ts'
import { readRequestLine, type RequestInfo } from '../request/requestInfo.ts'
import type { RequestDigest } from '../request/match.ts'
import type { Query } from '../request/requestTarget.ts'
import type { ReportedFacts } from '../contract/source.ts'
import type { DumpRequest } from '../frame/dump.ts'
import type { Criterion, Mismatch } from './mismatch.ts'

/** `none`: the rule does not ask this of such a request, or has nothing to ask it with. */
export type Outcome = 'pass' | 'fail' | 'none'
export type Outcomes = Readonly<Record<Criterion, Outcome>>

/** How one rule of a flow schema answers the request (specification 2.3 – 2.5). Indexes count from 0. */
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

/** How one flow schema answers the request. */
export interface SchemaTrace {
  readonly flowSchema: string
  readonly priorityLevel: string
  readonly matchingPrecedence: number
  /** A stand-in that the server imagines because the object is missing or dangling (trap T37). */
  readonly imagined: boolean
  /** Whether its rules match the request, whatever comes before it. */
  readonly matched: boolean
  /** Whether the server comes to ask it: nothing before it matches. */
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

/** A flow schema that takes no part because its level does not exist (specification 7.3, 7.6). */
export interface DanglingTrace {
  readonly flowSchema: string
  readonly priorityLevel: string
  readonly matchingPrecedence: number
  /** Whether it would match if it took part. */
  readonly matched: boolean
  /** Why the server does without the level: there is none of that name, or it refuses the object (specification 7.2). */
  readonly cause: 'missing' | 'refused'
  readonly reason: string
}

/** The flow of the request within its level (specification 2.6, 2.7, 3.2). */
export interface FlowExplanation {
  readonly method: 'ByUser' | 'ByNamespace' | 'none'
  readonly distinguisher: string
  /** Unsigned, decimal; `0` where none is computed. */
  readonly hash: string
  /** Queues of the level: −1 for Exempt, 0 for Reject. */
  readonly queues: number
  readonly handSize: number
  /** Queues by index, in deal order; empty where the level has none. */
  readonly hand: readonly number[]
  /** What tells the flows apart, in one sentence. */
  readonly reason: string
}

export type SeatUnit = 'objects' | 'bytes' | 'seats' | 'milliseconds' | 'watches'

/** One step of the estimator. `label` says what the value is, without the value. */
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
  /** The value is not known and this is what was put in its place. */
  readonly assumed?: true
}

/** Seats that the request takes (specification 5.2 – 5.5). */
export interface SeatExplanation {
  readonly initial: number
  readonly final: number
  /** How long the final seats linger after the response. */
  readonly additionalLatencyMs: number
  /** Seats that it occupies at most at a time. */
  readonly width: number
  /** The level's cap of seats per request; 0 when the level has no say (specification 5.2). */
  readonly levelCap: number
  /** Seats per request that no estimate of this verb exceeds, the level's cap included. */
  readonly cap: number
  readonly basis: ExplainedEstimate['basis']
  /** What the estimate is: `size-based list estimate`. */
  readonly method: string
  readonly steps: readonly SeatStep[]
  /** What was assumed because it is not known, in sentences. */
  readonly assumptions: readonly string[]
}

/** Everything that a server decides about a request before it queues or runs. */
export interface Classification {
  readonly info: RequestInfo
  readonly flowSchema: string
  readonly priorityLevel: string
  /** Of the response headers; empty for objects that the server imagines (trap T71). */
  readonly uids: { readonly flowSchema: string; readonly priorityLevel: string }
  /** No schema matches; the server takes catch-all all the same. */
  readonly fallback: boolean
  /** Long-running and no watch: the server serves it past flow control, and its answer has no UID headers. */
  readonly bypasses: boolean
  /** Every schema that takes part, in matching order. */
  readonly trace: readonly SchemaTrace[]
  /** The schemas that take no part, in the same order. */
  readonly dangling: readonly DanglingTrace[]
  readonly flow: FlowExplanation
  /** NominalCL of the level for the given server limit (specification 6.1). */
  readonly nominalLimit: number
  readonly seats: SeatExplanation
  /** What to know about the request itself, in sentences: that a resource path is none, for example. */
  readonly notes: readonly string[]
}

/** A request that no server classifies: it answers 400 or 500 to it before. */
export interface Unclassifiable {
  readonly status: 400 | 500
  readonly problem: string
}

export type Explained =
  { readonly ok: true; readonly classification: Classification } | ({ readonly ok: false } & Unclassifiable)

/** What is known of the objects that a list would return, as the server polled it (specification 5.7). */
export interface KnownObjects {
  readonly count: number
  /** Bytes. Without it, the server's own worst case is used. */
  readonly averageSize?: number
  /** Seconds since the server polled it; older than 180 it does not believe it. */
  readonly ageSeconds?: number
}

/** What the server estimated for requests like this one, as its dump or its rows show it. */
export interface SeenSeats {
  readonly seats: Seats
  readonly requests: number
}

/** The server that classifies. What is absent is assumed, and the explanation says so where it matters. */
export interface ServerContext {
  /** gitVersion; the newest known behaviour without. */
  readonly version?: string
  /** Sum of both in-flight flags; 600 without, as by default. */
  readonly serverLimit?: Seats
  /** Whether lists without a version come from the cache; so without, as from any present etcd. */
  readonly consistentReadsFromCache?: boolean
  /** Of the requested resource; `none` when the server has no statistics of it (aggregated and unknown resources). */
  readonly objects?: KnownObjects | 'none'
  /** Watches that hear of what the request changes. */
  readonly watchers?: number
  /** Stands in for the estimate of a list whose number of objects is not known. */
  readonly seen?: SeenSeats
}

/** A request as flow schemas and estimators look at it. */
export interface DigestedRequest {
  readonly ok: true
  readonly digest: RequestDigest
  readonly query: Query
}

/** What a server makes of a request, or what it answers when it cannot (specification 2.1). */
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

/** What a source reports about the resource that a request names; nothing where the source reports nothing. */
export function contextOfFacts(
  facts: ReportedFacts | undefined,
  info: Pick<RequestInfo, 'resource' | 'apiGroup' | 'isResource'> | undefined,
): Pick<ServerContext, 'objects' | 'watchers'> {
  if (facts === undefined || info?.isResource !== true) return {}
  const key = statisticsKey(info)
  return { objects: facts.objects[key] ?? 'none', watchers: facts.watches[key] ?? 0 }
}

/**
 * What the server estimated for requests of the dump with the same verb, resource and namespace. Returns the most common
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
