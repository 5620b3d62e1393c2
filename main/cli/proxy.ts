import { PROXY_IDENTITIES, ProxySpecSchema } from '../../core/contract/live.ts'
import { createProxySource } from '../sources/liveProxy.ts'
import type { Console, ExitCode } from './console.ts'
import { HELP } from './help.ts'
import { engineFields, kubeconfigOf, LIVE_OPTIONS, objectsFrom, PORTS, runLive } from './liveTraffic.ts'
import { readNumber, readOptions, UsageError, type Given, type OptionInfo } from './usage.ts'

const OPTIONS = {
  ...LIVE_OPTIONS,
  upstream: { type: 'string' },
  port: { type: 'string' },
  mode: { type: 'string' },
  identity: { type: 'string' },
  objects: { type: 'string' },
} as const satisfies Readonly<Record<string, OptionInfo>>

const MODES = ['enforce', 'shadow'] as const
const OBJECTS = ['upstream', 'built-in'] as const

/** A proxy in front of a server, until it is stopped. */
export async function proxy(args: readonly string[], console: Console): Promise<ExitCode> {
  const given = readOptions(args, OPTIONS)
  if (given.flag('help')) {
    console.print(`${HELP.proxy}\n`)
    return 0
  }
  const port = readNumber(given, 'port', PORTS) ?? 0
  const [mode, identity] = [oneOf(given, 'mode', MODES), oneOf(given, 'identity', PROXY_IDENTITIES)]
  const objects = oneOf(given, 'objects', OBJECTS)
  const spec = ProxySpecSchema.parse({
    kind: 'proxy',
    upstream: upstreamOf(given),
    port,
    ...(mode && { mode }),
    ...(identity && { identity }),
    ...(objects && { objects }),
    ...engineFields(given),
  })
  const made = await createProxySource(spec, console.environment, await objectsFrom(given, console))
  return runLive({
    given,
    console,
    spec,
    made,
    greeting: (traffic) => {
      const { title, address = '' } = traffic.state()
      return [`Proxy: ${title}`, `Try it: kubectl --server ${address} get --raw /version`]
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

function oneOf<T extends string>(given: Given, name: string, choices: readonly T[]): T | undefined {
  const value = given.value(name)
  if (value === undefined) return undefined
  const chosen = choices.find((choice) => choice === value)
  if (chosen === undefined) throw new UsageError(`--${name} takes ${choices.join(', ')}, not ${JSON.stringify(value)}.`)
  return chosen
}
