import { builtInObjects } from '../../core/config/builtIn.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { ProblemError } from '../../core/errors.ts'
import { ObjectStore } from '../../core/simulate/objects.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'
import { type ObjectGateway, type ObjectEditor, verdictOf } from '../../main/ports/objectGateway.ts'
import { createSimulatedObjects } from '../../main/simulated/objects.ts'

export const STORY_VERSION = 'v1.36.3'

/** The built-in objects on a server in memory that outlives its connections. */
export interface StoryObjects {
  readonly gateway: ObjectGateway
  /** The objects in force. */
  readonly now: () => ObjectSet
  /** Another client changes the objects. */
  write(change: (objects: ObjectSet) => ObjectSet): void
  /** Emits another state of the objects: loading, stale, or unreadable. */
  tell(facts: Partial<ObjectsReading>): void
  /** The server stops responding, or responds again. */
  setBroken(broken: boolean): void
}

export interface StoryObjectsOptions extends Partial<Pick<ObjectGateway, 'origin' | 'target'>> {
  /** Why nothing can be applied. */
  readonly impossible?: string
}

export function storyObjects(
  { origin = 'cluster', target = 'prod-eu-1', impossible }: StoryObjectsOptions,
  now: () => number,
  onChange: (objects: ObjectSet) => void,
): StoryObjects {
  const store = new ObjectStore(1)
  store.replace(builtInObjects(STORY_VERSION))
  let facts: Partial<ObjectsReading> = {}
  let broken = false
  const adopt = (objects: ObjectSet): void => {
    onChange(store.replace(objects))
    server.changed()
  }
  const server = createSimulatedObjects({
    target,
    targetKey: target,
    version: STORY_VERSION,
    objects: () => store.objects,
    adopt,
    now: () => new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z'),
  })
  return {
    gateway: {
      ...server,
      origin,
      fleeting: false,
      start: (signal, onReading) => server.start(signal, (reading) => onReading({ ...reading, ...facts })),
      editor:
        impossible !== undefined || 'impossible' in server.editor
          ? { impossible: impossible ?? '' }
          : breakable(server.editor, () => broken),
    },
    now: () => store.objects,
    write: (change) => adopt(change(store.objects)),
    tell(next) {
      facts = { ...facts, ...next }
      server.changed()
    },
    setBroken: (next) => void (broken = next),
  }
}

const SILENT = { code: 'unreachable', message: 'prod-eu-1 does not answer.' } as const

/** Fails as the editor of a cluster does (`main/cluster/writeObjects.ts`). */
function breakable(editor: ObjectEditor, broken: () => boolean): ObjectEditor {
  const answered = async <T>(answer: () => Promise<T>): Promise<T> => {
    if (broken()) throw new ProblemError(SILENT.code, SILENT.message)
    return answer()
  }
  return {
    access: () => answered(() => editor.access()),
    read: (change) => answered(() => editor.read(change)),
    check: async (change) => (broken() ? verdictOf(change, 'failed', { problem: SILENT }) : editor.check(change)),
    apply: async (change, force, announce) =>
      broken() ? { verdict: verdictOf(change, 'failed', { problem: SILENT }) } : editor.apply(change, force, announce),
  }
}
