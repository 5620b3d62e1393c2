import { AddressCredentialsSchema, type AddressCredentials } from '../../core/contract/credentials.ts'
import { CadenceSchema, type Cadence, type SourceSpec, type Target } from '../../core/contract/source.ts'
import { INTERVAL_MS } from '../../core/bounds.ts'
import {
  HeaderSchema,
  PAST_MS,
  PrometheusSpecSchema,
  type Header,
  pastFromPrometheus,
  type PrometheusSpec,
} from '../../core/contract/prometheus.ts'
import { ALGORITHMS } from '../../core/engine/profiles.ts'
import type { UnixMs } from '../../core/units.ts'
import { SimulationSpecSchema, type SimulationSpec } from '../../core/contract/simulation.ts'
import type { Console } from './console.ts'
import type { Reading } from './inputFiles.ts'
import { lists, texts } from './options.ts'
import type { Shelf } from './recordingOptions.ts'
import { readWithin } from '../files/files.ts'
import {
  timeFrom,
  coveredVersion,
  readChoice,
  readDuration,
  readNumber,
  refuseOptions,
  UsageError,
  type Given,
  type OptionInfo,
} from './usage.ts'

/**
 * Credentials for --metrics-url and --prometheus, as files: every user of the machine could read a secret on the
 * command line.
 */
export const CREDENTIAL_OPTIONS = {
  ...texts('token-file', 'username', 'password-file', 'client-certificate', 'client-key', 'certificate-authority'),
  'insecure-skip-tls-verify': { type: 'boolean' },
} as const satisfies Readonly<Record<string, OptionInfo>>

/** Options that name servers. */
export const CLUSTER_OPTIONS = {
  ...texts('kubeconfig', 'context'),
  ...lists('server', 'metrics-url'),
  ...CREDENTIAL_OPTIONS,
} as const satisfies Readonly<Record<string, OptionInfo>>

/** What to query from a Prometheus; its credentials are those of the addresses. */
export const PROMETHEUS_OPTIONS = {
  prometheus: { type: 'string' },
  ...lists('prometheus-label', 'instance'),
  ...texts('cluster-label', 'instance-label', 'tenant', 'header-file', 'past'),
} as const satisfies Readonly<Record<string, OptionInfo>>

/** A recording, and an instant of it. */
export const RECORDING_OPTIONS = {
  ...texts('recording', 'at'),
} as const satisfies Readonly<Record<string, OptionInfo>>

/** Options of every command that reads a source. */
export const SOURCE_OPTIONS = {
  ...CLUSTER_OPTIONS,
  ...PROMETHEUS_OPTIONS,
  file: { type: 'string', multiple: true },
  ...RECORDING_OPTIONS,
  simulate: { type: 'boolean' },
  ...texts('server-version', 'seed', 'algorithm'),
  demo: { type: 'boolean' },
  interval: { type: 'string' },
} as const satisfies Readonly<Record<string, OptionInfo>>

/** Sources that have objects of their own. */
export const OWN_OBJECTS: ReadonlySet<SourceSpec['kind']> = new Set(['simulation', 'recording', 'demo', 'files'])

/** Where the search for a service in a cluster is possible, the rest. */
type Sourcing = Reading & Partial<Pick<Console, 'access' | 'environment' | 'tell'>>

/** The source that the options name; `undefined` when they name none. Dumps are read only where they are shown. */
export async function sourceFrom(given: Given, dumps: boolean, reading: Sourcing): Promise<SourceSpec | undefined> {
  const prometheus = await prometheusFrom(given, dumps, reading)
  // Where nothing else of the cluster is shown, its Prometheus alone is the source.
  const alone = prometheus?.through !== undefined && !dumps
  const target = prometheus === undefined ? targetFrom(given) : alone ? undefined : clusterBeside(given)
  // What is shown may have a past that Prometheus scraped.
  const past = dumps && target?.kind === 'kubeconfig' ? prometheus : undefined
  const files = given.values('file')
  const recording = await recordingFrom(given, reading)
  const named = [
    prometheus !== undefined && past === undefined && '--prometheus',
    target !== undefined && 'a cluster',
    files.length > 0 && '--file',
    given.value('recording') !== undefined && '--recording',
    asksForSimulation(given) && 'a simulation',
    given.flag('demo') && '--demo',
  ].filter(Boolean)
  if (named.length > 1) throw new UsageError(`Only one source can be read at a time, not ${named.join(' and ')}.`)
  if (recording !== undefined) return recording
  if (target !== undefined) {
    return {
      kind: 'scrape',
      target,
      cadence: cadenceFrom(given, dumps),
      ...(past && { past: pastFromPrometheus(past) }),
    }
  }
  if (prometheus !== undefined && given.value('interval') !== undefined) {
    throw new UsageError('--interval does not go with --prometheus: a frame follows each of its scrapes.')
  }
  if (prometheus !== undefined) return prometheus
  if (files.length > 0 && given.value('interval') !== undefined) {
    throw new UsageError('--interval does not go with --file: a file is read once.')
  }
  if (files.length > 0) {
    const { readFilesFound } = await import('./inputFiles.ts')
    return { kind: 'files', files: await readFilesFound(files, reading) }
  }
  if (asksForSimulation(given)) return simulationFrom(given)
  return given.flag('demo') ? { kind: 'demo' } : undefined
}

/**
 * The recording that --recording names or --file contains, at the instant of --at. A recording is read in place, so it
 * must be the only file.
 */
async function recordingFrom(given: Given, reading: Reading): Promise<SourceSpec | undefined> {
  const files = given.values('file')
  const at = timeFrom(given, 'at')
  const exported = await recordingsAmong(files)
  const named = given.value('recording') ?? exported[0]
  if (named === undefined) {
    if (at === undefined) return undefined
    const [file] = files
    throw new UsageError(
      `--at needs a recording${file === undefined ? ': --recording or --file' : `, and ${file} is none`}.`,
    )
  }
  if (exported.length > 0 && files.length > 1) {
    throw new UsageError(`${exported[0]} is a recording, which is opened alone; name no other file.`)
  }
  if (given.value('interval') !== undefined) {
    throw new UsageError('--interval does not go with a recording: the interval of its samples is fixed.')
  }
  return recordingSpec(named, at, reading)
}

/** A recording as a source, at an instant or at its end. Rejects with `ProblemError` or `UsageError`. */
export async function recordingSpec(named: string, at: UnixMs | undefined, reading: Shelf): Promise<RecordingSpec> {
  const { recordingNamed } = await import('./recordingOptions.ts')
  const { id } = await recordingNamed(named, reading)
  return { kind: 'recording', ids: [id], ...(at !== undefined && { at }) }
}

export type RecordingSpec = Extract<SourceSpec, { kind: 'recording' }>

/** The files that are exported recordings; other paths are read, and refused, as files. */
async function recordingsAmong(files: readonly string[]): Promise<readonly string[]> {
  if (files.length === 0) return []
  const { isRecordingFile, startOfFile } = await import('../recordings/recordingFile.ts')
  const found: string[] = []
  for (const file of files) {
    const start = file === '-' ? undefined : await startOfFile(file).catch(() => undefined)
    if (start !== undefined && isRecordingFile(start)) found.push(file)
  }
  return found
}

/** The options of a simulation imply --simulate. */
const asksForSimulation = (given: Given): boolean =>
  given.flag('simulate') || ['server-version', 'seed', 'algorithm'].some((option) => given.value(option) !== undefined)

/** The built-in simulated cluster, configured by the options. */
export function simulationFrom(given: Given): SimulationSpec {
  const seed = readNumber(given, 'seed', { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true })
  const version = coveredVersion(given, 'server-version')
  const algorithm = readChoice(given, 'algorithm', ALGORITHMS)
  return SimulationSpecSchema.parse({
    kind: 'simulation',
    ...(algorithm !== undefined && { algorithm }),
    ...(seed !== undefined && { seed }),
    ...(version !== undefined && { version: fullVersion(version) }),
  })
}

const fullVersion = (version: string): string => (/^v\d+\.\d+$/.test(version) ? `${version}.0` : version)

export const DEFAULT_TARGET: Target = { kind: 'kubeconfig' }

/** The current context of the default kubeconfig, as kubectl uses it. */
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
  refuseOptions(
    given,
    Object.keys(CREDENTIAL_OPTIONS),
    'goes with --metrics-url or --prometheus; a kubeconfig contains its own credentials.',
  )
  return kubeconfigTarget(given)
}

function kubeconfigTarget(given: Given): Target | undefined {
  const servers = given.values('server').map((url) => checkedUrl('server', url))
  const named = { ...kubeconfigOf(given), ...(servers.length > 0 && { servers }) }
  return Object.keys(named).length === 0 ? undefined : { kind: 'kubeconfig', ...named }
}

/** File and context of a kubeconfig; empty without either. */
export function kubeconfigOf(given: Given, prefix = ''): { readonly file?: string; readonly context?: string } {
  const [file, context] = [given.value(`${prefix}kubeconfig`), given.value(`${prefix}context`)]
  return { ...(file !== undefined && { file }), ...(context !== undefined && { context }) }
}

/** Servers that are named in addition to a Prometheus; the credential options apply to the Prometheus. */
function clusterBeside(given: Given): Target | undefined {
  const urls = given.values('metrics-url')
  return urls.length > 0 ? { kind: 'urls', urls: [...urls] } : kubeconfigTarget(given)
}

const PAST = { min: PAST_MS.min, max: PAST_MS.max, takes: 'a time like 30m or 6h, up to 24h' } as const

/** Headers with secrets are given in a file: every user of the machine could read the command line. */
const MOST_HEADER_BYTES = 64 * 1024

async function prometheusFrom(given: Given, shown: boolean, sourcing: Sourcing): Promise<PrometheusSpec | undefined> {
  const named = given.value('prometheus')
  if (named === undefined) {
    refuseOptions(given, Object.keys(PROMETHEUS_OPTIONS), 'goes with --prometheus.')
    return undefined
  }
  const place = /^cluster(?::|$)/.test(named)
    ? await inCluster(given, named.slice('cluster:'.length), sourcing)
    : { url: checkedUrl('prometheus', named) }
  const credentials = credentialsFrom(given)
  const [cluster, instance, tenant] = ['cluster-label', 'instance-label', 'tenant'].map((name) => given.value(name))
  const instances = given.values('instance')
  const past = given.value('past') === '0' ? 0 : readDuration(given, 'past', PAST)
  const headerFile = given.value('header-file')
  const headers = headerFile === undefined ? [] : await headersIn(headerFile, sourcing.signal)
  const spec = PrometheusSpecSchema.safeParse({
    kind: 'prometheus',
    ...place,
    ...(credentials && { credentials }),
    ...(tenant !== undefined && { tenant }),
    ...(headers.length > 0 && { headers }),
    matchers: given.values('prometheus-label').map(matcherFrom),
    labels: { ...(cluster !== undefined && { cluster }), ...(instance !== undefined && { instance }) },
    ...(instances.length > 0 && { instances }),
    pastMs: past === undefined ? (shown ? PAST_MS.default : 0) : Math.round(past),
  })
  if (spec.success) return spec.data
  const [problem] = spec.error.issues
  throw new UsageError(
    `The options of --prometheus are invalid: ${String(problem?.path[0])} is too long or contains invalid characters.`,
  )
}

/** The service of a cluster, found or named. */
async function inCluster(given: Given, service: string, { access, environment, tell }: Sourcing) {
  if (access === undefined || environment === undefined) {
    throw new UsageError('Search for the Prometheus of a cluster on the Connection screen.')
  }
  refuseOptions(
    given,
    Object.keys(CREDENTIAL_OPTIONS),
    'does not go with --prometheus cluster: a kubeconfig has its own.',
  )
  const through = kubeconfigOf(given)
  const [found, ...others] = await access.clusterServices(through, service === '' ? undefined : service, environment)
  if (found === undefined) throw new Error('without a service the search fails')
  if (others.length > 0) {
    const more = others.map((one) => one.service).join(', ')
    tell?.(`Reads the Prometheus ${found.service}; others are ${more}: --prometheus cluster:NAMESPACE/NAME:PORT.`)
  }
  return { url: found.url, through }
}

/** How a server reads lists of the latest version. */
export const READ_OPTIONS = { 'no-etcd-progress': { type: 'boolean' } } as const satisfies Readonly<
  Record<string, OptionInfo>
>

/** `false`: from etcd; absent: as by default in the version. */
export const readsFrom = (given: Given): { readonly consistentReadsFromCache?: false } =>
  given.flag('no-etcd-progress') ? { consistentReadsFromCache: false } : {}

/** A label and its value, of --prometheus-label. Throws `UsageError`. */
export function matcherFrom(text: string): { label: string; value: string } {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`--prometheus-label takes NAME=VALUE, not ${JSON.stringify(text)}.`)
  return { label: text.slice(0, at), value: text.slice(at + 1) }
}

/** One `Name: value` per line; empty lines and those that begin with # are skipped. */
async function headersIn(file: string, signal: AbortSignal): Promise<Header[]> {
  const text = (await readWithin(file, { mostBytes: MOST_HEADER_BYTES, signal })).toString('utf8')
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (/^\s*(?:#|$)/.test(line)) return []
    const [, name, value] = /^([^:]+):\s*(.*?)\s*$/.exec(line) ?? []
    const header = HeaderSchema.safeParse({ name, value })
    // The line is not repeated: it may contain a secret.
    if (!header.success) throw new UsageError(`Line ${index + 1} of ${file} is not a header; write Name: value.`)
    return [header.data]
  })
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
  // The value is not repeated: an address may contain a password.
  throw new UsageError(`--${option} takes an address that begins with https:// or http://.`)
}
