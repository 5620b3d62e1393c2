import type { Cadence } from '../../core/contract/source.ts'
import type { Emit } from '../../core/source/sourceEvent.ts'
import { exemptNote, reviewSelf } from '../cluster/accessReview.ts'
import { createClusterObjects } from '../cluster/clusterObjects.ts'
import type { Connection, ServerAddress } from '../cluster/connection.ts'
import type { HttpLimits } from '../cluster/httpProblems.ts'
import type { Environment } from '../ports/environment.ts'
import type { Source } from '../ports/source.ts'
import { createDumpPoller, type DumpPoller } from './dumpPoller.ts'
import type { PastBehind } from './prometheus/behind.ts'
import { createHealthBook, type HealthBook } from './scrape/health.ts'
import { createScrapeLoop, type ScrapeLoop } from './scrape/loop.ts'

interface ScrapeOptions {
  readonly cadence: Cadence
  readonly environment: Environment
  readonly limits: HttpLimits
  /** Reads the time before the first page, where a Prometheus has it. */
  readonly behind?: (emit: Emit, signal: AbortSignal) => PastBehind
}

/** Before the first page: reads of a server take turns. A server that does not report the user leaves it open. */
async function noteExempt(server: ServerAddress, connection: Connection, health: HealthBook): Promise<void> {
  if (connection.cluster === undefined || server.base === undefined) return
  // Credentials that cannot be obtained are the problem of the page.
  const settings = await connection.settings(server).catch(() => undefined)
  const identity = settings && (await reviewSelf({ base: server.base, settings }))
  if (identity !== undefined) health.note('exempt', exemptNote(identity))
}

/** The source of API servers that are reached through a connection; its info names the connection. */
export function scrapeSource(connection: Connection, options: ScrapeOptions): Source {
  const { environment, limits } = options
  let { cadence } = options
  let behind: PastBehind | undefined
  const running = new Map<string, { readonly scrapes: ScrapeLoop; readonly dumps: DumpPoller }>()

  return {
    info: { kind: 'scrape', name: connection.name, via: connection.via },
    still: false,
    objects: createClusterObjects(connection, environment),
    start(signal, emit) {
      behind = options.behind?.(emit, signal)
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
        void noteExempt(server, connection, health)
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
