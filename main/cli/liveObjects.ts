import type { ObjectSet } from '../../core/config/objects.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import { NEWEST_VERSION } from '../../core/engine/profiles.ts'
import type { LocatedFinding, ManifestDocument } from '../../core/manifest/manifest.ts'
import { acceptable } from '../live/proposed.ts'
import type { Console } from './console.ts'
import { readConfiguration, type Configuration } from './manifestFiles.ts'
import { UsageError, type Given } from './usage.ts'

/** Objects that a live source is given by files. */
export interface GivenObjects {
  /** Those of `--config`, which are the whole configuration. */
  readonly config: ObjectSet | undefined
  /** The manifests of `--draft`, which are applied to the objects that the engine has. */
  readonly draft: readonly ManifestDocument[] | undefined
}

/** Reads `--config` and `--draft`; throws `ProblemError` for what no server would take, with its place. */
export async function givenObjects(given: Given, console: Console): Promise<GivenObjects> {
  const [config, draft] = [given.values('config'), given.values('draft')]
  if ([...config, ...draft].filter((file) => file === '-').length > 1) {
    throw new UsageError('Only one of the files of --config and --draft can be the standard input.')
  }
  const version = given.value('server-version') ?? NEWEST_VERSION
  const drafted = await configurationOf(draft, version, console)
  // Sizes that the engine cannot have are refused before anything listens.
  if (drafted !== undefined) acceptable(drafted.objects, version)
  return {
    config: (await configurationOf(config, version, console))?.objects,
    draft: drafted?.files.flatMap(({ documents }) => documents),
  }
}

async function configurationOf(
  files: readonly string[],
  version: string,
  console: Console,
): Promise<Configuration | undefined> {
  if (files.length === 0) return undefined
  const configuration = await readConfiguration(files, { version, reading: console })
  const { objects, findings } = configuration
  refuseErrors(findings.filter(({ severity }) => severity === 'error'))
  if (objects.levels.length + objects.schemas.length === 0) {
    throw new ProblemError('not-found', `${files.join(', ')} holds no FlowSchema and no PriorityLevelConfiguration.`)
  }
  return configuration
}

/** Throws `invalid-input` with the place of the first error, if there is one. */
export function refuseErrors(errors: readonly LocatedFinding[]): void {
  const [error] = errors
  if (error === undefined) return
  const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more; see apf-console validate)`
  throw new ProblemError('invalid-input', `${error.file}:${error.line}: ${error.field}: ${error.message}${more}`)
}
