import { builtInName, builtInObjects, completedWith } from '../../core/config/builtIn.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { defaulted } from '../../core/guard/changes.ts'
import { ProblemError } from '../../core/errors.ts'
import { frameOf } from '../../core/frame/frame.ts'
import type { LocatedFinding } from '../../core/manifest/manifest.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'
import { rfc3339 } from '../../core/units.ts'
import type { Console } from './console.ts'
import { texts } from './options.ts'
import { isError, readConfiguration, refuseEmpty } from './inputFiles.ts'
import { UsageError, type Given, type OptionInfo } from './usage.ts'
import { openSession, type ReadFrame } from './snapshot.ts'
import { cadenceFrom, kubeconfigOf, type RecordingSpec } from './sourceOptions.ts'
import { versionFrom } from './validate.ts'

/** Options that select the objects a command works on. */
export const CONFIGURATION_OPTIONS = {
  config: { type: 'string', multiple: true, list: true },
  'with-built-in': { type: 'boolean' },
  ...texts('kubeconfig', 'context', 'kube-version'),
} as const satisfies Readonly<Record<string, OptionInfo>>

/** A whole configuration and its origin. */
export interface GivenConfiguration {
  readonly from: 'files' | 'cluster' | 'source' | 'built-in'
  /** `files a.yaml, b.yaml`, `cluster prod-eu-1`, `simulation`, `the built-in objects of v1.37`. */
  readonly name: string
  /** gitVersion whose behaviour applies. */
  readonly version: string
  readonly objects: ObjectSet
  /** What a server would reject. */
  readonly errors: readonly LocatedFinding[]
  readonly notes: readonly string[]
}

/** Whether the options name a cluster's objects rather than those of files. */
export const namesCluster = (given: Given): boolean => given.flag('kubeconfig') || given.flag('context')

/** Whether the options name objects rather than use those of the source that is read. */
export const namesObjects = (given: Given): boolean => given.flag('config') || namesCluster(given)

/** The named objects, else those of a source. Rejects with `ProblemError` or `UsageError`. */
export async function configurationBeside(
  given: Given,
  console: Console,
  source: Pick<ReadFrame, 'frame' | 'objects'> | undefined,
): Promise<GivenConfiguration> {
  if (source !== undefined && !namesObjects(given)) return fromSource(given, source)
  return configurationFrom(given, console, source?.frame?.servers[0]?.version)
}

/**
 * The objects of files, else of a cluster, else the built-in ones; `reported` is the version of the server that is read
 * alongside. Rejects with `ProblemError` or `UsageError`.
 */
export async function configurationFrom(
  given: Given,
  console: Console,
  reported?: string,
): Promise<GivenConfiguration> {
  const version = versionFrom(given, reported)
  if (given.values('config').length > 0) return fromFiles(given, version, console)
  if (given.flag('with-built-in')) throw new UsageError('--with-built-in completes the objects of --config.')
  return namesCluster(given)
    ? fromCluster(given, console)
    : builtInOf(version, 'Neither --config nor --kubeconfig is given')
}

/** The built-in objects, with a note that gives the reason. */
function builtInOf(version: string, why: string): GivenConfiguration {
  const name = builtInName(version)
  return {
    from: 'built-in',
    name,
    version,
    objects: builtInObjects(version),
    errors: [],
    notes: [`${why}: using ${name}.`],
  }
}

/** The objects of a source that is not named as a cluster: captured files, a simulation. */
export function fromSource(given: Given, { frame, objects }: Pick<ReadFrame, 'frame' | 'objects'>): GivenConfiguration {
  const name = frame?.source.name ?? 'the source'
  const version = versionFrom(given, objects?.version ?? frame?.servers[0]?.version)
  if (objects?.state !== 'current' && objects?.state !== 'stale') {
    return builtInOf(version, `The flow-control objects of ${name} are unavailable`)
  }
  return { from: 'source', name, version, objects: defaulted(objects.objects), errors: [], notes: [] }
}

/** The objects of a recording as of its instant. Rejects with `ProblemError`. */
export async function fromRecording(given: Given, spec: RecordingSpec, console: Console): Promise<GivenConfiguration> {
  const session = await openSession(console, spec, cadenceFrom(given, false), () => undefined)
  let objects: ObjectsReading | undefined
  session.readObjects((reading) => (objects = reading))
  const { picture, connection } = session
  const frame = frameOf(
    connection.source,
    picture.servers.map(({ latest }) => latest.frame),
  )
  await session.end()
  const configuration = fromSource(given, { frame, objects })
  const at = spec.at === undefined ? '' : ` at ${rfc3339(spec.at)}`
  if (configuration.from === 'source') return { ...configuration, name: `recording of ${configuration.name}${at}` }
  throw new ProblemError('not-found', `The recording of ${frame.source.name} has no flow-control objects${at}.`)
}

async function fromFiles(given: Given, version: string, console: Console): Promise<GivenConfiguration> {
  const files = given.values('config')
  const read = await readConfiguration(files, { version, reading: console })
  refuseEmpty(read, files)
  const { objects, findings } = read
  return {
    from: 'files',
    name: `files ${files.join(', ')}`,
    version,
    objects: given.flag('with-built-in') ? completedWith(builtInObjects(version), objects) : objects,
    errors: findings.filter(isError),
    notes: [],
  }
}

/** The objects of the cluster that --kubeconfig and --context name. Rejects with `ProblemError`. */
async function fromCluster(given: Given, console: Console): Promise<GivenConfiguration> {
  const target = { kind: 'kubeconfig', ...kubeconfigOf(given) } as const
  const { name, version, objects, notes } = await console.access.readClusterObjects(target)
  return { from: 'cluster', name: `cluster ${name}`, version: versionFrom(given, version), objects, errors: [], notes }
}
