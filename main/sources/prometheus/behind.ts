import { toProblem, type Problem } from '../../../core/errors.ts'
import type { PrometheusPast } from '../../../core/contract/prometheus.ts'
import type { PastRead } from '../../../core/contract/source.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { FAMILY } from '../../../core/metrics/familyNames.ts'
import { placeOf } from '../../../core/prom/discovery.ts'
import { equals, named, selector } from '../../../core/prom/promql.ts'
import type { Emit } from '../../../core/source/sourceEvent.ts'
import { plain } from '../../../core/text/format.ts'
import { MS_PER_SECOND, rfc3339, unixMsOf } from '../../../core/units.ts'
import type { Consent } from '../../cluster/consent.ts'
import type { Environment } from '../../ports/environment.ts'
import { LIVE_LIMITS, openPrometheus, type PrometheusApi } from './api.ts'
import { createPast, type Past } from './past.ts'
import { sizedAt, USUAL_INTERVAL_MS } from './range.ts'
import { clusterMatchers, findServers } from './servers.ts'

/** The past of servers that are read directly, from a Prometheus that scraped them before. */
export interface PastBehind {
  /** The first frame of a server: reads what is before it, and emits it as frames of that server. */
  begin(first: ServerFrame, onProgress: (past: PastRead) => void): void
  stop(): void
}

export interface PastBehindOptions {
  readonly spec: PrometheusPast
  readonly environment: Environment
  readonly consent: Consent
  readonly emit: Emit
  readonly signal: AbortSignal
}

/** A failure is reported as the progress of the server, and affects nothing else of the source. */
export function createPastBehind({ spec, environment, consent, emit, signal }: PastBehindOptions): PastBehind {
  const reading = new Set<Past>()
  let opened: Promise<PrometheusApi> | undefined
  let stopped = false
  const open = (): Promise<PrometheusApi> => {
    opened ??= openPrometheus(spec, () => environment.now(), consent)
    return opened
  }
  signal.addEventListener('abort', () => void opened?.then((api) => api.close()).catch(() => undefined), { once: true })

  const read = async (first: ServerFrame, onProgress: (past: PastRead) => void): Promise<Problem | undefined> => {
    const api = await open()
    const found = await findServers(api, spec, signal)
    if (!found.ok) return found.problem
    const { labels, clusters } = found.value
    const same = await sameServer(api, spec, first, labels, signal)
    if ('code' in same) return same
    const until = unixMsOf(first.at) - 1
    const matchers = [...clusterMatchers(spec, labels, same.cluster), equals(labels.instance, same.instance)]
    const sized = await sizedAt(api, matchers, until, signal)
    const servers = clusters.find(({ name }) => name === same.cluster)?.servers
    const intervalMs = servers?.find(({ instance }) => instance === same.instance)?.intervalMs ?? USUAL_INTERVAL_MS
    if (stopped || signal.aborted) return undefined
    /** The newest frame of the past, until the present is joined to it. */
    let newest: ServerFrame | undefined
    let joined = false
    const past = createPast({
      api,
      environment,
      instanceLabel: labels.instance,
      emit(event) {
        if (event.kind !== 'frame') return emit(event)
        newest = { ...event.frame, id: first.id }
        emit({ ...event, frame: newest })
      },
      onProgress(progress) {
        // The newest part of the range is read first, so its last frame directly precedes the present.
        if (!joined && newest !== undefined) {
          joined = true
          emit({ kind: 'frame', frame: first, past: true, seam: true })
        }
        if (progress.state !== 'reading') reading.delete(past)
        onProgress(progress)
      },
    })
    reading.add(past)
    past.read(
      {
        from: unixMsOf(first.at) - spec.pastMs,
        until: new Map([[same.instance, until]]),
        intervalMs,
        matchers,
        ...sized,
      },
      signal,
    )
    return undefined
  }

  const finish = async (
    began: Promise<Problem | undefined>,
    wanted: Pick<PastRead, 'wanted' | 'reached'>,
    onProgress: (past: PastRead) => void,
  ): Promise<void> => {
    const problem = await began.catch(toProblem)
    if (signal.aborted) return
    if (stopped) onProgress({ state: 'stopped', ...wanted })
    else if (problem !== undefined) onProgress({ state: 'failed', ...wanted, problem })
  }

  return {
    begin(first, onProgress) {
      const wanted = { wanted: rfc3339(unixMsOf(first.at) - spec.pastMs), reached: first.at }
      onProgress({ state: 'reading', ...wanted })
      void finish(read(first, onProgress), wanted, onProgress)
    },
    stop() {
      stopped = true
      for (const past of reading) past.stop()
    },
  }
}

/**
 * The labels under which Prometheus has exactly the process of a frame, found by its start time: the same name may
 * belong to another server, or to a load balancer.
 */
async function sameServer(
  api: PrometheusApi,
  spec: PrometheusPast,
  { id, at, startedAt }: ServerFrame,
  labels: Parameters<typeof placeOf>[1],
  signal: AbortSignal,
): Promise<ReturnType<typeof placeOf> | Problem> {
  if (startedAt === undefined) {
    return {
      code: 'unsupported',
      message: `${id} does not say when it started (${FAMILY.startedAt}), so it cannot be found in ${api.host}; its past is not read.`,
    }
  }
  const reply = await api.query(
    selector([named([FAMILY.startedAt]), ...clusterMatchers(spec, labels, undefined)]),
    unixMsOf(at),
    { signal, limits: LIVE_LIMITS },
  )
  if (!reply.ok) return reply.problem
  const same = reply.series.find(({ samples }) => samples.at(-1) === startedAt)
  if (same !== undefined) return placeOf(same.labels, labels)
  return {
    code: 'not-found',
    message: `${api.host} has no server that started when ${id} did (${plain.instant(startedAt * MS_PER_SECOND)}), so its past is not read; check that this Prometheus scrapes it and keeps ${FAMILY.startedAt}.`,
  }
}
