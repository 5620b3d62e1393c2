import type { IncomingMessage, ServerResponse } from 'node:http'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { FAMILY } from '../../core/metrics/familyNames.ts'
import { listenOn, quickAnswers } from '../listen/connections.ts'
import { LOOPBACK } from '../../core/live/proxyReach.ts'
import { registerEngine } from '../simulated/metricsPage.ts'
import type { LiveTraffic } from '../ports/source.ts'

const NAMES = [LOOPBACK, 'localhost', '[::1]']
const MOST_CONNECTIONS = 16

export interface MetricsServer {
  /** `http://127.0.0.1:9464/metrics`. */
  readonly url: string
  close(): Promise<void>
}

export interface MetricsServerOptions {
  /** 0 chooses a free one. */
  readonly port: number
  /** Version of the console. */
  readonly version: string
  /** The engine's part of the page (`engineMetrics`), if something with an engine is connected. */
  readonly engine: () => Promise<string> | undefined
  /**
   * Answers `/livez` and `/readyz` as well, on every address of the machine and by any name: probes and scrapes of a
   * cluster use the address of the pod.
   */
  readonly probes?: { readonly isReady: () => boolean }
}

/**
 * The console's own metrics for Prometheus, on loopback: those of its process, and upstream's flow-control families for
 * the engine of a live source. Throws what `listen` throws when the port is in use.
 */
export async function startMetricsServer({
  port,
  version,
  engine,
  probes,
}: MetricsServerOptions): Promise<MetricsServer> {
  const ownRegistry = new Registry()
  collectDefaultMetrics({ register: ownRegistry })
  new Gauge({
    name: 'apf_console_build_info',
    help: "A metric with a constant '1' value labeled by the version of APF Console.",
    labelNames: ['version'],
    registers: [ownRegistry],
  }).set({ version }, 1)

  const listener = await listenOn({
    port,
    address: probes === undefined ? LOOPBACK : undefined,
    limits: quickAnswers(MOST_CONNECTIONS),
  })
  const hosts = new Set(NAMES.map((name) => `${name}:${listener.port}`))

  const page = async (): Promise<string> => {
    const connected = engine()
    const own = await ownRegistry.metrics()
    return connected === undefined ? own : `${own}\n${await connected}`
  }
  const answer = async (response: ServerResponse, headOnly: boolean): Promise<void> => {
    try {
      const body = await page()
      response.setHeader('Content-Type', ownRegistry.contentType)
      response.setHeader('Cache-Control', 'no-store')
      response.end(headOnly ? undefined : body)
    } catch (error) {
      say(response, 500, String(error))
    }
  }
  listener.server.on('request', (request, response) => {
    const probe = probes === undefined ? undefined : PROBES.get(request.url ?? '')
    const refused = probe === undefined ? refusal(request, probes === undefined ? hosts : undefined) : undefined
    if (refused !== undefined) return say(response, ...refused)
    if (!listener.room.admit(request, response)) return say(response, 429, 'Too many requests at once; try again.')
    if (probe !== undefined) {
      const well = probe === 'live' || probes?.isReady() === true
      return say(response, well ? 200 : 503, well ? 'ok' : 'the API server has not answered yet')
    }
    void answer(response, request.method === 'HEAD')
  })
  return {
    url: `http://${LOOPBACK}:${listener.port}/metrics`,
    close() {
      ownRegistry.clear()
      return listener.close()
    },
  }
}

/** The process itself reports when it started. */
const OF_THE_PROCESS: ReadonlySet<string> = new Set([FAMILY.startedAt])

/** The flow-control families of an engine, and its own counters. */
export async function engineMetrics(traffic: LiveTraffic): Promise<string> {
  traffic.settle()
  const registry = new Registry()
  registerEngine(registry, traffic, OF_THE_PROCESS)
  const { arrived, unreadable, refused, agreement } = traffic.state()
  const gauges: readonly (readonly [name: string, help: string, value: number])[] = [
    ['apf_console_live_requests', 'Requests that the connected live source has received.', arrived],
    ['apf_console_live_unreadable', 'Requests or lines of it that could not be classified.', unreadable],
    [
      'apf_console_live_refused',
      'Posts, connections and requests that the console itself had to refuse.',
      refused?.count ?? 0,
    ],
    [
      'apf_console_agreement_compared',
      'Requests of the last five minutes for which the server reported schema and level.',
      agreement.compared,
    ],
    [
      'apf_console_agreement_same',
      'Of these, requests that the engine classified as the server did.',
      agreement.schemaAndLevel,
    ],
  ]
  for (const [name, help, value] of gauges) new Gauge({ name, help, registers: [registry] }).set(value)
  return registry.metrics()
}

const PROBES: ReadonlyMap<string, 'live' | 'ready'> = new Map([
  ['/livez', 'live'],
  ['/readyz', 'ready'],
])

/** `hosts` are the accepted host names; any if absent. */
function refusal(
  { headers, method, url }: IncomingMessage,
  hosts: ReadonlySet<string> | undefined,
): [number, string] | undefined {
  // A foreign name that resolves to this address (DNS rebinding) stops here.
  if (hosts !== undefined && !hosts.has(headers.host ?? ''))
    return [421, `This server answers only as ${[...hosts].join(', ')}.`]
  if (method !== 'GET' && method !== 'HEAD') return [405, 'Only GET and HEAD are allowed here.']
  return url === '/metrics' ? undefined : [404, 'The metrics are at /metrics.']
}

function say(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${sentence}\n`)
}
