import type { EtcdMonitor, MONITOR_KINDS } from '../contract/etcd.ts'
import { type Nanoseconds, nsToMs, nsToSeconds, secondsToNs } from '../units.ts'
import { requestText } from './explain.ts'
import { KeptRequests } from './kept.ts'
import { segmentsOf, textOf } from './keys.ts'
import { opOfMethod } from './operations.ts'
import { elementsOf, type QosRequest } from './request.ts'
import type { Seen, Settled } from './seen.ts'

export type Verdicts = Readonly<Record<Settled['verdict'], number>>

/** Limits of the kept requests: number, bytes and age. */
const MOST_SEEN = { requests: 20_000, bytes: 16 * 1024 * 1024 }
const KEPT_NS = secondsToNs(600)
const MOST_NOTABLE = 200
/** Slower requests are in the slow log. */
const SLOW_MS = 100
const SECONDS_KEPT = 600

/** One second of traffic. */
export interface Second {
  /** Since the start of the clock. */
  readonly second: number
  passed: number
  delayed: number
  limited: number
  requestBytes: number
  responseBytes: number
}

/** The last minutes of traffic through a proxy, in bounded memory. */
export class Traffic {
  readonly #kept = new KeptRequests(MOST_SEEN)
  readonly #rules = new Map<string, Record<Settled['verdict'], number>>()
  readonly #totals = { passed: 0, delayed: 0, limited: 0 }
  readonly #seconds: Second[] = []
  readonly #limited: Seen[] = []
  readonly #slow: Seen[] = []

  /** Requests arrive here in the order in which they end. */
  push(seen: Seen): void {
    const { verdict, rule, at, request, observed } = seen
    this.#totals[verdict] += 1
    if (rule !== undefined) {
      const counts = this.#rules.get(rule) ?? { passed: 0, delayed: 0, limited: 0 }
      counts[verdict] += 1
      this.#rules.set(rule, counts)
    }
    const second = this.#secondOf(Math.floor(nsToSeconds(at)))
    if (second !== undefined) {
      second[verdict] += 1
      second.requestBytes += request.requestBytes ?? 0
      second.responseBytes += verdict === 'limited' ? 0 : (observed.responseBytes ?? 0)
    }
    // A request with very many keys is counted but not kept, because it could displace all others.
    if (!this.#kept.push(seen)) return
    if (verdict === 'limited') keep(this.#limited, seen)
    if (verdict !== 'limited' && (observed.latencyMs ?? 0) > SLOW_MS) keep(this.#slow, seen)
    while ((this.#kept.oldestAt ?? at) < at - KEPT_NS) this.#kept.dropOldest()
  }

  /** Drops the counts of removed rules. */
  forgetAllBut(rules: ReadonlySet<string>): void {
    for (const name of this.#rules.keys()) if (!rules.has(name)) this.#rules.delete(name)
  }

  get totals(): Verdicts {
    return this.#totals
  }

  /** Since the start, by rule. */
  get rules(): ReadonlyMap<string, Verdicts> {
    return this.#rules
  }

  /** The latest limited requests, newest last. */
  get limited(): readonly Seen[] {
    return this.#limited
  }

  /** The latest requests that took longer than 100 ms, newest last. */
  get slow(): readonly Seen[] {
    return this.#slow
  }

  /** The last ten minutes, as far as they are kept, in order of arrival. */
  recent(since: Nanoseconds): readonly Seen[] {
    return this.#kept.since(since).toSorted((a, b) => a.at - b.at)
  }

  /** The last `count` seconds up to now, including those without requests. */
  seconds(now: Nanoseconds, count: number): readonly Second[] {
    const last = Math.floor(nsToSeconds(now))
    const known = new Map(this.#seconds.map((one) => [one.second, one]))
    return Array.from({ length: count }, (_, index) => {
      const second = last - count + 1 + index
      return known.get(second) ?? emptySecond(second)
    })
  }

  #secondOf(number: number): Second | undefined {
    for (let index = this.#seconds.length - 1; index >= 0; index--) {
      const one = this.#seconds[index]
      if (one === undefined || one.second < number) break
      if (one.second === number) return one
    }
    const newest = this.#seconds.at(-1)?.second ?? -1
    // A call that began long ago and ended now belongs to a second that may already be dropped.
    if (number < newest) return this.#seconds.find(({ second }) => second === number)
    const fresh = emptySecond(number)
    this.#seconds.push(fresh)
    if (this.#seconds.length > SECONDS_KEPT) this.#seconds.shift()
    return fresh
  }
}

const emptySecond = (second: number): Second => ({
  second,
  passed: 0,
  delayed: 0,
  limited: 0,
  requestBytes: 0,
  responseBytes: 0,
})

function keep(list: Seen[], seen: Seen): void {
  list.push(seen)
  if (list.length > MOST_NOTABLE) list.shift()
}

/** Similar requests, and their total cost. */
export interface Usage {
  /** Their common property: an operation with a prefix, or one request. */
  readonly op: string
  readonly keys: string
  readonly requests: number
  readonly limited: number
  readonly scannedKeys: number
  readonly requestBytes: number
  readonly responseBytes: number
  /** Of the measured ones; absent if there are none. */
  readonly p50Ms?: number
  readonly p99Ms?: number
  readonly meanMs?: number
  /** The latest request. */
  readonly sample: Seen
}

interface Sum {
  readonly op: string
  readonly keys: string
  readonly latencies: number[]
  requests: number
  limited: number
  scannedKeys: number
  requestBytes: number
  responseBytes: number
  sample: Seen
}

const opOf = ({ method }: QosRequest): string => opOfMethod(method) || method

/** Segments of a key that name the resource: `/registry/pods`. */
const SEGMENTS = 2
const LONGEST_TEXT = 256

/** By operation and prefix of the first key. */
export const byPrefix = ({ request }: Seen): readonly [op: string, keys: string] => {
  const [first] = request.body === undefined ? [] : elementsOf(request.body)
  return [opOf(request), first === undefined ? '' : textOf(segmentsOf(first.key, SEGMENTS)).slice(0, LONGEST_TEXT)]
}

/** By the request itself, in readable form. */
export const byRequest = ({ request }: Seen): readonly [op: string, keys: string] => {
  const text = requestText(request)
  const space = text.indexOf(' ')
  return [opOf(request), space === -1 ? '' : text.slice(space + 1, space + 1 + LONGEST_TEXT)]
}

/** Sums requests by their common property, in no order. */
export function usages(
  all: Iterable<Seen>,
  common: (seen: Seen) => readonly [op: string, keys: string],
): readonly Usage[] {
  const sums = new Map<string, Sum>()
  for (const seen of all) {
    const [op, keys] = common(seen)
    const key = `${op}\0${keys}`
    let sum = sums.get(key)
    if (sum === undefined) {
      sum = {
        op,
        keys,
        latencies: [],
        requests: 0,
        limited: 0,
        scannedKeys: 0,
        requestBytes: 0,
        responseBytes: 0,
        sample: seen,
      }
      sums.set(key, sum)
    }
    sum.sample = seen
    sum.requests += 1
    sum.requestBytes += seen.request.requestBytes ?? 0
    if (seen.verdict === 'limited') {
      sum.limited += 1
      continue
    }
    sum.scannedKeys += seen.observed.scannedKeys ?? 0
    sum.responseBytes += seen.observed.responseBytes ?? 0
    if (seen.observed.latencyMs !== undefined) sum.latencies.push(seen.observed.latencyMs)
  }
  return [...sums.values()].map(usageOf)
}

function usageOf({ latencies, ...sums }: Sum): Usage {
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (quantile: number): number | undefined => sorted[Math.ceil(quantile * sorted.length) - 1]
  const [p50Ms, p99Ms] = [at(0.5), at(0.99)]
  return {
    ...sums,
    ...(p50Ms !== undefined && { p50Ms }),
    ...(p99Ms !== undefined && { p99Ms }),
    ...(sorted.length > 0 && { meanMs: sorted.reduce((sum, each) => sum + each, 0) / sorted.length }),
  }
}

/** Criteria that rank the most expensive requests. */
export const RANKINGS = ['scan', 'traffic', 'latency'] as const
export type Ranking = (typeof RANKINGS)[number]

const WEIGHTS: Readonly<Record<Ranking, (usage: Usage) => number>> = {
  scan: ({ scannedKeys }) => scannedKeys,
  traffic: ({ requestBytes, responseBytes }) => requestBytes + responseBytes,
  latency: ({ meanMs = 0, requests, limited }) => meanMs * (requests - limited),
}

/** The most expensive of them, by the total cost of their requests. */
export const ranked = (all: readonly Usage[], by: Ranking, most: number): readonly Usage[] =>
  all.toSorted((a, b) => WEIGHTS[by](b) - WEIGHTS[by](a)).slice(0, most)

/** Milliseconds, bytes or keys; `undefined` if it was not measured. */
export function monitored(kind: MonitorKind, { request, observed, verdict }: Seen): number | undefined {
  if (verdict === 'limited') return undefined
  switch (kind) {
    case 'latency':
      return observed.latencyMs
    case 'traffic':
      return (request.requestBytes ?? 0) + (observed.responseBytes ?? 0)
    case 'scanKeyNum':
      return observed.scannedKeys
  }
}

type MonitorKind = (typeof MONITOR_KINDS)[number]

export const monitors = ({ type, threshold = 0, rule }: Omit<EtcdMonitor, 'limit'>, seen: Seen): boolean =>
  (rule === undefined || seen.rule === rule) && (type === undefined || (monitored(type, seen) ?? 0) > threshold)

/** Time span of the requests, in milliseconds. */
export const spanMs = (all: readonly Seen[]): number => nsToMs((all.at(-1)?.at ?? 0) - (all[0]?.at ?? 0))
