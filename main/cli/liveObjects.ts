import { plural } from '../../core/text/format.ts'
import { ProblemError, toProblem } from '../../core/errors.ts'
import { NEWEST_VERSION } from '../../core/engine/profiles.ts'
import type { LocatedFinding, ManifestDocument } from '../../core/manifest/manifest.ts'
import { builtInObjects } from '../../core/config/builtIn.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { sideOf } from '../../core/guard/changes.ts'
import { danglingIn } from '../../core/guard/schemaRails.ts'
import { applyManifests, type ApplyOptions } from '../../core/impact/applyManifests.ts'
import { acceptable } from '../live/proposed.ts'
import type { LiveTraffic } from '../ports/source.ts'
import type { ObjectGateway } from '../ports/objectGateway.ts'
import { storedSet } from '../simulated/objects.ts'
import { tellOnce, type Console } from './console.ts'
import { isError, readConfiguration, refuseEmpty, type Configuration } from './inputFiles.ts'
import { UsageError, type Given } from './usage.ts'

/** Objects that files supply to a live source. */
export interface GivenObjects {
  /** The objects of `--config`, which are the whole configuration. */
  readonly config: ObjectSet | undefined
  /** The manifests of `--draft`, which are applied to the engine's objects. */
  readonly draft: readonly ManifestDocument[] | undefined
}

/** Reads `--config` and `--draft`; throws `ProblemError` with the location of an object that a server would reject. */
export async function givenObjects(given: Given, console: Console): Promise<GivenObjects> {
  const [config, draft] = [given.values('config'), given.values('draft')]
  if ([...config, ...draft].filter((file) => file === '-').length > 1) {
    throw new UsageError('--config and --draft can read standard input only once.')
  }
  const version = given.value('server-version') ?? NEWEST_VERSION
  // A field that a draft's manifest lacks may exist in the object that it is applied to.
  const drafted = await configurationOf(draft, version, console, isMissing)
  // Sizes that the engine does not support are rejected before anything listens.
  if (drafted !== undefined && !drafted.findings.some(isMissing)) acceptable(drafted.objects, version)
  return {
    config: (await configurationOf(config, version, console))?.objects,
    draft: drafted?.files.flatMap(({ documents }) => documents),
  }
}

async function configurationOf(
  files: readonly string[],
  version: string,
  console: Console,
  /** Errors that are left for a later check. */
  later: (error: LocatedFinding) => boolean = () => false,
): Promise<Configuration | undefined> {
  if (files.length === 0) return undefined
  const configuration = await readConfiguration(files, { version, reading: console })
  refuseErrors(configuration.findings.filter((finding) => isError(finding) && !later(finding)))
  refuseEmpty(configuration, files)
  return configuration
}

/** Where the type of a level is missing, what goes with it is forbidden, too. */
const isMissing = ({ reason }: LocatedFinding): boolean =>
  reason === 'FieldValueRequired' || reason === 'FieldValueForbidden'

/** Throws `invalid-input` with the location of the first error, if there is one. */
export function refuseErrors(errors: readonly LocatedFinding[]): void {
  const [error] = errors
  if (error === undefined) return
  const more = plural(errors.length, '', ` (and ${errors.length - 1} more; see apf-console validate)`)
  const field = error.message.startsWith(error.field) ? '' : `${error.field}: `
  throw new ProblemError('invalid-input', `${error.file}:${error.line}: ${field}${error.message}${more}`)
}

interface DraftedSource {
  readonly live: Pick<LiveTraffic, 'version' | 'candidate'>
  readonly objects: Pick<ObjectGateway, 'start'>
}

interface DraftSurroundings {
  /** The origin of the engine's objects. */
  readonly before: ApplyOptions['before']
  /** Stops following newer objects. */
  readonly signal: AbortSignal
  readonly tell: (sentence: string) => void
}

/**
 * Runs a draft beside the engine: the result of `kubectl apply` of its manifests to the engine's objects, and to newer
 * ones whenever these change. Throws `invalid-input` when a server would reject the result.
 */
export function runDraftBeside(
  draft: readonly ManifestDocument[],
  { live, objects }: DraftedSource,
  { before, signal, tell }: DraftSurroundings,
): void {
  // The engine's objects for as long as those of its server cannot be read.
  let base: ObjectSet = builtInObjects(live.version)
  let runs = false
  const note = tellOnce(tell)
  objects.start(signal, ({ state, objects: read }) => {
    if (state === 'current' || state === 'stale') base = read
    const applied = applyManifests(base, draft, { version: live.version, before })
    try {
      const own = draft.flatMap(({ findings }) => findings.filter(isError))
      refuseErrors([...own.filter((error) => !applied.supplied.has(error)), ...applied.findings])
      live.candidate({ on: true, objects: storedSet(applied.objects) })
      runs = true
    } catch (error) {
      if (!runs) throw error
      return tell(`The draft still runs on the previous objects: ${toProblem(error).message}`)
    }
    for (const sentence of withoutLevel(draft, applied.objects)) note(sentence)
  })
}

/** Schemas of the draft that have no effect, in sentences. */
function withoutLevel(draft: readonly ManifestDocument[], applied: ObjectSet): readonly string[] {
  const drafted = new Set(draft.flatMap(({ checked }) => (checked?.kind === 'FlowSchema' ? [checked.name] : [])))
  return danglingIn(sideOf(applied))
    .filter(({ schema }) => drafted.has(schema))
    .map(({ schema, level, refused }) => {
      const why = refused === undefined ? 'does not exist' : `flow control ignores because ${refused}`
      return `FlowSchema ${schema} of the draft references ${level}, which ${why}; its requests go to the next schema that matches.`
    })
}
