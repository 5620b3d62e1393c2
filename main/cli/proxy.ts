import { join } from 'node:path'
import { FORMER_OBSERVE, PROXY_IDENTITIES, ProxyModeSchema, ProxySpecSchema } from '../../core/contract/live.ts'
import { reachOf, tryCommand, wantsToken } from '../../core/live/proxyReach.ts'
import { createProxySource } from '../sources/liveProxy.ts'
import type { Console, ExitCode } from './console.ts'
import { HELP } from './help.ts'
import { givenObjects } from './liveObjects.ts'
import { engineFields, kubeconfigOf, LIVE_OPTIONS, runLive } from './liveTraffic.ts'
import { LISTEN_OPTIONS, listenOf } from './proxyListen.ts'
import { readChoice, printHelp, readOptions, UsageError, type Given, type OptionInfo } from './usage.ts'

const OPTIONS = {
  ...LIVE_OPTIONS,
  ...LISTEN_OPTIONS,
  'client-kubeconfig': { type: 'string' },
  upstream: { type: 'string' },
  mode: { type: 'string' },
  identity: { type: 'string' },
  objects: { type: 'string' },
  'allow-exec': { type: 'boolean' },
} as const satisfies Readonly<Record<string, OptionInfo>>

const OBJECTS = ['upstream', 'built-in'] as const

/** A proxy in front of a server, until it is stopped. */
export async function proxy(args: readonly string[], console: Console): Promise<ExitCode> {
  const given = readOptions(args, OPTIONS)
  if (given.flag('help')) {
    printHelp(console, HELP.proxy)
    return 0
  }
  const mode = given.value('mode') === FORMER_OBSERVE ? 'observe' : readChoice(given, 'mode', ProxyModeSchema.options)
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
      return [`Proxy: ${title}`, `Try it: ${tryCommand({ identity, token, address, clientKubeconfig })}`]
    },
  })
}

function upstreamOf(given: Given) {
  const url = given.value('upstream')
  const kubeconfig = kubeconfigOf(given)
  if (url === undefined) return { kind: 'kubeconfig', ...kubeconfig } as const
  if (Object.keys(kubeconfig).length > 0) {
    throw new UsageError('--upstream names the server itself, so --kubeconfig and --context do not go with it.')
  }
  // The value is not repeated: an address may hold a password.
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError('--upstream takes an address that begins with https:// or http://.')
  }
  return { kind: 'url', url } as const
}
