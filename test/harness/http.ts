import { request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { WebSocket } from 'ws'

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}
export interface HttpQuestion {
  readonly method?: string
  /** Sent as it is: fetch would tidy it up. */
  readonly path?: string
  readonly headers?: Record<string, string>
}

/** One request whose path and headers nobody corrects. */
export function ask(
  origin: string,
  { method = 'GET', path = '/', headers = {} }: HttpQuestion = {},
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** The `Cookie` header that an address of the console gives a browser. */
export async function enter(address: string): Promise<string> {
  const { origin, pathname, search } = new URL(address)
  const { headers } = await ask(origin, { path: pathname + search })
  return headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}

/** An open WebSocket, or the status with which it was refused. */
export function openSocket(
  origin: string,
  headers: Record<string, string>,
  path = '/rpc',
): Promise<WebSocket | number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(origin.replace('http:', 'ws:') + path, { headers })
    socket.once('open', () => resolve(socket))
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    // It stays: a test that is cut off on purpose must not end the process.
    socket.on('error', reject)
  })
}
