import { createServer, type Server } from 'node:http'
import { readCapture, readFixture } from '../fixtures/load.ts'

/** An API server as far as a plain metrics address goes: it replays captured pages and can be killed and revived. */
export interface MetricsServer {
  readonly url: string
  die(): Promise<void>
  revive(): Promise<void>
}

const FLOW_CONTROL = '/debug/api_priority_and_fairness/'

export async function startMetricsServer(): Promise<MetricsServer> {
  const pages = readCapture('captures/v1.36.3/elephants-and-mice.metrics.ndjson.gz').map(({ body }) => body)
  const dump = (name: string): string => readFixture(`captures/v1.36.3/idle/${name}.txt.gz`).toString('utf8')
  const dumps = new Map(['dump_priority_levels', 'dump_queues', 'dump_requests'].map((name) => [name, dump(name)]))
  let asked = 0
  let port = 0
  let server: Server | undefined

  const listen = async (): Promise<void> => {
    const started = createServer((request, response) => {
      const path = (request.url ?? '/').split('?')[0] ?? '/'
      const body = path === '/metrics' ? pages[asked++ % pages.length] : dumps.get(path.replace(FLOW_CONTROL, ''))
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/plain; version=0.0.4' })
      response.end(body ?? 'not here')
    })
    await new Promise<void>((resolve) => started.listen(port, '127.0.0.1', resolve))
    const address = started.address()
    if (address === null || typeof address === 'string') throw new Error('the metrics server has no port')
    port = address.port
    server = started
  }
  await listen()
  return {
    url: `http://127.0.0.1:${port}/metrics`,
    die: async () => {
      const dying = server
      dying?.closeAllConnections()
      await new Promise((resolve) => (dying === undefined ? resolve(undefined) : dying.close(resolve)))
    },
    revive: listen,
  }
}
