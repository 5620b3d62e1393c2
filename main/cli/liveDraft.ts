import { builtInObjects } from '../../core/config/builtInByVersion.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { toProblem } from '../../core/contract/errors.ts'
import { sideOf } from '../../core/guard/rail.ts'
import { danglingIn } from '../../core/guard/referencesRail.ts'
import { applyManifests, type ApplyOptions } from '../../core/impact/applyManifests.ts'
import type { ManifestDocument } from '../../core/manifest/manifest.ts'
import type { LiveTraffic } from '../ports/source.ts'
import type { ObjectDoor } from '../ports/objectDoor.ts'
import { storedSet } from '../simulated/objects.ts'
import { refuseErrors } from './liveObjects.ts'

interface DraftedSource {
  readonly live: Pick<LiveTraffic, 'version' | 'shadow'>
  readonly objects: Pick<ObjectDoor, 'start'>
}

interface DraftSurroundings {
  /** How the objects of the engine came about. */
  readonly before: ApplyOptions['before']
  /** Ends the following of newer objects. */
  readonly signal: AbortSignal
  readonly tell: (sentence: string) => void
}

/**
 * Runs a draft beside the engine: what `kubectl apply` of its manifests makes of the objects that the engine has, and of
 * newer ones whenever these change. Throws `invalid-input` where no server would take the result.
 */
export function runDraftBeside(
  draft: readonly ManifestDocument[],
  { live, objects }: DraftedSource,
  { before, signal, tell }: DraftSurroundings,
): void {
  // What the engine has for as long as its server's objects cannot be read.
  let base: ObjectSet = builtInObjects(live.version)
  let runs = false
  const told = new Set<string>()
  objects.start(signal, ({ state, objects: read }) => {
    if (state === 'current' || state === 'stale') base = read
    const applied = applyManifests(base, draft, { version: live.version, before })
    try {
      refuseErrors(applied.findings)
      live.shadow({ on: true, objects: storedSet(applied.objects) })
      runs = true
    } catch (error) {
      if (!runs) throw error
      return tell(`The draft runs over the objects as they were: ${toProblem(error).message}`)
    }
    for (const sentence of withoutLevel(draft, applied.objects)) {
      if (!told.has(sentence)) tell(sentence)
      told.add(sentence)
    }
  })
}

/** Schemas of the draft without effect, in sentences. */
function withoutLevel(draft: readonly ManifestDocument[], applied: ObjectSet): readonly string[] {
  const drafted = new Set(draft.flatMap(({ checked }) => (checked?.kind === 'FlowSchema' ? [checked.name] : [])))
  return danglingIn(sideOf(applied))
    .filter(({ schema }) => drafted.has(schema))
    .map(({ schema, level, refused }) => {
      const why = refused === undefined ? 'does not exist' : `flow control does without because ${refused}`
      return `FlowSchema ${schema} of the draft leads to ${level}, which ${why}; its requests go to the next schema that matches.`
    })
}
