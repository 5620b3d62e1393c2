import type { RequestListener, ServerResponse } from 'node:http'
import { createParser } from '../../core/metrics/parse.ts'
import { evaluate, type Value } from './fakePromql.ts'
import { startHostileServer, type HostileServer, type HostileServerOptions } from './hostileServer.ts'

/** A target of the fake Prometheus: its page at an instant (Unix ms), and its labels. */
export interface FakeTarget {
  readonly labels: Readonly<Record<string, string>>
  readonly intervalMs: number
  /** Of the first scrape after a multiple of the interval. */
  readonly phaseMs?: number
  /** The page; `undefined` where the scrape failed. */
  readonly page: (at: number) => string | undefined
}

export interface FakePrometheus extends HostileServer {
  /** The queries so far: those that the paths of the requests hold. */
  readonly queries: () => readonly FakeQuery[]
  /** Does this instead of answering, until it is changed; `undefined` answers. */
  fail(behaviour: ((query: FakeQuery, response: ServerResponse) => boolean) | undefined): void
}

export interface FakeQuery {
  readonly path: string
  readonly query: string
  /** Width of a range selector, or from start to end, milliseconds. */
  readonly spanMs: number
  /** The other parameters of the request. */
  readonly parameters: URLSearchParams
}

/** The lookback for instants without a sample. */
const LOOKBACK_MS = 300_000

/**
 * As much of the HTTP API as the console uses, for faults that a real Prometheus does not show on demand. `now` is its
 * clock. Ranges include both ends, as before Prometheus 3.
 */
export async function startFakePrometheus(
  now: () => number,
  targets: () => readonly FakeTarget[],
  more: {
    readonly warnings?: () => readonly string[]
    readonly drop?: (labels: Record<string, string>) => boolean
    /**
     * The label of the replicas that a Thanos merges unless the query disables it: series by series, from whichever
     * replica it follows for each.
     */
    readonly replica?: string
    readonly server?: Pick<HostileServerOptions, 'tls' | 'clientCa'>
  } = {},
): Promise<FakePrometheus> {
  let failing: ((query: FakeQuery, response: ServerResponse) => boolean) | undefined
  const queries: FakeQuery[] = []
  const parser = createParser()
  const known = new Map<string, Map<string, { labels: Record<string, string>; value: number }>>()
  const pageOf = (target: FakeTarget, at: number) => {
    const text = target.page(at)
    if (text === undefined) return undefined
    const found = known.get(text) ?? new Map<string, { labels: Record<string, string>; value: number }>()
    if (!known.has(text)) {
      for (const { series, values } of parser.parse(new TextEncoder().encode(text)).families.values()) {
        series.forEach(({ name, labels }, i) => {
          const own = { __name__: name, ...labels }
          found.set(JSON.stringify(own), { labels: own, value: values[i] ?? Number.NaN })
        })
      }
      known.set(text, found)
    }
    return found
  }
  const scrapesIn = ({ intervalMs, phaseMs = 0 }: FakeTarget, from: number, to: number): number[] => {
    const times: number[] = []
    for (let at = Math.ceil((from - phaseMs) / intervalMs) * intervalMs + phaseMs; at <= to; at += intervalMs)
      times.push(at)
    return times
  }
  /** Series that match, with their samples between two instants. */
  const samples = (query: string, from: number, to: number) => {
    const matches = matcherOf(query)
    const series = new Map<string, { metric: Record<string, string>; values: [number, number][] }>()
    for (const target of targets()) {
      for (const at of scrapesIn(target, from, to)) {
        for (const [key, { labels, value }] of pageOf(target, at) ?? []) {
          const metric = { ...labels, ...target.labels }
          if (!matches(metric) || more.drop?.(metric) === true) continue
          const id = key + JSON.stringify(target.labels)
          const found = series.get(id) ?? { metric, values: [] }
          series.set(id, found)
          found.values.push([at, value])
        }
      }
    }
    return [...series.values()]
  }
  const instant = (query: string, at: number): readonly Value[] => {
    if (!/^(?:timestamp\()?\{/.test(query)) {
      return evaluate(query, at, (selector, from, to) => samples(selector, from, to))
    }
    const timestamps = /^timestamp\((.*)\)$/s.exec(query)
    return samples(timestamps?.[1] ?? query, at - LOOKBACK_MS, at).flatMap(({ metric, values }) => {
      const [when, value] = values.at(-1) ?? []
      if (when === undefined || value === undefined) return []
      const { __name__: name, ...rest } = metric
      return timestamps === null
        ? [{ metric, value }]
        : [{ metric: { ...rest, ...(name === '' && {}) }, value: when / 1_000 }]
    })
  }
  const merged = <T extends { readonly metric: Readonly<Record<string, string>> }>(
    result: readonly T[],
    parameters: URLSearchParams,
  ): readonly T[] => {
    const { replica } = more
    if (replica === undefined || parameters.get('dedup') === 'false') return result
    const groups = Map.groupBy(result, ({ metric }) =>
      JSON.stringify(Object.fromEntries(Object.entries(metric).filter(([label]) => label !== replica))),
    )
    return [...groups].flatMap(([key, all], i) => {
      const followed = all[i % all.length]
      const metric: Record<string, string> = JSON.parse(key)
      return followed === undefined ? [] : [{ ...followed, metric }]
    })
  }
  const answer = (path: string, parameters: URLSearchParams): unknown => {
    const query = parameters.get('query') ?? ''
    const time = (name: string): number => Math.round(Number(parameters.get(name)) * 1_000)
    const pair = (at: number, value: number): [number, string] => [at / 1_000, String(value)]
    if (path.endsWith('/query_range')) {
      const result = new Map<string, { metric: Record<string, string>; values: [number, string][] }>()
      for (let at = time('start'); at <= time('end'); at += time('step')) {
        for (const { metric, value } of instant(query, at)) {
          const key = JSON.stringify(metric)
          const found = result.get(key) ?? { metric, values: [] }
          result.set(key, found)
          found.values.push(pair(at, value))
        }
      }
      return { resultType: 'matrix', result: merged([...result.values()], parameters) }
    }
    const at = parameters.has('time') ? time('time') : now()
    const span = spanOf(query)
    if (span === undefined) {
      return {
        resultType: 'vector',
        result: merged(
          instant(query, at).map(({ metric, value }) => ({ metric, value: pair(at, value) })),
          parameters,
        ),
      }
    }
    const selector = query.slice(0, query.lastIndexOf('['))
    const result = samples(selector, at - span, at).map(({ metric, values }) => ({
      metric,
      values: values.map(([when, value]) => pair(when, value)),
    }))
    return { resultType: 'matrix', result: merged(result, parameters) }
  }
  const behaviour: RequestListener = (request, response) => {
    const url = new URL(request.url ?? '', 'http://fake')
    const query = url.searchParams.get('query') ?? ''
    const [start, end] = ['start', 'end'].map((name) => Number(url.searchParams.get(name)) * 1_000)
    const parameters = url.searchParams
    const one = { path: url.pathname, query, spanMs: spanOf(query) ?? (end ?? 0) - (start ?? 0), parameters }
    queries.push(one)
    response.setHeader('Date', new Date(now()).toUTCString())
    if (failing?.(one, response) === true) return
    const warnings = more.warnings?.() ?? []
    response.setHeader('Content-Type', 'application/json')
    response.end(
      JSON.stringify({
        status: 'success',
        data: answer(url.pathname, url.searchParams),
        ...(warnings.length > 0 && { warnings }),
      }),
    )
  }
  const server = await startHostileServer({ ...more.server, behaviour })
  return {
    ...server,
    queries: () => queries,
    fail(next) {
      failing = next
    },
  }
}

/** The error of the API with this status. */
export function refuse(
  response: ServerResponse,
  status: number,
  error: string,
  headers: Record<string, string> = {},
): true {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify({ status: 'error', errorType: 'execution', error }))
  return true
}

function spanOf(query: string): number | undefined {
  const [, amount, unit] = /\[(\d+)(ms|s)\]$/.exec(query) ?? []
  return amount === undefined ? undefined : Number(amount) * (unit === 's' ? 1_000 : 1)
}

/** `name{…}` as `{__name__="name",…}`. */
const withName = (selector: string): string => selector.replace(/^([a-zA-Z_:][\w:]*)(?:\{|$)/, '{__name__="$1",')

const MATCHER = /([a-zA-Z_]\w*)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"/g

function matcherOf(query: string): (labels: Readonly<Record<string, string>>) => boolean {
  const all = [...withName(query).matchAll(MATCHER)].map(([, label = '', is = '', text = '']) => {
    const value = text.replaceAll(/\\(.)/g, '$1')
    const pattern = new RegExp(`^(?:${value})$`, 's')
    return (labels: Readonly<Record<string, string>>): boolean => {
      const own = labels[label] ?? ''
      const fits = is.endsWith('~') ? pattern.test(own) : own === value
      return fits === is.startsWith('=')
    }
  })
  return (labels) => all.every((matches) => matches(labels))
}
