/**
 * Opens proxies of etcd on request, all in this process, which must survive every test. Its first line of output is its
 * own address. `POST /front?tcp=HOST:PORT` (or `unix=PATH`) answers with the address of the proxy in front of it, which
 * is opened unless it exists. `listen=PORT` selects its port; another proxy of that port is closed; `close=PORT` only
 * closes it. `tls`, `key`, `ca`:
 * files of the certificate on both sides; `clients=true`: client certificates on both sides. `GET /memory`: resident
 * bytes. The only argument is a file of rules.
 */
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { DEFAULT_SETTINGS } from '../../core/qos/configuration.ts'
import { readRules } from '../../core/qos/read.ts'
import { messageOf } from '../../core/errors.ts'
import { AdmissionGate } from '../../main/etcd/admissionGate.ts'
import { type EtcdProxy, openEtcdProxy } from '../../main/etcd/etcdProxy.ts'
import { bindWithoutAccessors } from '../../main/etcd/plainBinding.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'

const [rulesFile] = process.argv.slice(2)
const now = (): number => performance.now()

const NONE = { classes: [], rules: [], settings: DEFAULT_SETTINGS }
function configuration(): typeof NONE | NonNullable<ReturnType<typeof readRules>['configuration']> {
  if (rulesFile === undefined) return NONE
  const { configuration: read, findings } = readRules([{ file: rulesFile, text: readFileSync(rulesFile, 'utf8') }])
  if (read === undefined) throw new Error(findings.map(({ message }) => message).join('\n'))
  return read
}

/** A TCP address that leads to a socket, as proxies connect over TCP only. */
function relayTo(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const server = createServer((client) => {
      const up = connect(path)
      for (const [one, other] of [
        [client, up],
        [up, client],
      ] as const) {
        one.pipe(other)
        one.on('error', () => other.destroy())
        one.once('close', () => other.destroy())
      }
    })
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(`127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
}

async function open(query: URLSearchParams): Promise<EtcdProxy> {
  // Tests of inner packages resolve the path of the certificates from their own folder.
  const pem = (name: string): string =>
    readFileSync((query.get(name) ?? '').replace(/\/tests\/.*(?=\/fixtures\/)/, '/tests'), 'utf8')
  const unix = query.get('unix')
  const host = unix === null ? (query.get('tcp') ?? '') : await relayTo(unix)
  const clients = query.get('clients') === 'true'
  const own = query.has('tls') ? { cert: pem('tls'), key: pem('key') } : undefined
  const secure = own !== undefined && query.get('upstream') !== 'plain'
  return openEtcdProxy({
    upstream: {
      url: `${secure ? 'https' : 'http'}://${host.replace(/^127\.0\.0\.1/, 'localhost')}`,
      ...(secure && { tls: { ca: pem('ca'), ...(clients && own) } }),
    },
    port: Number(query.get('listen') ?? 0),
    ...(own !== undefined && { tls: { ...own, ...(clients && { clientCa: pem('ca') }) } }),
    gate: new AdmissionGate(configuration(), 'enforce', { now, after: systemEnvironment.after }),
    now,
  })
}

const fronts = new Map<string, Promise<EtcdProxy>>()
const keys = new Map<string, string>()

/** Closes the proxy of a port, unless it is that one. */
async function closeOthers(port: string, key?: string): Promise<void> {
  const before = keys.get(port)
  if (before === undefined || before === key) return
  keys.delete(port)
  const closing = fronts.get(before)
  fronts.delete(before)
  await (await closing)?.close()
}

async function front(query: URLSearchParams): Promise<string> {
  const key = query.toString()
  const port = query.get('listen') ?? key
  await closeOthers(port, key)
  keys.set(port, key)
  let opened = fronts.get(key)
  if (opened === undefined) {
    opened = open(query)
    fronts.set(key, opened)
    opened.catch(() => fronts.delete(key))
  }
  return new URL((await opened).url).host
}

bindWithoutAccessors()
const service = createHttpServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
  if (pathname === '/memory') return void response.end(String(process.memoryUsage().rss))
  const closing = searchParams.get('close')
  const answer = closing === null ? front(searchParams) : closeOthers(closing).then(() => '')
  answer.then(
    (address) => response.end(address),
    (error: unknown) => {
      response.statusCode = 500
      response.end(messageOf(error))
    },
  )
})
service.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(service.address() as AddressInfo).port}`))
// Ends with the tests, also with those that were killed.
process.stdin.resume()
process.stdin.once('close', () => process.exit(0))
