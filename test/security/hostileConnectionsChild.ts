/**
 * Every kind of listener in one process, which ends by itself as soon as anything throws outside a handler. Prints its
 * listeners as JSON: the name, the port, whether it has TLS, and a path or call that must still be answered at the end.
 * Ends with its standard input. The only argument is a folder for files.
 */
import { DEFAULT_SETTINGS } from '../../core/qos/configuration.ts'
import { readRules } from '../../core/qos/read.ts'
import { openEtcdProxy } from '../../main/etcd/etcdProxy.ts'
import { startProxy } from '../../main/etcd/startProxy.ts'
import { startWebhook } from '../../main/feeds/webhook.ts'
import { startMetricsServer } from '../../main/live/metricsServer.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { startSimulatedHttpServer } from '../../main/simulated/httpServer.ts'
import { selfSigned } from '../harness/hostileServerCertificates.ts'
import { portOf, proxied, upstreamServer } from '../harness/proxied.ts'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import { createSimulationSource } from '../../main/sources/simulation.ts'
import { smallEtcd } from '../harness/smallEtcd.ts'
import { webWorld } from '../harness/web.ts'
import { fakeWorkspace } from '../harness/handlers.ts'
import { tinyPage } from '../harness/page.ts'
import { startWebServer } from '../../main/server/webServer.ts'
import type { Listener } from './hostileConnections.ts'

const [folder = ''] = process.argv.slice(2)
const tls = selfSigned({ name: 'localhost', dns: ['localhost'], ips: ['127.0.0.1'] })
const RULES =
  'classes: [{ name: c, qdisc: tbf, qps: 100, burst: 100 }]\nrules: [{ name: r, qClassName: c, priority: 1, ops: [Put] }]\n'
const { configuration = { classes: [], rules: [], settings: DEFAULT_SETTINGS } } = readRules([
  { file: 'r', text: RULES },
])

const etcd = await smallEtcd()
const secureEtcd = await smallEtcd(0, { ...tls, allowHTTP1: true })
const plain = await startProxy(
  {
    upstream: { url: etcd.url },
    port: 0,
    rules: { configuration, mode: 'enforce', revision: 0 },
    folder,
    name: 'hostile',
    controlPort: 0,
    grpcPort: 0,
  },
  systemEnvironment,
)
const secure = await openEtcdProxy({
  upstream: { url: secureEtcd.url, tls: { ca: tls.cert } },
  port: 0,
  tls,
  gate: plain.gate,
  now: () => performance.now(),
})
const metrics = await startMetricsServer({ port: 0, version: '0', engine: () => plain.metrics.page() })
const answers = await upstreamServer([], (request, response) => {
  request.resume()
  response.end('ok')
})
const proxy = await proxied([], portOf(answers))
const secureProxy = await proxied([], portOf(answers), { tls })
const web = await webWorld()
const page = tinyPage()
process.once('exit', () => page.remove())
const inCluster = await startWebServer({
  root: page.root,
  handlers: fakeWorkspace('web').handlers,
  access: {
    address: '127.0.0.1',
    certificate: { cert: Buffer.from(tls.cert), key: Buffer.from(tls.key) },
    hosts: ['127.0.0.1'],
    base: '/',
    login: () => Promise.resolve({ status: 401, sentence: 'no' }),
    recheckMs: 60_000,
  },
})
const simulation = await startSimulatedHttpServer({
  server: createSimulationSource(
    SimulationSpecSchema.parse({ kind: 'simulation', version: 'v1.37.2' }),
    systemEnvironment,
  ).server,
})
const webhook = {
  port: 0,
  token: 'a',
  onBatch: () => undefined,
  onUnreadable: () => undefined,
  onRefused: () => undefined,
}
const hook = await startWebhook({ ...webhook, tls: 'plain-http' })
const secureHook = await startWebhook({ ...webhook, tls })

const port = (url: string): number => Number(new URL(url.includes('://') ? url : `http://${url}`).port)
const listeners: readonly Listener[] = [
  { name: 'etcd proxy', port: port(plain.url), secure: false, ask: 'put' },
  { name: 'etcd proxy, TLS', port: port(secure.url), secure: true, ask: 'put' },
  { name: 'etcd proxy, control', port: port(plain.control.url), secure: false, ask: '/', status: 401 },
  { name: 'etcd proxy, gRPC control', port: port(plain.control.grpc), secure: false, ask: 'put', status: 16 },
  { name: 'metrics', port: port(metrics.url), secure: false, ask: '/metrics' },
  { name: 'proxy', port: proxy.port, secure: false, ask: '/api' },
  { name: 'proxy, TLS', port: secureProxy.port, secure: true, ask: '/api' },
  { name: 'web console', port: port(web.origin), secure: false, ask: '/', status: 401 },
  { name: 'in-cluster console, TLS', port: port(inCluster.origin), secure: true, ask: '/', status: 401 },
  { name: 'simulated API server', port: port(simulation.url), secure: false, ask: '/version' },
  { name: 'audit webhook', port: port(hook.url), secure: false, ask: '/audit', status: 401 },
  { name: 'audit webhook, TLS', port: port(secureHook.url), secure: true, ask: '/audit', status: 401 },
]
console.log(JSON.stringify(listeners))
process.stdin.resume()
process.stdin.once('close', () => process.exit(0))
