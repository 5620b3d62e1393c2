import { toProblem } from '../../core/contract/errors.ts'
import type { PrometheusPast } from '../../core/contract/prometheus.ts'
import type { Cadence, Target } from '../../core/contract/source.ts'
import { createClusterObjects } from '../cluster/clusterObjects.ts'
import { openConnection, type Connection } from '../cluster/connection.ts'
import type { Consent } from '../cluster/consent.ts'
import { METRICS_LIMITS, type HttpLimits } from '../cluster/httpProblems.ts'
import type { Source, SourceResult } from '../ports/source.ts'
import type { Environment } from '../ports/environment.ts'
import { createDumpPoller, type DumpPoller } from './dumpPoller.ts'
import { createPastBehind, type PastBehind } from './prometheus/behind.ts'
import { createHealthBook } from './scrape/health.ts'
import { createScrapeLoop, type ScrapeLoop } from './scrape/loop.ts'

export interface ScrapeSpec {
  readonly target: Target
  readonly cadence: Cadence
  readonly past?: PrometheusPast
}

/**
 * Reads the metrics pages and debug dumps of one or several API servers. Nothing is contacted before `start`; a
 * kubeconfig that cannot be used is the problem of the result.
 */
export async function createScrapeSource(
  spec: ScrapeSpec,
  environment: Environment,
  consent: Consent,
  limits: HttpLimits = METRICS_LIMITS,
): Promise<SourceResult> {
  try {
    const connection = await openConnection(spec.target, () => environment.now(), { consent })
    return { ok: true, source: createSource(connection, spec, { environment, consent, limits }) }
  } catch (error) {
    return { ok: false, problem: toProblem(error) }
  }
}

interface Means {
  readonly environment: Environment
  readonly consent: Consent
  readonly limits: HttpLimits
}

function createSource(connection: Connection, spec: ScrapeSpec, { environment, consent, limits }: Means): Source {
  let { cadence } = spec
  let behind: PastBehind | undefined
  const running = new Map<string, { readonly scrapes: ScrapeLoop; readonly dumps: DumpPoller }>()

  return {
    info: { kind: 'scrape', name: connection.name, via: connection.via },
    still: false,
    objects: createClusterObjects(connection, environment),
    start(signal, emit) {
      if (spec.past !== undefined && spec.past.pastMs > 0) {
        behind = createPastBehind({ spec: spec.past, environment, consent, emit, signal })
      }
      for (const server of connection.servers) {
        const health = createHealthBook(server.id, connection.notes, (entry) => emit({ kind: 'health', health: entry }))
        let isFirst = true
        const common = { server, connection, environment, health }
        const scrapes = createScrapeLoop({
          ...common,
          limits,
          intervalMs: cadence.intervalMs,
          onPage(frame, facts) {
            emit({ kind: 'facts', server: frame.id, facts })
            emit({ kind: 'frame', frame })
            if (isFirst) behind?.begin(frame, (past) => health.past(past))
            isFirst = false
          },
        })
        const dumps = createDumpPoller({
          ...common,
          everyMs: cadence.dumpsEveryMs,
          onDump: (dump) => emit({ kind: 'dump', dump }),
        })
        running.set(server.id, { scrapes, dumps })
        scrapes.start(signal)
        dumps.start(signal)
      }
      signal.addEventListener('abort', () => connection.close(), { once: true })
    },
    tryNow(id) {
      for (const [server, { scrapes, dumps }] of running) {
        if (id !== undefined && id !== server) continue
        scrapes.tryNow()
        dumps.tryNow()
      }
    },
    setCadence(next) {
      cadence = next
      for (const { scrapes, dumps } of running.values()) {
        scrapes.setInterval(next.intervalMs)
        dumps.setEvery(next.dumpsEveryMs)
      }
    },
    stopPast: () => behind?.stop(),
  }
}
