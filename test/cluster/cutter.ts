import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'

/** What happens to the next request that writes in earnest. */
export type Fault = 'lost-before' | 'lost-after' | 'none'

/**
 * A loopback server between the console and the API server that passes everything on, watches included, and can lose a
 * write: before it reaches the server, or after the server has carried it out.
 */
export interface Cutter {
  /** A kubeconfig that leads through it. */
  readonly kubeconfig: string
  setFault(fault: Fault): void
  /** Breaks off all connections and refuses new ones, until it is switched off. */
  setDown(down: boolean): void
  close(): Promise<void>
}

export async function startCutter(cluster: Cluster, as: string, folder: string): Promise<Cutter> {
  const agent = new Agent({ ca: cluster.ca, keepAlive: true })
  const { token } = cluster.identity(as)
  let fault: Fault = 'none'
  let down = false

  const pass = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { method = 'GET', url = '/' } = incoming
    const inEarnest = ['PUT', 'PATCH', 'POST', 'DELETE'].includes(method) && /flowcontrol/.test(url)
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      const applies = inEarnest && !/dryRun/.test(url) && !/"dryRun"/.test(body.toString())
      const now = applies ? fault : 'none'
      if (now !== 'none') fault = 'none'
      if (down || now === 'lost-before') return void response.destroy()
      const headers = { ...incoming.headers, host: new URL(cluster.url).host, authorization: `Bearer ${token}` }
      const passed = request(cluster.url + url, { agent, method, headers }, (answer) => {
        if (now === 'lost-after') {
          answer.resume()
          answer.on('end', () => response.destroy())
          return
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        response.flushHeaders()
        answer.pipe(response)
        answer.on('error', () => response.destroy())
      })
      passed.on('error', () => response.destroy())
      response.on('close', () => passed.destroy())
      passed.end(body)
    })
  }
  const server = createServer(pass)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const kubeconfig = join(folder, 'cutter.kubeconfig')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cut', cluster: { server: `http://127.0.0.1:${address.port}` } }],
    users: [{ name: 'cut', user: {} }],
    contexts: [{ name: 'cut', context: { cluster: 'cut', user: 'cut' } }],
    'current-context': 'cut',
  }
  await writeFile(kubeconfig, JSON.stringify(config))
  return {
    kubeconfig,
    setFault: (next) => {
      fault = next
    },
    setDown: (next) => {
      down = next
      if (down) server.closeAllConnections()
    },
    close: () =>
      new Promise((resolve) => {
        agent.destroy()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
