import { ProblemError, toProblem } from '../../core/errors.ts'
import type { PrometheusServers, PrometheusSpec, PrometheusTarget } from '../../core/contract/prometheus.ts'
import type { Cadence } from '../../core/contract/source.ts'
import { INTERVAL_MS } from '../../core/bounds.ts'
import type { Discovery } from '../../core/prom/discovery.ts'
import { rfc3339 } from '../../core/units.ts'
import type { Consent } from '../cluster/consent.ts'
import type { Environment } from '../ports/environment.ts'
import type { Source, SourceResult } from '../ports/source.ts'
import { createHealthBook } from './scrape/health.ts'
import { openPrometheus, sourceInfo, type PrometheusApi } from './prometheus/api.ts'
import { createFleetReader } from './prometheus/fleet.ts'
import { createPast } from './prometheus/past.ts'
import { findServers, select, type Selected } from './prometheus/servers.ts'
import { createTail, type Tail } from './prometheus/tail.ts'

/**
 * Reads what a Prometheus, or anything with its HTTP API, scraped from the API servers of one cluster. The servers are
 * queried before the source is created: a Prometheus without any, or with several clusters, is the problem of the
 * result.
 */
export async function createPrometheusSource(
  spec: PrometheusSpec,
  environment: Environment,
  consent: Consent,
): Promise<SourceResult> {
  let api: PrometheusApi | undefined
  try {
    api = await openPrometheus(spec, () => environment.now(), consent)
    const found = await findServers(api, spec, new AbortController().signal)
    if (found.ok && spec.fleet === true) {
      return { ok: true, source: createFleetSource(api, spec, found.value, environment) }
    }
    const selected = found.ok ? select(found.value, spec, api.host) : found
    if (selected.ok) return { ok: true, source: createSource(api, spec, selected.value, environment) }
    api.close()
    return selected
  } catch (error) {
    api?.close()
    return { ok: false, problem: toProblem(error) }
  }
}

function createSource(api: PrometheusApi, spec: PrometheusSpec, selected: Selected, environment: Environment): Source {
  let tail: Tail | undefined
  let past: ReturnType<typeof createPast> | undefined
  const { name } = selected.cluster
  const { cluster } = selected.discovery.labels
  const whole =
    selected.notes.length === 0
      ? undefined
      : createFleetReader({
          api,
          target: {
            ...spec,
            matchers: [
              ...(spec.matchers ?? []),
              ...(cluster === undefined ? [] : [{ label: cluster, value: name ?? '' }]),
            ],
          },
          environment,
          onRead: () => undefined,
          // The servers that are read in full report the problem.
          onFailed: () => undefined,
        })
  return {
    info: sourceInfo(api, name),
    still: false,
    get ownCadence(): Cadence {
      return cadenceOf(tail?.intervalMs ?? selected.discovery.intervalMs)
    },
    ...(whole && { whole: whole.servers }),
    start(signal, emit) {
      past = createPast({
        api,
        environment,
        instanceLabel: selected.discovery.labels.instance,
        emit,
        onProgress(progress) {
          for (const health of tail?.health() ?? []) health.past(progress)
        },
      })
      tail = createTail({ api, spec, selected, environment, emit, past })
      tail.start(signal)
      signal.addEventListener('abort', () => api.close(), { once: true })
    },
    tryNow: () => tail?.tryNow(),
    // A frame follows each scrape.
    stopPast: () => past?.stop(),
  }
}

/** How often a Prometheus has new data. */
const cadenceOf = (intervalMs: number = INTERVAL_MS.max): Cadence => ({
  intervalMs: Math.round(Math.min(INTERVAL_MS.max, Math.max(INTERVAL_MS.min, intervalMs))),
  dumpsEveryMs: null,
})

/** All servers of all clusters as the Fleet screen shows them, without frames. */
function createFleetSource(
  api: PrometheusApi,
  spec: PrometheusSpec,
  { clusters, intervalMs }: Discovery,
  environment: Environment,
): Source {
  let health: ReturnType<typeof createHealthBook> | undefined
  const at = (afterMs = 0): string => rfc3339(environment.now() + afterMs)
  const reader = createFleetReader({
    api,
    target: spec,
    environment,
    onRead({ ms, bytes, warnings }) {
      health?.note('warnings', warnings.length > 0 ? `Prometheus warns: ${warnings.join(' ')}` : undefined)
      health?.good(at(), { fetchMs: Math.round(ms), bytes, families: 0 }, undefined, undefined)
    },
    onFailed: (problem, pauseMs) => health?.failed(at(), problem, at(pauseMs)),
  })
  const [only, ...others] = clusters
  return {
    info: sourceInfo(api, others.length === 0 ? only?.name : undefined),
    still: false,
    ownCadence: cadenceOf(intervalMs),
    whole: reader.servers,
    start(signal, emit) {
      health = createHealthBook(api.host, api.notes, (entry) => emit({ kind: 'health', health: entry }))
      signal.addEventListener('abort', () => api.close(), { once: true })
    },
    tryNow: () => reader.tryNow(),
    // Each reading of Prometheus follows the previous one after a pause.
  }
}

/** The clusters and servers to choose from; one query. Rejects with `ProblemError`. */
export async function prometheusServers(
  target: PrometheusTarget,
  environment: Environment,
  consent: Consent,
): Promise<PrometheusServers> {
  const api = await openPrometheus(target, () => environment.now(), consent)
  try {
    const found = await findServers(api, target, new AbortController().signal)
    if (!found.ok) throw ProblemError.of(found.problem)
    const { labels, choices, clusters, intervalMs } = found.value
    return {
      labels,
      choices: [...choices],
      clusters: clusters.map(({ name, servers }) => ({ ...(name !== undefined && { name }), servers: [...servers] })),
      ...(intervalMs !== undefined && { intervalMs }),
    }
  } finally {
    api.close()
  }
}
