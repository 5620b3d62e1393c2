import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { stringify } from 'yaml'
import type { Cluster } from './cluster.ts'

/** A metrics page that the console was given, and when it had asked for it. */
export interface KeptPage {
  /** Unix milliseconds. */
  readonly at: number
  readonly text: string
}

/**
 * A loopback server between the console and the API server that passes everything on as it comes, watches too, and keeps
 * the metrics pages.
 */
export interface RecordingRelay {
  readonly pages: readonly KeptPage[]
  /** Writes a kubeconfig whose requests go through the relay, as this user. */
  writeKubeconfig(path: string): Promise<void>
  close(): Promise<void>
}

export async function startRecordingRelay(cluster: Cluster, as: string): Promise<RecordingRelay> {
  const pages: KeptPage[] = []
  const { token } = cluster.identity(as)
  const server = createServer((request, response) => {
    const at = Date.now()
    const headers = { ...request.headers, host: new URL(cluster.url).host, authorization: `Bearer ${token}` }
    const metrics = request.url === '/metrics'
    const sent = httpsRequest(
      cluster.url + (request.url ?? '/'),
      // A page is kept as text, so it must not be compressed.
      {
        method: request.method,
        headers: metrics ? { ...headers, 'accept-encoding': 'identity' } : headers,
        ca: cluster.ca,
      },
      (answer: IncomingMessage) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        if (metrics && answer.statusCode === 200) {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('end', () => pages.push({ at, text: Buffer.concat(chunks).toString() }))
        }
        answer.pipe(response)
        answer.on('error', () => response.destroy())
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
