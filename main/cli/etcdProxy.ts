import { ProblemError } from '../../core/errors.ts'
import type { QosConfiguration } from '../../core/qos/configuration.ts'
import { decisionJson } from '../../core/qos/explain.ts'
import { readRules } from '../../core/qos/read.ts'
import { listenerTls, upstreamFrom } from '../etcd/certificates.ts'
import { isProxyName, proxiesFolder } from '../etcd/control.ts'
import { MODES } from '../etcd/admissionGate.ts'
import { bindWithoutAccessors } from '../etcd/plainBinding.ts'
import { assertFree, keptRules, startProxy, type StartRules } from '../etcd/startProxy.ts'
import type { Upstream } from '../etcd/upstream.ts'
import { createPause } from '../ports/pause.ts'
import type { TlsFiles } from '../proxy/listen.ts'
import { type Console, type ExitCode, portProblem } from './console.ts'
import { texts } from './options.ts'
import { readTexts, tellFindings } from './inputFiles.ts'
import { placeFrom } from './liveCommands.ts'
import { serveMetrics } from './liveTraffic.ts'
import { type Command, type Given, PORTS, readChoice, readNumber, UsageError } from './usage.ts'

/** Runs a proxy in front of an etcd until it is stopped. */
export const etcdProxy: Command = {
  options: {
    upstream: { type: 'string' },
    rules: { type: 'string', multiple: true, list: true },
    ...texts('mode', 'port', 'listen', 'tls-cert', 'tls-key', 'client-ca', 'certificate-authority'),
    ...texts('client-certificate', 'client-key', 'metrics-port', 'control-port', 'grpc-port', 'name'),
    json: { type: 'boolean' },
  },
  run: runEtcdProxy,
}

const DEFAULT_NAME = 'default'
const RELOAD_MS = 1_000
/** The longest delay that a timer supports. */
const LONGEST_MS = 2 ** 31 - 1

async function runEtcdProxy(given: Given, console: Console): Promise<ExitCode> {
  const mode = readChoice(given, 'mode', MODES)
  const place = placeFrom(given)
  const metricsPort = readNumber(given, 'metrics-port', PORTS)
  const controlPort = readNumber(given, 'control-port', PORTS) ?? 0
  const grpcPort = readNumber(given, 'grpc-port', PORTS) ?? 0
  const name = given.value('name') ?? DEFAULT_NAME
  if (!isProxyName(name))
    throw new UsageError('--name takes 1 to 63 of a–z, 0–9 and “-”, with a letter or digit at both ends.')
  const upstream = await upstreamOf(given)
  const tls = await tlsOf(given)
  const paths = given.values('rules')
  const folder = proxiesFolder(console.stateDir)
  const first = await startRules(paths, { folder, name }, console)
  if (first === undefined) return 2
  const { environment, signal, tell, print, printJson } = console
  bindWithoutAccessors()
  const json = given.flag('json')
  const say = json ? tell : (sentence: string): void => print([sentence])
  const proxy = await startProxy(
    {
      upstream,
      ...place,
      ...(tls !== undefined && { tls }),
      rules: { ...first, mode: mode ?? first.mode },
      folder,
      name,
      controlPort,
      grpcPort,
      onReach: (problem) => tell(problem ?? `${upstream.url} answers again.`),
      ...(json && {
        onDecided: (decision, settings) => printJson(decisionJson(decision, settings, undefined)),
      }),
    },
    environment,
  ).catch((error: unknown) => {
    throw portProblem(error, 'control-port', controlPort)
  })
  const { gate, management, metrics, control } = proxy
  const closing: (() => unknown)[] = [() => proxy.close()]
  try {
    say(`Proxy: ${proxy.url} → ${upstream.url}, ${gate.mode}`)
    say(`Management: ${control.url}, as ${name}; gRPC at ${control.grpc}`)
    if (metricsPort !== undefined) {
      const server = await serveMetrics(metricsPort, console, () => metrics.page())
      closing.push(() => server.close())
      say(`Metrics: ${server.url}`)
    }
    await followRules(first.text, paths, console, (configuration) => {
      management.configure(configuration)
      say(`Rules: ${configuration.rules.length} in effect.`)
    })
    const { passed, delayed, limited } = management.traffic.totals
    say(
      `${passed + management.unread} requests passed, ${delayed} were delayed, ${limited} ${gate.mode === 'observe' ? 'would have been' : 'were'} limited.`,
    )
  } finally {
    for (const close of closing.toReversed()) await close()
  }
  return signal.aborted ? 0 : 2
}

interface FirstRules extends StartRules {
  /** The content of the files; empty for stored rules. */
  readonly text: string
}

/** The rules of the named files, else the stored ones; `undefined` when a file has errors, which were printed. */
async function startRules(
  paths: readonly string[],
  { folder, name }: { readonly folder: string; readonly name: string },
  console: Console,
): Promise<FirstRules | undefined> {
  await assertFree(folder, name)
  if (paths.length > 0) {
    const { text, configuration } = await rulesOf(paths, console)
    return configuration && { text, configuration, mode: 'enforce', revision: 0 }
  }
  return { text: '', ...(await keptRules(folder, name)) }
}

interface Rules {
  /** The content of all files, to detect changes. */
  readonly text: string
  /** `undefined` when a file has errors, which were printed. */
  readonly configuration?: QosConfiguration
}

async function rulesOf(paths: readonly string[], console: Console, known?: string): Promise<Rules> {
  const files = await readTexts(paths, console)
  const text = JSON.stringify(files)
  if (text === known) return { text }
  const { configuration, findings } = readRules(files)
  tellFindings(findings, console)
  return { text, ...(configuration !== undefined && { configuration }) }
}

/**
 * Reads the files again every second until the command is to end. Files that cannot be read or have errors change
 * nothing.
 */
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
      else if (text !== known) tell('The new rules have errors; the previous rules stay in effect.')
      known = text
      problem = ''
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      if (error.message !== problem) tell(`${error.message} The previous rules stay in effect.`)
      problem = error.message
    }
  }
}

async function upstreamOf(given: Given): Promise<Upstream> {
  const url = URL.parse(given.value('upstream') ?? '')
  // The value is not repeated: an address may contain a password.
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError('etcd-proxy needs --upstream with an address that begins with https:// or http://.')
  if (given.flag('client-certificate') !== given.flag('client-key'))
    throw new UsageError('--client-certificate and --client-key go together.')
  return upstreamFrom(url, {
    ca: given.value('certificate-authority'),
    cert: given.value('client-certificate'),
    key: given.value('client-key'),
  })
}

async function tlsOf(given: Given): Promise<TlsFiles | undefined> {
  const [cert, key, clientCa] = [given.value('tls-cert'), given.value('tls-key'), given.value('client-ca')]
  if (cert !== undefined && key !== undefined) return listenerTls({ cert, key, clientCa })
  if (cert !== key || clientCa !== undefined)
    throw new UsageError('TLS needs both --tls-cert and --tls-key; --client-ca goes with them.')
  return undefined
}
