import { writeFile } from 'node:fs/promises'
import { type ClientHttp2Session, connect, type SecureClientSessionOptions } from 'node:http2'
import { connect as connectSocket, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterEach } from 'vitest'
import { readRules } from '../../core/qos/read.ts'
import { AdmissionGate, type Mode } from '../../main/etcd/admissionGate.ts'
import { type EtcdProxy, type EtcdProxyOptions, openEtcdProxy } from '../../main/etcd/etcdProxy.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { type Certificate, createAuthority } from './hostileServerCertificates.ts'
import { smallEtcd } from './smallEtcd.ts'

/** How the proxy of a test is reached and reaches etcd: without TLS, or with it on both sides. */
export type Way = 'plain' | 'TLS'
export const WAYS: readonly Way[] = ['plain', 'TLS']

const authority = createAuthority('etcd')

export const CA = authority.cert

/** The certificate of a server on this machine. */
export const serverTls = (way: Way): Certificate | undefined =>
  way === 'TLS' ? authority.issue({ name: 'localhost', ips: ['127.0.0.1'] }) : undefined

/** Paths of the certificates of a proxy that serves TLS and reaches an etcd with TLS; none without. */
export async function tlsFiles(folder: string, way: Way) {
  const own = serverTls(way)
  if (own === undefined) return undefined
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const [caFile, certFile] = [await write('ca.pem', CA), await write('cert.pem', own.cert)]
  return { caFile, tls: { certFile, keyFile: await write('key.pem', own.key) } }
}

export const upstreamAt = (url: string) => ({ url, ...(url.startsWith('https') && { tls: { ca: CA } }) })

type More = Partial<Omit<EtcdProxyOptions, 'gate'>> & { readonly mode?: Mode }

/** A proxy with these rules in front of the etcd at `url`. */
export function proxyWith(
  rules: string,
  url: string,
  way: Way,
  { mode = 'enforce', ...more }: More = {},
): Promise<EtcdProxy> {
  const { configuration } = readRules([{ file: 'rules', text: rules }])
  if (configuration === undefined) throw new Error('the rules are wrong')
  const now = (): number => performance.now()
  const gate = new AdmissionGate(configuration, mode, { now, after: systemEnvironment.after })
  const tls = serverTls(way)
  return openEtcdProxy({
    upstream: upstreamAt(url),
    port: 0,
    gate,
    now,
    ...(tls !== undefined && { tls }),
    ...more,
  })
}

/** A client of HTTP/2. */
export function clientOf(url: string, options: SecureClientSessionOptions = {}): ClientHttp2Session {
  const client = connect(url, { ca: CA, ...options })
  client.on('error', () => undefined)
  return client
}

/** What a test opens, closed after it in the reverse order. */
export function etcdParts() {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
  })
  const opened = async <T>(making: Promise<T>, close: (made: T) => unknown): Promise<T> => {
    const made = await making
    closing.push(() => close(made))
    return made
  }
  return {
    etcd: (...given: Parameters<typeof smallEtcd>) => opened(smallEtcd(...given), (made) => made.close()),
    proxy: (...given: Parameters<typeof proxyWith>) => opened(proxyWith(...given), (made) => made.close()),
    session: (...given: Parameters<typeof clientOf>) => {
      const client = clientOf(...given)
      closing.push(() => client.destroy())
      return client
    },
  }
}

/** One rule, for keys under /events/: a Put passes, the next is refused. */
export const EVENTS = `
classes: [{ name: few, qdisc: lbf, qps: 0.001 }]
rules: [{ name: events, qClassName: few, priority: 1, ops: [Put], prefixPaths: [/events/] }]
`

/** A connection whose bytes the test writes; calls `connected` once it stands. */
export function rawClient(url: string, connected: (socket: Socket) => void): Socket {
  const { port, protocol } = new URL(url)
  const to = { port: Number(port), host: '127.0.0.1' }
  const socket: Socket =
    protocol === 'https:'
      ? connectTls({ ...to, ca: CA, ALPNProtocols: ['h2'] }, () => connected(socket))
      : connectSocket(to, () => connected(socket))
  socket.on('error', () => undefined)
  return socket
}
