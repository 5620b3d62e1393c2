import { join } from 'node:path'
import { isIP } from 'node:net'
import {
  FORMER_OBSERVE,
  PROXY_IDENTITIES,
  ProxyModeSchema,
  ProxySpecSchema,
  type ProxyListen,
  type ProxySpec,
  FeedSpecSchema,
} from '../../core/contract/live.ts'
import {
  reachOf,
  tryCommand,
  wantsToken,
  LOOPBACK,
  reachProblem,
  type Lender,
  type ReachProblem,
} from '../../core/live/proxyReach.ts'
import { createProxySource } from '../sources/liveProxy.ts'
import { createFeedSource } from '../sources/liveFeed.ts'
import { PORTS, readChoice, UsageError, type Given, type OptionInfo, readNumber, type Command } from './usage.ts'
import { switches, texts } from './options.ts'
import type { Console, ExitCode } from './console.ts'
import { kubeconfigOf } from './sourceOptions.ts'
import { givenObjects } from './liveObjects.ts'
import { engineFields, LIVE_OPTIONS, runLive } from './liveTraffic.ts'

/** Options that control who can connect to a proxy. */
export const LISTEN_OPTIONS = {
  ...texts('port', 'listen'),
  tls: { type: 'boolean' },
  ...texts('tls-cert', 'tls-key', 'client-ca', 'token-file'),
  ...switches('generate-token', 'no-token'),
} as const satisfies Readonly<Record<string, OptionInfo>>

/** Runs a proxy in front of a server until it is stopped. */
export const proxy: Command = {
  options: {
    ...LIVE_OPTIONS,
    ...LISTEN_OPTIONS,
    ...texts('client-kubeconfig', 'upstream', 'mode', 'identity', 'objects'),
    'allow-exec': { type: 'boolean' },
  },
  run: runProxy,
}

const OBJECTS = ['upstream', 'built-in'] as const

async function runProxy(given: Given, console: Console): Promise<ExitCode> {
  const asked = given.value('mode') ?? FORMER_OBSERVE
  const mode = asked === FORMER_OBSERVE ? 'observe' : readChoice(given, 'mode', ProxyModeSchema.options)
  const identity = readChoice(given, 'identity', PROXY_IDENTITIES) ?? 'kubeconfig'
  const objects = readChoice(given, 'objects', OBJECTS)
  const upstream = upstreamOf(given)
  const spec = ProxySpecSchema.parse({
    kind: 'proxy',
    upstream,
    ...listenOf(given, { upstream, identity }),
    allowExec: given.flag('allow-exec'),
    ...(mode && { mode }),
    identity,
    ...(objects && { objects }),
    ...engineFields(given),
  })
  const { config, draft } = await givenObjects(given, console)
  const made = await createProxySource(spec, {
    environment: console.environment,
    consent: console.access.consent,
    folder: join(console.stateDir, 'proxy'),
    clientKubeconfig: given.value('client-kubeconfig'),
    given: config,
  })
  return runLive({
    given,
    console,
    spec,
    made,
    draft,
    greeting: (traffic) => {
      const { title, address = '', clientKubeconfig } = traffic.state()
      const token = wantsToken(reachOf(spec))
      return [
        `Proxy: ${title}`,
        MODES[spec.mode],
        `Try it: ${tryCommand({ identity, token, address, clientKubeconfig })}`,
      ]
    },
  })
}

/** What happens to requests, which nobody may overlook. */
const MODES: Readonly<Record<ProxySpec['mode'], string>> = {
  observe:
    'Observing: every request passes, decisions are only computed. --mode enforce makes requests wait or rejects them.',
  enforce: 'Warning: enforcing. This proxy makes requests wait and rejects them (429).',
}

function upstreamOf(given: Given) {
  const url = given.value('upstream')
  const kubeconfig = kubeconfigOf(given)
  if (url === undefined) return { kind: 'kubeconfig', ...kubeconfig } as const
  if (Object.keys(kubeconfig).length > 0) {
    throw new UsageError('--upstream names the server itself, so --kubeconfig and --context do not go with it.')
  }
  // The value is not repeated: an address may contain a password.
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError('--upstream takes an address that begins with https:// or http://.')
  }
  return { kind: 'url', url } as const
}

/** The options that fix a problem. */
const MENDS: Readonly<Record<ReachProblem['field'], string>> = {
  tls: '--tls, or --tls-cert and --tls-key',
  token: '--generate-token or --token-file',
  identity: '--client-ca, with --tls or --tls-cert and --tls-key',
  clientCa: '--identity certificate',
}

/** Where the proxy listens and who can connect. Throws `UsageError` for options that conflict. */
export function listenOf(given: Given, spec: Lender): { readonly port: number; readonly listen?: ProxyListen } {
  const { host, port } = placeFrom(given)
  const tls = tlsOf(given)
  const token = tokenOf(given)
  const clientCaFile = given.value('client-ca')
  const listen = {
    ...(host !== undefined && { host }),
    ...(tls !== undefined && { tls }),
    ...(clientCaFile !== undefined && { clientCaFile }),
    ...(token !== undefined && { token }),
  }
  const reach = reachOf({ ...spec, listen })
  const problem = reachProblem({
    host: host ?? LOOPBACK,
    identity: spec.identity,
    tls: reach.tls !== undefined,
    token: wantsToken(reach),
    clientCa: clientCaFile !== undefined,
  })
  if (problem !== undefined) throw new UsageError(`${problem.sentence} (${MENDS[problem.field]})`)
  return { port, ...(Object.keys(listen).length > 0 && { listen }) }
}

/** The address of --listen and --port; port 0, any free one, when neither names a port. Throws `UsageError`. */
export function placeFrom(given: Given): { readonly host?: string; readonly port: number } {
  const named = given.value('listen')
  const place = named === undefined ? {} : placeOf(named)
  const port = readNumber(given, 'port', PORTS)
  if (port === undefined || place.port === undefined) return { ...place, port: port ?? place.port ?? 0 }
  throw new UsageError('--listen names a port already, so --port does not go with it.')
}

/** `10.0.0.5`, `10.0.0.5:8443`, `[2001:db8::5]:8443`, `2001:db8::5`; `:8443` is a port on loopback only. */
export function placeOf(text: string): { readonly host?: string; readonly port?: number } {
  if (isIP(text) === 6) return { host: text }
  const [, address, name = address, digits] = /^(?:\[([^\]]+)\]|([\w.-]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  const port = digits === undefined ? undefined : Number(digits)
  const fits = name !== undefined && (address === undefined || isIP(address) === 6) && (port ?? 0) <= PORTS.max
  if (!fits || (name === '' && port === undefined)) {
    throw new UsageError(
      `--listen takes an address of this machine, with a port or without: 0.0.0.0:8443 or [::]:8443.`,
    )
  }
  return { ...(name !== '' && { host: name }), ...(port !== undefined && { port }) }
}

function tlsOf(given: Given): ProxyListen['tls'] {
  const [certFile, keyFile] = [given.value('tls-cert'), given.value('tls-key')]
  if (certFile === undefined && keyFile === undefined) return given.flag('tls') ? { kind: 'generated' } : undefined
  if (certFile === undefined || keyFile === undefined) {
    throw new UsageError('--tls-cert and --tls-key go together.')
  }
  if (given.flag('tls')) {
    throw new UsageError('--tls makes a certificate of its own, so it does not go with --tls-cert and --tls-key.')
  }
  return { kind: 'files', certFile, keyFile }
}

function tokenOf(given: Given): ProxyListen['token'] {
  const file = given.value('token-file')
  const wishes = [
    ...(file === undefined ? [] : [{ kind: 'file', file } as const]),
    ...(given.flag('generate-token') ? [{ kind: 'generated' } as const] : []),
    ...(given.flag('no-token') ? [{ kind: 'none' } as const] : []),
  ]
  if (wishes.length < 2) return wishes[0]
  throw new UsageError('Give only one of --token-file, --generate-token and --no-token.')
}

/** Reads an audit log, an audit webhook or a request log, until it is stopped. */
export const feed: Command = {
  options: {
    ...LIVE_OPTIONS,
    ...texts('audit-file', 'audit-webhook-port', 'httplog'),
    once: { type: 'boolean' },
  },
  run: runFeed,
}

async function runFeed(given: Given, console: Console): Promise<ExitCode> {
  const cluster = kubeconfigOf(given)
  const spec = FeedSpecSchema.parse({
    kind: 'feed',
    feed: feedOf(given),
    ...(Object.keys(cluster).length > 0 && { cluster }),
    ...engineFields(given),
  })
  const { config, draft } = await givenObjects(given, console)
  const made = await createFeedSource(spec, {
    environment: console.environment,
    stateDir: console.stateDir,
    consent: console.access.consent,
    given: config,
    everyRow: given.flag('json') || draft !== undefined,
  })
  return runLive({
    given,
    console,
    spec,
    made,
    draft,
    greeting: (traffic) => [`Feed: ${traffic.state().title}`],
    once: given.flag('once'),
  })
}

function feedOf(given: Given) {
  const [audit, log] = [given.value('audit-file'), given.value('httplog')]
  const port = readNumber(given, 'audit-webhook-port', PORTS)
  const named = [audit, log, port].filter((one) => one !== undefined)
  if (named.length !== 1) {
    throw new UsageError('feed needs one of --audit-file FILE, --audit-webhook-port N and --httplog FILE.')
  }
  const follow = !given.flag('once')
  if (port !== undefined) {
    if (!follow) throw new UsageError('--once goes with files: a webhook has no end.')
    return { kind: 'audit-webhook', port } as const
  }
  return audit === undefined
    ? ({ kind: 'httplog', path: log ?? '', follow } as const)
    : ({ kind: 'audit-file', path: audit, follow } as const)
}
