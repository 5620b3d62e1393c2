import { DEFAULT_SETTINGS } from '../../core/contract/defaults.ts'
import type { Port } from '../../core/contract/protocol.ts'
import { serve, type SomeHandlers } from '../../core/contract/server.ts'
import { type Connected, type SourceSpec, CadenceSchema } from '../../core/contract/source.ts'
import type { Connection } from '../cluster/connection.ts'
import type { Send } from '../cluster/http.ts'
import { inTurn } from '../cluster/inTurn.ts'
import { METRICS_LIMITS } from '../cluster/httpProblems.ts'
import type { Environment } from '../ports/environment.ts'
import { createTopic } from '../ports/topic.ts'
import { scrapeSource } from '../sources/scrapeSource.ts'
import { createAlerting } from '../workspace/alerting.ts'
import { connectObjects } from '../workspace/connectedObjects.ts'
import { startSession } from '../workspace/session.ts'
import { eventHandlers } from '../workspace/eventHandlers.ts'
import { headlampBase } from './send.ts'

/**
 * Each page of Headlamp that shows the console reads on its own, through Headlamp’s server: less often than a dedicated
 * console does.
 */
const CADENCE = CadenceSchema.parse({ intervalMs: 5_000, dumpsEveryMs: 15_000 })
/**
 * A browser keeps six connections per host, shared by all its pages: a watch would occupy one for as long as it lasts.
 */
const RELIST_MS = 30_000
const WHY =
  'In Headlamp, the console shows the Overview and the levels, read-only; start apf-console for everything else.'

export interface HeadlampConsole {
  /** Headlamp’s name for the cluster. */
  readonly cluster: string
  readonly version: string
  readonly send: Send
  readonly environment: Environment
}

/**
 * The console’s side of the contract in a page of Headlamp: one source, read-only, without storage. Serves one port.
 */
export function serveInHeadlamp(port: Port, { cluster, version, send, environment }: HeadlampConsole): void {
  const base = headlampBase(cluster)
  const metrics = new URL(`${base}/metrics`)
  const connection: Connection = {
    name: cluster,
    via: '/metrics through Headlamp',
    servers: [{ id: cluster, metrics, base }],
    cluster: base,
    notes: [],
    relistMs: RELIST_MS,
    settings: async () => ({ send: inTurn(send), headers: {}, secrets: [] }),
    renew: () => undefined,
    close: () => undefined,
  }
  const scraped = scrapeSource(connection, { cadence: CADENCE, environment, limits: METRICS_LIMITS })
  const source = {
    ...scraped,
    ...(scraped.objects && { objects: { ...scraped.objects, editor: { impossible: WHY } } }),
  }
  const spec: SourceSpec = { kind: 'scrape', target: { kind: 'urls', urls: [metrics.href] }, cadence: CADENCE }
  const connections = createTopic<Connected[]>()
  const alerting = createAlerting(undefined)
  const session = startSession({
    id: 1,
    source,
    spec,
    cadence: CADENCE,
    environment,
    onConnection: (connected) => connections.publish([connected]),
    onEvent: (event, picture, taken) => void alerting.take(event, picture, taken, environment.now()),
  })
  connections.publish([session.connection])
  const events = eventHandlers({ session, objects: connectObjects(session, environment), alerting, environment })
  let settings = DEFAULT_SETTINGS
  const handlers: SomeHandlers = {
    procedures: {
      'app.info': async () => ({
        version,
        mode: 'headlamp',
        platform: 'headlamp',
        limits: { why: WHY, answers, screens: ['overview', 'level'] },
      }),
      'settings.read': async () => settings,
      'settings.write': async (change) => (settings = { ...settings, ...change }),
      ...events.procedures,
    },
    streams: { connections: (_, emit, signal) => connections.subscribe(emit, signal), ...events.streams },
  }
  const answers = [...Object.keys(handlers.procedures), ...Object.keys(handlers.streams)]
  serve(port, handlers)
  port.onClose(() => void session.end())
}
