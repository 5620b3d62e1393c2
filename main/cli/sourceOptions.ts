import {
  AddressCredentialsSchema,
  CadenceSchema,
  INTERVAL_MS,
  type AddressCredentials,
  type Cadence,
  type SourceSpec,
  type Target,
} from '../../core/contract/source.ts'
import { SimulationSpecSchema, type SimulationSpec } from '../../core/contract/simulation.ts'
import { readInputFiles, type Reading } from './inputFiles.ts'
import { readNumber, UsageError, type Given, type OptionInfo } from './usage.ts'
import { coveredVersion } from './validate.ts'

/** Credentials for --metrics-url, by files: a secret on the command line could be read by every user of the machine. */
const CREDENTIAL_OPTIONS = {
  'token-file': { type: 'string' },
  username: { type: 'string' },
  'password-file': { type: 'string' },
  'client-certificate': { type: 'string' },
  'client-key': { type: 'string' },
  'certificate-authority': { type: 'string' },
  'insecure-skip-tls-verify': { type: 'boolean' },
} as const satisfies Readonly<Record<string, OptionInfo>>

/** Options that name servers. */
export const CLUSTER_OPTIONS = {
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  server: { type: 'string', multiple: true },
  'metrics-url': { type: 'string', multiple: true },
  ...CREDENTIAL_OPTIONS,
} as const satisfies Readonly<Record<string, OptionInfo>>

/** Options of every command that reads a source. */
export const SOURCE_OPTIONS = {
  ...CLUSTER_OPTIONS,
  file: { type: 'string', multiple: true },
  simulate: { type: 'boolean' },
  'server-version': { type: 'string' },
  seed: { type: 'string' },
  demo: { type: 'boolean' },
  interval: { type: 'string' },
} as const satisfies Readonly<Record<string, OptionInfo>>

/** The source that the options name; `undefined` when they name none. Dumps are read only where they are shown. */
export async function sourceFrom(given: Given, dumps: boolean, reading: Reading): Promise<SourceSpec | undefined> {
  const target = targetFrom(given)
  const files = given.values('file')
  const named = [
    target !== undefined && 'a cluster',
    files.length > 0 && '--file',
    asksForSimulation(given) && 'a simulation',
    given.flag('demo') && '--demo',
  ].filter(Boolean)
  if (named.length > 1) throw new UsageError(`Only one source can be read at a time, not ${named.join(' and ')}.`)
  if (target !== undefined) return { kind: 'scrape', target, cadence: cadenceFrom(given, dumps) }
  if (files.length > 0 && given.value('interval') !== undefined) {
    throw new UsageError('--interval does not go with --file: a file is read once.')
  }
  if (files.length > 0) return { kind: 'files', files: await readInputFiles(files, reading) }
  if (asksForSimulation(given)) return simulationFrom(given)
  return given.flag('demo') ? { kind: 'demo' } : undefined
}

/** What says how to simulate asks for it. */
const asksForSimulation = (given: Given): boolean =>
  given.flag('simulate') || given.value('server-version') !== undefined || given.value('seed') !== undefined

/** The built-in simulated cluster, as the options want it. */
export function simulationFrom(given: Given): SimulationSpec {
  const seed = readNumber(given, 'seed', { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true })
  const version = coveredVersion(given, 'server-version')
  return SimulationSpecSchema.parse({
    kind: 'simulation',
    ...(seed !== undefined && { seed }),
    ...(version !== undefined && { version: fullVersion(version) }),
  })
}

const fullVersion = (version: string): string => (/^v\d+\.\d+$/.test(version) ? `${version}.0` : version)

export const DEFAULT_TARGET: Target = { kind: 'kubeconfig' }

/** The current context of the usual kubeconfig, as kubectl takes it. */
export const defaultSource = (given: Given, dumps: boolean): SourceSpec => ({
  kind: 'scrape',
  target: DEFAULT_TARGET,
  cadence: cadenceFrom(given, dumps),
})

/** How often the source is read. */
export function cadenceFrom(given: Given, dumps: boolean): Cadence {
  const seconds = readNumber(given, 'interval', { min: INTERVAL_MS.min / 1_000, max: INTERVAL_MS.max / 1_000 })
  return CadenceSchema.parse({
    ...(seconds !== undefined && { intervalMs: Math.round(seconds * 1_000) }),
    ...(dumps ? {} : { dumpsEveryMs: null }),
  })
}

/** The servers that the options name; `undefined` when they name none. */
export function targetFrom(given: Given): Target | undefined {
  const [file, context] = [given.value('kubeconfig'), given.value('context')]
  const [servers, urls] = [given.values('server'), given.values('metrics-url')]
  if (urls.length > 0) {
    if (file !== undefined || context !== undefined || servers.length > 0) {
      throw new UsageError(
        '--metrics-url names the complete address, so --kubeconfig, --context and --server do not go with it.',
      )
    }
    const credentials = credentialsFrom(given)
    return {
      kind: 'urls',
      urls: urls.map((url) => checkedUrl('metrics-url', url)),
      ...(credentials && { credentials }),
    }
  }
  const alone = Object.keys(CREDENTIAL_OPTIONS).find((name) => given.flag(name))
  if (alone !== undefined) {
    throw new UsageError(`--${alone} goes with --metrics-url; a kubeconfig holds its own credentials.`)
  }
  if (file === undefined && context === undefined && servers.length === 0) return undefined
  return {
    kind: 'kubeconfig',
    ...(file !== undefined && { file }),
    ...(context !== undefined && { context }),
    ...(servers.length > 0 && { servers: servers.map((url) => checkedUrl('server', url)) }),
  }
}

function credentialsFrom(given: Given): AddressCredentials | undefined {
  const named = {
    tokenFile: given.value('token-file'),
    username: given.value('username'),
    passwordFile: given.value('password-file'),
    clientCertificate: given.value('client-certificate'),
    clientKey: given.value('client-key'),
    certificateAuthority: given.value('certificate-authority'),
    insecureSkipTlsVerify: given.flag('insecure-skip-tls-verify') || undefined,
  }
  const credentials = AddressCredentialsSchema.parse(named)
  if (named.tokenFile !== undefined && named.username !== undefined) {
    throw new UsageError('Give --token-file or --username, not both.')
  }
  if ((named.username === undefined) !== (named.passwordFile === undefined)) {
    throw new UsageError('--username and --password-file go together.')
  }
  if ((named.clientCertificate === undefined) !== (named.clientKey === undefined)) {
    throw new UsageError('--client-certificate and --client-key go together.')
  }
  return Object.values(named).some((value) => value !== undefined) ? credentials : undefined
}

function checkedUrl(option: string, text: string): string {
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol)) return text
  // The value is not repeated: an address may hold a password.
  throw new UsageError(`--${option} takes an address that begins with https:// or http://.`)
}
