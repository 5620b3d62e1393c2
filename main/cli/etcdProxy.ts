import { ProblemError } from '../../core/contract/errors.ts'
import { DEFAULT_SETTINGS, type QosConfiguration } from '../../core/qos/configuration.ts'
import { decisionJson } from '../../core/qos/explain.ts'
import { readRules } from '../../core/qos/read.ts'
import { Door, MODES } from '../etcd/door.ts'
import { openEtcdProxy } from '../etcd/etcdProxy.ts'
import { EtcdMetrics } from '../etcd/metrics.ts'
import { watchStorage } from '../etcd/storage.ts'
import type { Upstream } from '../etcd/upstream.ts'
import { startMetricsServer } from '../live/metricsServer.ts'
import { createPause } from '../ports/pause.ts'
import type { TlsFiles } from '../proxy/listen.ts'
import { readSmall } from '../proxy/smallFiles.ts'
import { type Console, type ExitCode, portProblem } from './console.ts'
import { readTexts, tellFindings } from './inputFiles.ts'
import { placeOf } from './liveCommands.ts'
import { type Command, type Given, PORTS, readChoice, readNumber, UsageError } from './usage.ts'

/** A proxy in front of an etcd, until it is stopped. */
export const etcdProxy: Command = {
  options: {
    upstream: { type: 'string' },
    rules: { type: 'string', multiple: true, list: true },
    mode: { type: 'string' },
    port: { type: 'string' },
    listen: { type: 'string' },
    'tls-cert': { type: 'string' },
    'tls-key': { type: 'string' },
    'client-ca': { type: 'string' },
    'certificate-authority': { type: 'string' },
    'client-certificate': { type: 'string' },
    'client-key': { type: 'string' },
    'metrics-port': { type: 'string' },
    json: { type: 'boolean' },
  },
  run: runEtcdProxy,
}

const NO_RULES: QosConfiguration = { classes: [], rules: [], settings: DEFAULT_SETTINGS }
const RELOAD_MS = 1_000
/** No timer is longer. */
const LONGEST_MS = 2 ** 31 - 1

async function runEtcdProxy(given: Given, console: Console): Promise<ExitCode> {
  const mode = readChoice(given, 'mode', MODES) ?? 'enforce'
  const named = given.value('listen')
  const place = named === undefined ? {} : placeOf(named)
  const port = readNumber(given, 'port', PORTS)
  if (port !== undefined && place.port !== undefined)
    throw new UsageError('--listen names a port already, so --port does not go with it.')
  const metricsPort = readNumber(given, 'metrics-port', PORTS)
  const upstream = await upstreamOf(given)
  const tls = await tlsOf(given)
  const paths = given.values('rules')
  const first = await rulesOf(paths, console)
  if (first.configuration === undefined) return 2
  const { environment, signal, tell, print, printJson } = console
  const json = given.flag('json')
  const say = json ? tell : (sentence: string): void => print([sentence])
  const clock = { now: () => performance.now(), after: environment.after }
  const door = new Door(first.configuration, mode, clock)
  if (json) {
    door.on('decided', (decision) => printJson(decisionJson(decision, door.configuration.settings, undefined)))
  }
  const storage = watchStorage(upstream, door, clock.now)
  const metrics = new EtcdMetrics(door, storage.reading)
  const closing: (() => unknown)[] = [() => storage.close(), () => door.close()]
  try {
    const proxy = await openEtcdProxy({
      upstream,
      ...(place.host !== undefined && { host: place.host }),
      port: port ?? place.port ?? 0,
      ...(tls !== undefined && { tls }),
      door,
      now: clock.now,
      onUnread: () => metrics.countUnread(),
    })
    closing.push(() => proxy.close())
    say(`Proxy: ${proxy.url} → ${upstream.url}, ${mode}`)
    if (metricsPort !== undefined) {
      const server = await startMetricsServer({
        port: metricsPort,
        version: console.version,
        engine: () => metrics.page(),
      }).catch((error: unknown) => {
        throw portProblem(error, 'metrics-port', metricsPort)
      })
      closing.push(() => server.close())
      say(`Metrics: ${server.url}`)
    }
    await followRules(first.text, paths, console, (configuration) => {
      door.configure(configuration)
      say(`Rules: ${configuration.rules.length} in effect.`)
    })
    const { passed, delayed, limited } = metrics.verdicts
    say(
      `${passed} requests passed, ${delayed} were delayed, ${limited} ${mode === 'observe' ? 'would have been' : 'were'} limited.`,
    )
  } finally {
    for (const close of closing.toReversed()) await close()
  }
  return signal.aborted ? 0 : 2
}

interface Rules {
  /** Everything that the files hold, to see whether it has changed. */
  readonly text: string
  /** `undefined` when a file has errors, which were printed. */
  readonly configuration?: QosConfiguration
}

async function rulesOf(paths: readonly string[], console: Console, known?: string): Promise<Rules> {
  if (paths.length === 0) return { text: '', configuration: NO_RULES }
  const texts = await readTexts(paths, console)
  const text = JSON.stringify(texts)
  if (text === known) return { text }
  const { configuration, findings } = readRules(texts)
  tellFindings(findings, console)
  return { text, ...(configuration !== undefined && { configuration }) }
}

/** Reads the files again every second until the command is to end. What cannot be read or has errors changes nothing. */
async function followRules(
  first: string,
  paths: readonly string[],
  console: Console,
  apply: (configuration: QosConfiguration) => void,
): Promise<void> {
  const { signal, environment, tell } = console
  const again = !paths.includes('-') && paths.length > 0
  const pause = createPause(environment)
  let known = first
  let problem = ''
  for (;;) {
    await pause.wait(again ? RELOAD_MS : LONGEST_MS, signal)
    if (signal.aborted) return
    try {
      const { text, configuration } = await rulesOf(paths, console, known)
      if (configuration !== undefined) apply(configuration)
      else if (text !== known) tell('The rules have errors; those before stay in effect.')
      known = text
      problem = ''
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      if (error.message !== problem) tell(`${error.message} The rules before stay in effect.`)
      problem = error.message
    }
  }
}

async function pem(given: Given, option: string, what: string): Promise<string | undefined> {
  const path = given.value(option)
  return path === undefined ? undefined : (await readSmall(path, what)).text
}

async function upstreamOf(given: Given): Promise<Upstream> {
  const url = URL.parse(given.value('upstream') ?? '')
  // The value is not repeated: an address may hold a password.
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError('etcd-proxy needs --upstream with an address that begins with https:// or http://.')
  if (given.flag('client-certificate') !== given.flag('client-key'))
    throw new UsageError('--client-certificate and --client-key belong together.')
  const ca = await pem(given, 'certificate-authority', 'The certificate authority')
  const cert = await pem(given, 'client-certificate', 'The client certificate')
  const key = await pem(given, 'client-key', 'The client key')
  return {
    url: url.origin,
    tls: { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) },
  }
}

async function tlsOf(given: Given): Promise<TlsFiles | undefined> {
  const cert = await pem(given, 'tls-cert', 'The certificate')
  const key = await pem(given, 'tls-key', 'The key')
  const clientCa = await pem(given, 'client-ca', 'The client CA')
  if (cert === undefined || key === undefined) {
    if (cert !== key || clientCa !== undefined)
      throw new UsageError('TLS needs both --tls-cert and --tls-key; --client-ca goes with them.')
    return undefined
  }
  return { cert, key, ...(clientCa !== undefined && { clientCa }) }
}
