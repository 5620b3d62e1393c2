import { builtInObjects } from '../../core/config/builtInByVersion.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import type { LocatedFinding } from '../../core/manifest/manifest.ts'
import type { Console } from './console.ts'
import { readConfiguration } from './manifestFiles.ts'
import { UsageError, type Given, type OptionInfo } from './usage.ts'
import { versionFrom } from './validate.ts'

/** Options that say whose objects a command works on. */
export const CONFIGURATION_OPTIONS = {
  config: { type: 'string', multiple: true, list: true },
  'with-built-in': { type: 'boolean' },
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  'kube-version': { type: 'string' },
} as const satisfies Readonly<Record<string, OptionInfo>>

/** A whole configuration, and where it comes from. */
export interface GivenConfiguration {
  readonly from: 'files' | 'cluster' | 'built-in'
  /** `files a.yaml, b.yaml`, `cluster prod-eu-1`, `the built-in objects of v1.37`. */
  readonly name: string
  /** gitVersion whose behaviour applies. */
  readonly version: string
  readonly objects: ObjectSet
  /** What a server would reject. */
  readonly errors: readonly LocatedFinding[]
  readonly notes: readonly string[]
}

/** The objects of files, else of a cluster, else the built-in ones. Rejects with `ProblemError` or `UsageError`. */
export async function configurationFrom(given: Given, console: Console): Promise<GivenConfiguration> {
  const files = [...given.values('config'), ...given.operands]
  const inCluster = given.value('kubeconfig') !== undefined || given.value('context') !== undefined
  if (files.length > 0 && inCluster) {
    throw new UsageError('--config does not go with --kubeconfig and --context: the objects come from one place.')
  }
  if (given.values('config').length === 0 && given.operands.length > 0) {
    throw new UsageError(`${JSON.stringify(given.operands[0])} is not expected here; a manifest is given as --config.`)
  }
  if (files.length > 0) return fromFiles(files, given, console)
  if (given.flag('with-built-in')) throw new UsageError('--with-built-in completes the objects of --config.')
  if (inCluster) return fromCluster(given, console)
  const version = versionFrom(given)
  const objects = builtInObjects(version)
  const note = `Neither --config nor --kubeconfig is given: these are the built-in objects of ${version}.`
  return { from: 'built-in', name: `the built-in objects of ${version}`, version, objects, errors: [], notes: [note] }
}

async function fromFiles(files: readonly string[], given: Given, console: Console): Promise<GivenConfiguration> {
  const version = versionFrom(given)
  const { objects, findings } = await readConfiguration(files, { version, reading: console })
  if (objects.levels.length + objects.schemas.length === 0) {
    throw new ProblemError('not-found', `${files.join(', ')} holds no FlowSchema and no PriorityLevelConfiguration.`)
  }
  return {
    from: 'files',
    name: `files ${files.join(', ')}`,
    version,
    objects: given.flag('with-built-in') ? completed(objects, builtInObjects(version)) : objects,
    errors: findings.filter(({ severity }) => severity === 'error'),
    notes: [],
  }
}

/** The built-in objects, with those of the files in the place of the ones that they name. */
function completed(own: ObjectSet, builtIn: ObjectSet): ObjectSet {
  const rest = <T extends { readonly metadata: { readonly name: string } }>(
    all: readonly T[],
    given: readonly T[],
  ): T[] => all.filter(({ metadata }) => !given.some((one) => one.metadata.name === metadata.name))
  return {
    levels: [...rest(builtIn.levels, own.levels), ...own.levels],
    schemas: [...rest(builtIn.schemas, own.schemas), ...own.schemas],
  }
}

/** The objects of the cluster that --kubeconfig and --context name. Rejects with `ProblemError`. */
export async function fromCluster(
  given: Given,
  console: Console,
): Promise<GivenConfiguration & { readonly from: 'cluster' }> {
  const [file, context] = [given.value('kubeconfig'), given.value('context')]
  const { name, version, objects, notes } = await console.access.readClusterObjects({
    kind: 'kubeconfig',
    ...(file !== undefined && { file }),
    ...(context !== undefined && { context }),
  })
  const wanted = given.value('kube-version') === undefined ? version : versionFrom(given)
  return { from: 'cluster', name: `cluster ${name}`, version: wanted ?? versionFrom(given), objects, errors: [], notes }
}
