import type { ObjectSet } from '../../core/config/objects.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import { NEWEST_VERSION } from '../../core/engine/profiles.ts'
import { acceptable } from '../live/proposed.ts'
import type { Console } from './console.ts'
import { readConfiguration } from './manifestFiles.ts'
import { UsageError, type Given } from './usage.ts'

/** Objects that a live source is given by files. */
export interface GivenObjects {
  /** Those of `--config`, which are the whole configuration. */
  readonly config: ObjectSet | undefined
  /** Those of `--draft`, which are laid over the ones that the engine has. */
  readonly draft: ObjectSet | undefined
}

/** Reads `--config` and `--draft`; throws `ProblemError` for what no server would take, with its place. */
export async function givenObjects(given: Given, console: Console): Promise<GivenObjects> {
  const [config, draft] = [given.values('config'), given.values('draft')]
  if ([...config, ...draft].filter((file) => file === '-').length > 1) {
    throw new UsageError('Only one of the files of --config and --draft can be the standard input.')
  }
  const version = given.value('server-version') ?? NEWEST_VERSION
  const laidOver = await objectsOf(draft, version, console)
  return {
    config: await objectsOf(config, version, console),
    // Sizes that the engine cannot have are refused now, and not when it runs already.
    draft: laidOver && acceptable(laidOver, version),
  }
}

async function objectsOf(files: readonly string[], version: string, console: Console): Promise<ObjectSet | undefined> {
  if (files.length === 0) return undefined
  const { objects, findings } = await readConfiguration(files, { version, reading: console })
  const errors = findings.filter(({ severity }) => severity === 'error')
  const [error] = errors
  if (error !== undefined) {
    const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more; see apf-console validate)`
    throw new ProblemError('invalid-input', `${error.file}:${error.line}: ${error.field}: ${error.message}${more}`)
  }
  if (objects.levels.length + objects.schemas.length === 0) {
    throw new ProblemError('not-found', `${files.join(', ')} holds no FlowSchema and no PriorityLevelConfiguration.`)
  }
  return objects
}
