import type http from 'node:http'
import http2 from 'node:http2'
import net from 'node:net'
import { afterEach } from 'vitest'
import { selfSigned } from './hostileServerCertificates.ts'
import {
  cleanUp,
  nothingHeld,
  portOf,
  proxied,
  upstreamServer,
  type Cleanups,
  type Proxied,
  type ProxiedOptions,
} from './proxied.ts'
import { rawClient } from './rawClient.ts'

export const edgeTls = selfSigned({ name: 'localhost', dns: ['localhost'], ips: ['127.0.0.1'] })
export const alice = { 'X-Remote-User': 'alice' }
export const POD = '/api/v1/namespaces/default/pods/one'

/** One proxy for each test of the present file; afterwards nothing may be held in it, and everything is closed. */
export function useEdges() {
  const cleanups: Cleanups = []
  let proxy: Proxied | undefined
  afterEach(async () => {
    if (proxy !== undefined) await nothingHeld(proxy.run)
    proxy = undefined
    await cleanUp(cleanups)
  })
  const beforeServer = async (server: net.Server, options?: ProxiedOptions): Promise<Proxied> => {
    proxy = await proxied(cleanups, portOf(server), options)
    return proxy
  }
  return {
    cleanups,
    beforeServer,
    /** A proxy in front of an upstream whose responses the test defines. */
    before: async (
      handle: (request: http.IncomingMessage, response: http.ServerResponse) => void,
      options?: ProxiedOptions,
    ): Promise<Proxied> => beforeServer(await upstreamServer(cleanups, handle), options),
    /** The same in front of one that writes exactly these bytes in response to every request. */
    beforeBytes: async (answer: (socket: net.Socket) => void): Promise<Proxied> => {
      const sockets = new Set<net.Socket>()
      const server = net.createServer((socket) => {
        sockets.add(socket)
        socket.on('error', () => undefined).once('data', () => answer(socket))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      cleanups.push(() => {
        sockets.forEach((socket) => socket.destroy())
        return new Promise((resolve) => server.close(resolve))
      })
      return beforeServer(server)
    },
    client: (port: number) => {
      const one = rawClient(port)
      cleanups.push(() => one.socket.destroy())
      return one
    },
    session: (url: string): http2.ClientHttp2Session => {
      const one = http2.connect(url, { ca: edgeTls.cert })
      cleanups.push(() => one.destroy())
      return one
    },
  }
}

export const statusOf = (stream: http2.ClientHttp2Stream): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    stream.on('response', ({ ':status': status }) => resolve(status))
    stream.on('error', reject)
    stream.resume()
  })
