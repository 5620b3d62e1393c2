import { createServer, type ServerResponse } from 'node:http'
import type { Cluster } from './cluster.ts'

/**
 * A loopback server between the console and the API server that keeps what it passed on: the tests then read the very
 * text that the console has read.
 */
export interface Relay {
  /** http://127.0.0.1:port */
  readonly url: string
  /** The bodies passed on for a path, oldest first. */
  bodies(path: string): readonly string[]
  /**
   * From now on every path is answered with its last body, so that the screens can be compared without time pressure.
   */
  freeze(): void
  close(): Promise<void>
}

const TEXT = { 'content-type': 'text/plain; version=0.0.4' }

export async function startRelay(cluster: Cluster, as: string): Promise<Relay> {
  const passed = new Map<string, string[]>()
  let frozen = false
  const pass = async (path: string, response: ServerResponse): Promise<void> => {
    const last = passed.get(path)?.at(-1)
    if (frozen && last !== undefined) return void response.writeHead(200, TEXT).end(last)
    const { status, body } = await cluster.call(path, as)
    if (status === 200) passed.set(path, [...(passed.get(path) ?? []), body])
    response.writeHead(status, TEXT).end(body)
  }
  const server = createServer((request, response) => {
    pass(request.url ?? '/', response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    bodies: (path) => passed.get(path) ?? [],
    freeze: () => {
      frozen = true
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
