import { builtInObjects } from '../../core/config/builtInByVersion.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { toProblem } from '../../core/contract/errors.ts'
import { sideOf } from '../../core/guard/rail.ts'
import { danglingIn } from '../../core/guard/referencesRail.ts'
import { withEdit } from '../../core/impact/applyEdit.ts'
import type { LiveTraffic } from '../live/traffic.ts'
import type { ObjectDoor } from '../sources/objectDoor.ts'
import { storedSet } from '../sources/simulation/objects.ts'

interface DraftedSource {
  readonly live: Pick<LiveTraffic, 'version' | 'shadow'>
  readonly objects: Pick<ObjectDoor, 'start'>
}

interface DraftSurroundings {
  /** Until when newer objects are heard of. */
  readonly signal: AbortSignal
  readonly tell: (sentence: string) => void
}

/**
 * Runs a draft beside the engine: its objects laid over those that the engine has, and over the newer ones whenever these
 * change. Throws `invalid-input` where no server would take the result.
 */
export function runDraftBeside(
  draft: ObjectSet,
  { live, objects }: DraftedSource,
  { signal, tell }: DraftSurroundings,
): void {
  // What the engine has for as long as its server's objects cannot be read.
  let base: ObjectSet = builtInObjects(live.version)
  let runs = false
  const told = new Set<string>()
  objects.start(signal, ({ state, objects: read }) => {
    if (state === 'current' || state === 'stale') base = read
    const laid = withEdit(base, draft)
    try {
      live.shadow({ on: true, objects: storedSet(laid) })
      runs = true
    } catch (error) {
      if (!runs) throw error
      return tell(`The draft runs over the objects as they were: ${toProblem(error).message}`)
    }
    for (const sentence of withoutLevel(draft, laid)) {
      if (!told.has(sentence)) tell(sentence)
      told.add(sentence)
    }
  })
}

/** Schemas of the draft without effect, in sentences. */
function withoutLevel(draft: ObjectSet, laid: ObjectSet): readonly string[] {
  const drafted = new Set(draft.schemas.map(({ metadata }) => metadata.name))
  return danglingIn(sideOf(laid))
    .filter(({ schema }) => drafted.has(schema))
    .map(({ schema, level, refused }) => {
      const why = refused === undefined ? 'does not exist' : `flow control does without because ${refused}`
      return `FlowSchema ${schema} of the draft leads to ${level}, which ${why}; its requests go to the next schema that matches.`
    })
}
