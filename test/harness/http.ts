import { request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { WebSocket } from 'ws'
import { RPC_PATH, RPC_PROTOCOL } from '../../core/contract/webSession.ts'

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

/** One request whose path and headers are sent uncorrected. */
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

/** The two halves of a session. */
export interface Entered {
  /** As a `Cookie` header. */
  readonly cookie: string
  /** As the browser's storage keeps it. */
  readonly secret: string
}

/** What a browser gets from a one-time address of the console; empty texts if it is refused. */
export async function enter(address: string): Promise<Entered> {
  const { origin, pathname, search } = new URL(address)
  const { headers, body } = await ask(origin, { path: pathname + search })
  const [, secret = ''] = /setItem\("[\w.-]+", "([\w-]+)"\)/.exec(body) ?? []
  return { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '', secret }
}

/** An open WebSocket, or the status with which it was refused. `secret` is offered as the page does. */
export function openSocket(
  origin: string,
  headers: Record<string, string>,
  { secret, path = RPC_PATH }: { readonly secret?: string; readonly path?: string } = {},
): Promise<WebSocket | number> {
  return new Promise((resolve, reject) => {
    const protocols = secret === undefined ? [] : [RPC_PROTOCOL, secret]
    const socket = new WebSocket(origin.replace('http:', 'ws:') + path, protocols, { headers })
    socket.once('open', () => resolve(socket))
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    // It stays: a test that is cut off on purpose must not end the process.
    socket.on('error', reject)
  })
}
