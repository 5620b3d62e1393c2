import { z } from 'zod'
import type { User, RequestDigest } from '../request/match.ts'
import { type Nanoseconds, type Seats, secondsToNs } from '../units.ts'
import { parseListOptions, parseRequestTarget, type Query } from '../request/requestTarget.ts'
import { requestInfo } from '../request/requestInfo.ts'
import { statisticsKey } from '../engine/workEstimator.ts'
import { type Distribution, drawNs, type Random } from './random.ts'

/**
 * The behaviour of a simulated cluster, as data. In names and targets `{i}` stands for the number of the client in its
 * group, and `{n:12}` for a number below 12 that is drawn for each call.
 */
export interface Workload {
  /** The objects of a resource are spread evenly over this many namespaces. */
  readonly namespaces: number
  readonly objects: readonly ObjectKind[]
  readonly service: ServiceModel
  readonly groups: readonly ClientGroup[]
}

/** Objects of one resource in the cluster, on which the cost of lists depends. */
export interface ObjectKind {
  /** `resource` or `resource.group`. */
  readonly key: string
  readonly count: number
  /** Bytes. */
  readonly averageSize: number
}

/** How long handlers take when nothing slows them down. */
export interface ServiceModel {
  /** By verb of the request. */
  readonly byVerb: Readonly<Record<string, Distribution>>
  /** For verbs that are not among them. */
  readonly otherwise: Distribution
  /** Additional time of lists and initial events of watches: bytes that are read and encoded in a second. */
  readonly bytesPerSecond: number
  readonly capacity: CapacityCurve
}

/** Clients that do the same under different names. */
export interface ClientGroup {
  readonly name: string
  readonly clients: number
  readonly user: User
  readonly behaviour: Behaviour
}

export interface CallKind {
  readonly method: string
  readonly target: string
  /** How often it is chosen, compared with the others of its group. */
  readonly weight: number
  /** Replaces the duration of the service model. */
  readonly execution?: Distribution
  readonly jobs?: CallJobs
}

/** Requests that a request causes clients on demand to send: names of their groups. */
export interface CallJobs {
  /**
   * Its handler starts with one of their requests, and continues when that was served; it holds its seats all the
   * while.
   */
  readonly needs?: string
  /** They send one request once it was served. */
  readonly causes?: string
}

/**
 * A client's reaction to 429: like client-go it waits for `Retry-After` and sends the request again, or it gives the
 * request up, backs off, and continues with its next one.
 */
export type OnRejection = 'retry' | 'next'

/**
 * After any failure the client waits and sends the request again until it is served, whatever `Retry-After` says: at first
 * for `firstMs`, then each time `factor` times as long, at most `mostMs`, and each that share `jitter` shorter or longer.
 */
export interface BackOff {
  readonly firstMs: number
  readonly factor: number
  readonly mostMs: number
  readonly jitter: number
}

export type Behaviour =
  /** Calls come regardless of the outcome of earlier ones. */
  | {
      readonly kind: 'open'
      readonly arrivals: Arrivals
      readonly calls: readonly CallKind[]
      /** `retry` if absent. */
      readonly onRejection?: OnRejection | BackOff
    }
  /** Each thread of each client makes one call after another, so that at most `threads` are under way. */
  | {
      readonly kind: 'closed'
      readonly threads: number
      readonly think: Distribution
      readonly waves?: Waves
      /** How many threads of each client are active in each step; all of them if absent. */
      readonly active?: Steps
      readonly calls: readonly CallKind[]
      /** `retry` if absent. */
      readonly onRejection?: OnRejection | BackOff
    }
  /**
   * Threads that send requests that calls of other groups need or cause, each repeated until it was served. They think
   * before they send a request for the first time.
   */
  | {
      readonly kind: 'on demand'
      readonly threads: number
      readonly think: Distribution
      readonly calls: readonly CallKind[]
    }
  /** Keeps a copy of resources: lists each, watches it, and lists it again when the watch cannot be resumed. */
  | {
      readonly kind: 'informer'
      /** Paths of the resources, optionally with a selector. */
      readonly targets: readonly string[]
      /** When a client begins, after the start of the simulation. */
      readonly start: Distribution
      readonly watchLife: Distribution
      /** Chance that a watch that ended cannot be resumed. */
      readonly relistChance: number
    }

/** Periodic activity: from `firstMs` on for `activeMs` in every `periodMs`. */
export interface Waves {
  readonly firstMs: number
  readonly activeMs: number
  readonly periodMs: number
}

/** One value for each step of time, from the first again after the last. */
export interface Steps {
  readonly stepMs: number
  readonly values: readonly number[]
}

/** The index of the step at an instant, milliseconds since the start. */
export const stepAt = ({ stepMs, values }: Steps, ms: number): number => Math.floor(ms / stepMs) % values.length

export type Arrivals =
  | { readonly kind: 'poisson'; readonly perSecond: number; readonly waves?: Waves }
  /** At regular intervals, each time off by at most `jitter` of the period; clients start anywhere in it. */
  | { readonly kind: 'regular'; readonly periodMs: number; readonly jitter: number }
  /** This many at once, spread over `spreadMs`. */
  | {
      readonly kind: 'bursts'
      readonly waves: Pick<Waves, 'firstMs' | 'periodMs'>
      readonly count: number
      readonly spreadMs: number
    }
  /** A Poisson process whose rate per second changes from step to step. */
  | { readonly kind: 'steps'; readonly perSecond: Steps }
  /** At these times after the start. */
  | { readonly kind: 'schedule'; readonly atMs: readonly number[] }

/**
 * The slowdown when more seats are in use than the machine has capacity for: points of a line, seats ascending,
 * constant beyond its ends. A slowdown of 2 doubles the duration of a request.
 */
export const CapacityCurveSchema = z
  .array(z.object({ seats: z.number().min(0), slowdown: z.number().min(1).max(1_000) }))
  .refine((points) => points.every(({ seats }, i) => i === 0 || seats > (points[i - 1]?.seats ?? 0)), {
    message: 'The seats of the points must ascend.',
  })
export type CapacityCurve = z.infer<typeof CapacityCurveSchema>

/** The slowdown while this many seats are in use; 1 without points. */
export function slowdownAt(curve: CapacityCurve, seats: Seats): number {
  const above = curve.findIndex((point) => point.seats >= seats)
  const upper = curve[above] ?? curve.at(-1)
  const lower = above > 0 ? curve[above - 1] : upper
  if (upper === undefined || lower === undefined) return 1
  if (upper.seats === lower.seats || above < 0) return upper.slowdown
  const part = (seats - lower.seats) / (upper.seats - lower.seats)
  return lower.slowdown + part * (upper.slowdown - lower.slowdown)
}

/** One request of one client, ready to be sent any number of times. */
export interface PreparedCall extends RequestDigest {
  readonly query: Query
  /** The duration of its handler when nothing slows it down; for a watch, until it is initialised. */
  readonly execution: Distribution
  /** Additional time for reading and encoding a list. */
  readonly transferNs: Nanoseconds
  readonly jobs?: CallJobs
}

export const drawExecutionNs = ({ execution, transferNs }: PreparedCall, random: Random): Nanoseconds =>
  drawNs(execution, random) + transferNs

type Target = Pick<PreparedCall, 'info' | 'query'>

const DRAWN = /\{n:(\d+)\}/

/** Prepares calls; each address is parsed once for all clients. */
export class CallBook {
  private readonly workload: Workload
  private readonly targets = new Map<string, Target>()

  constructor(workload: Workload) {
    this.workload = workload
  }

  /** Throws for a target that cannot be parsed. */
  prepare(user: User, method: string, target: string, execution?: Distribution): PreparedCall {
    const { info, query } = this.read(method, target)
    const { service } = this.workload
    const distribution = execution ?? service.byVerb[info.verb] ?? service.otherwise
    const transferNs = execution === undefined ? secondsToNs(this.bytesOf({ info, query }) / service.bytesPerSecond) : 0
    return { user, info, query, execution: distribution, transferNs }
  }

  private read(method: string, target: string): Target {
    const key = `${method} ${target}`
    const known = this.targets.get(key)
    if (known !== undefined) return known
    const parsed = parseRequestTarget(target)
    const { info, failed } = parsed === undefined ? { info: undefined, failed: true } : requestInfo(method, parsed)
    if (parsed === undefined || info === undefined || failed) throw new Error(`${key} is not a request`)
    const read = { info, query: parsed.query }
    this.targets.set(key, read)
    return read
  }

  /** Bytes that a list reads and encodes; 0 for anything else. */
  private bytesOf({ info, query }: Target): number {
    const options = parseListOptions(query)
    if (options === undefined || (info.verb !== 'list' && options.sendInitialEvents !== true)) return 0
    const kind = this.workload.objects.find(({ key }) => key === statisticsKey(info))
    if (kind === undefined) return 0
    const found = info.name !== '' ? 1 : info.namespace === '' ? kind.count : kind.count / this.workload.namespaces
    return kind.averageSize * (options.limit > 0 ? Math.min(options.limit, found) : found)
  }
}

/** The calls of one client to choose from: for each kind, a position and a number of calls. */
export interface CallMix {
  readonly calls: readonly PreparedCall[]
  readonly kinds: readonly { readonly weight: number; readonly from: number; readonly count: number }[]
}

/** The calls of the client with this number; those with a drawn number are prepared once for each number. */
export function callMix(book: CallBook, user: User, index: number, kinds: readonly CallKind[]): CallMix {
  const calls: PreparedCall[] = []
  const places = kinds.map(({ method, target, weight, execution, jobs }) => {
    const from = calls.length
    const variants = variantsOf(numbered(target, index))
    const given = jobs === undefined ? {} : { jobs }
    for (const added of variants.map((one) => ({ ...book.prepare(user, method, one, execution), ...given })))
      calls.push(added)
    return { weight, from, count: variants.length }
  })
  return { calls, kinds: places }
}

/** The position of the next call. */
export function drawCall({ kinds }: CallMix, random: Random): number {
  let rest = random() * kinds.reduce((total, { weight }) => total + weight, 0)
  const chosen = kinds.find(({ weight }) => (rest -= weight) < 0) ?? kinds.at(-1)
  if (chosen === undefined) throw new Error('a client needs at least one call')
  return chosen.from + Math.floor(random() * chosen.count)
}

/** Inserts the number of a client into a text. */
export const numbered = (text: string, index: number): string => text.replaceAll('{i}', String(index))

function variantsOf(target: string): readonly string[] {
  const count = Number(DRAWN.exec(target)?.[1] ?? 0)
  return count === 0 ? [target] : Array.from({ length: count }, (_, n) => target.replace(DRAWN, String(n)))
}
