import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { stringify } from 'yaml'
import type { Cluster } from './cluster.ts'

/** A metrics page that the console received, and when it had requested it. */
export interface KeptPage {
  /** Unix milliseconds. */
  readonly at: number
  readonly text: string
}

/**
 * A loopback server between the console and the API server that forwards everything as it arrives, watches too, and
 * keeps the metrics pages and the dumps of requests.
 */
export interface RecordingRelay {
  readonly pages: readonly KeptPage[]
  /** Bodies of `dump_requests`. */
  readonly dumps: readonly KeptPage[]
  /**
   * While on, two pages of three are torn as a server's own may be: the families up to some flow-control family are
   * those of the page before. Each turn tears at the next family.
   */
  tear(on: boolean): void
  /** Writes a kubeconfig whose requests go through the relay, as this user. */
  writeKubeconfig(path: string): Promise<void>
  close(): Promise<void>
}

export async function startRecordingRelay(cluster: Cluster, as: string): Promise<RecordingRelay> {
  const pages: KeptPage[] = []
  const dumps: KeptPage[] = []
  let tears = 0
  let tearing = false
  let whole: string | undefined
  const { token } = cluster.identity(as)
  const server = createServer((request, response) => {
    const at = Date.now()
    const headers = { ...request.headers, host: new URL(cluster.url).host, authorization: `Bearer ${token}` }
    const metrics = request.url === '/metrics'
    const dump = /\/dump_requests\b/.test(request.url ?? '')
    const sent = httpsRequest(
      cluster.url + (request.url ?? '/'),
      // A page is kept as text, so it must not be compressed.
      {
        method: request.method,
        headers: metrics || dump ? { ...headers, 'accept-encoding': 'identity' } : headers,
        ca: cluster.ca,
      },
      (answer: IncomingMessage) => {
        answer.on('error', () => response.destroy())
        if ((!metrics && !dump) || answer.statusCode !== 200) {
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(response)
          return
        }
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => {
          const body = Buffer.concat(chunks).toString()
          const text = metrics && tearing && whole !== undefined ? torn(whole, body, tears++) : body
          if (metrics) whole = body
          ;(metrics ? pages : dumps).push({ at, text })
          response.writeHead(200, { 'content-type': answer.headers['content-type'] }).end(text)
        })
      },
    )
    sent.on('error', () => response.destroy())
    response.on('close', () => sent.destroy())
    request.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `http://127.0.0.1:${address.port}`
  return {
    pages,
    dumps,
    tear(on) {
      tearing = on
    },
    writeKubeconfig: (path) =>
      writeFile(
        path,
        stringify({
          apiVersion: 'v1',
          kind: 'Config',
          clusters: [{ name: 'relay', cluster: { server: url } }],
          users: [{ name: 'relay', user: {} }],
          contexts: [{ name: 'relay', context: { cluster: 'relay', user: 'relay' } }],
          'current-context': 'relay',
        }),
      ),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const FLOW_CONTROL = /^# HELP (apiserver_flowcontrol_\w+)/gm
const STARTED = /^process_start_time_seconds .*$/m

/** The families before the cut as on the earlier page, the others as on the later one. Every third page stays whole. */
function torn(earlier: string, later: string, turn: number): string {
  if (turn % 3 === 2 || STARTED.exec(earlier)?.[0] !== STARTED.exec(later)?.[0]) return later
  const families = [...later.matchAll(FLOW_CONTROL)].map(([, family = '']) => family)
  const head = `# HELP ${families[Math.floor(turn / 3 + turn) % families.length] ?? ''} `
  const [from, to] = [earlier.indexOf(head), later.indexOf(head)]
  return from < 0 || to < 0 ? later : earlier.slice(0, from) + later.slice(to)
}
