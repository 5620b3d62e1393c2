import { ProblemError, toProblem } from '../../core/contract/errors.ts'
import type { PrometheusServers, PrometheusSpec, PrometheusTarget } from '../../core/contract/prometheus.ts'
import { INTERVAL_MS, type Cadence } from '../../core/contract/source.ts'
import type { Consent } from '../cluster/consent.ts'
import type { Environment } from '../ports/environment.ts'
import type { Source, SourceResult } from '../ports/source.ts'
import { openPrometheus, type PrometheusApi } from './prometheus/api.ts'
import { createPast } from './prometheus/past.ts'
import { findServers, select, type Selected } from './prometheus/servers.ts'
import { createTail, type Tail } from './prometheus/tail.ts'

/**
 * Reads what a Prometheus, or anything that has its HTTP API, scraped of the API servers of one cluster. Which servers
 * there are is asked before the source is made: a Prometheus that has none, or several clusters, is the problem of the
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
  return {
    info: {
      kind: 'prometheus',
      name: name === undefined || name === '' ? api.host : name,
      via: `Prometheus at ${api.shown}`,
    },
    still: false,
    get ownCadence(): Cadence {
      const intervalMs = tail?.intervalMs ?? selected.discovery.intervalMs ?? INTERVAL_MS.max
      return {
        intervalMs: Math.round(Math.min(INTERVAL_MS.max, Math.max(INTERVAL_MS.min, intervalMs))),
        dumpsEveryMs: null,
      }
    },
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
    setCadence: () => undefined,
    stopPast: () => past?.stop(),
  }
}

/** What there is to choose from; one query. Rejects with `ProblemError`. */
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
