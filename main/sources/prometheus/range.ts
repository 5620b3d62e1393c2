import { ProblemError, type Problem } from '../../../core/errors.ts'
import type { PrometheusSpec } from '../../../core/contract/prometheus.ts'
import type { SourceInfo } from '../../../core/frame/frame.ts'
import { FAMILY } from '../../../core/metrics/familyNames.ts'
import { pastGroups } from '../../../core/prom/asked.ts'
import { named, selector, type Matcher } from '../../../core/prom/promql.ts'
import { createPicture, type Picture } from '../../../core/source/picture.ts'
import { unixMsOf, type UnixMs } from '../../../core/units.ts'
import type { Consent } from '../../cluster/consent.ts'
import type { Environment } from '../../ports/environment.ts'
import { openPrometheus, PAST_LIMITS, sourceInfo, type PrometheusApi } from './api.ts'
import { gatherGroups } from './groups.ts'
import { createPast, type PastRange } from './past.ts'
import { findServers, instancesMatcher, select, serverMatchers } from './servers.ts'

/** Used where the interval cannot be determined. */
export const USUAL_INTERVAL_MS = 30_000

/** Ranges of the past of one cluster, at any time. */
export interface PrometheusRanges {
  readonly source: SourceInfo
  /**
   * The data of Prometheus in a range, both instants included; `onPart` receives how much of it has been read. Rejects
   * with `ProblemError`.
   */
  read(from: UnixMs, to: UnixMs, signal: AbortSignal, onPart: (part: number) => void): Promise<Picture>
  close(): void
}

/** Rejects with `ProblemError`. */
export async function openPrometheusRanges(
  spec: PrometheusSpec,
  environment: Environment,
  consent: Consent,
  signal: AbortSignal,
): Promise<PrometheusRanges> {
  const api = await openPrometheus(spec, () => environment.now(), consent)
  try {
    return await rangesOf(api, spec, environment, signal)
  } catch (error) {
    api.close()
    throw error
  }
}

async function rangesOf(
  api: PrometheusApi,
  spec: PrometheusSpec,
  environment: Environment,
  opening: AbortSignal,
): Promise<PrometheusRanges> {
  const found = valueOf(await findServers(api, spec, opening))
  const selected = valueOf(select(found, spec, api.host))
  const { discovery, instances, cluster } = selected
  const matchers = [...serverMatchers(spec, selected), instancesMatcher(selected, instances)]
  const intervalMs = discovery.intervalMs ?? USUAL_INTERVAL_MS
  return {
    source: sourceInfo(api, cluster.name),
    async read(from, to, signal, onPart) {
      const sized = await sizedAt(api, matchers, to, signal)
      const picture = createPicture()
      const ended = Promise.withResolvers<Problem | undefined>()
      createPast({
        api,
        environment,
        instanceLabel: discovery.labels.instance,
        emit: (event) => picture.take(event),
        onProgress({ state, problem, reached }) {
          onPart((to - unixMsOf(reached)) / (to - from))
          if (state !== 'reading') ended.resolve(state === 'failed' ? problem : undefined)
        },
      }).read(
        {
          from,
          until: new Map(instances.map((instance) => [instance, to])),
          intervalMs,
          matchers,
          ...sized,
        },
        signal,
      )
      signal.addEventListener('abort', () => ended.resolve(undefined), { once: true })
      const problem = await ended.promise
      if (problem !== undefined) throw ProblemError.of(problem)
      return picture
    },
    close: () => api.close(),
  }
}

/**
 * The groups of families to query for the servers that ran at an instant (the end of a range), and the series of their
 * largest group at that time, which determine the size of chunks. Rejects with `ProblemError`.
 */
export async function sizedAt(
  api: PrometheusApi,
  matchers: readonly Matcher[],
  at: UnixMs,
  signal: AbortSignal,
): Promise<Pick<PastRange, 'groups' | 'largest'>> {
  const asking = { signal, limits: PAST_LIMITS }
  const built = await api.query(selector([named([FAMILY.buildInfo]), ...matchers]), at, asking)
  if (!built.ok) throw ProblemError.of(built.problem)
  const groups = pastGroups(built.series.map(({ labels }) => labels['git_version']))
  const ends = await gatherGroups(groups, (names) => api.query(selector([named(names), ...matchers]), at, asking))
  if (!ends.ok) throw ProblemError.of(ends.problem)
  return { groups, largest: ends.largest }
}

function valueOf<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem },
): T {
  if (result.ok) return result.value
  throw ProblemError.of(result.problem)
}
