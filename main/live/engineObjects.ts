import { plural } from '../../core/text/format.ts'
import type { Problem } from '../../core/errors.ts'
import { randomUUID } from 'node:crypto'
import { builtInObjects } from '../../core/config/builtIn.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { LocalObjects } from '../../core/live/localObjects.ts'
import { ObjectStore } from '../../core/simulate/objects.ts'
import { createSimulatedObjects, type SimulatedObjects } from '../simulated/objects.ts'
import type { UpstreamObjects } from './upstreamObjects.ts'

export interface EngineObjectsOptions {
  /** `proxy in front of prod-eu-1`. */
  readonly target: string
  /** gitVersion by whose rules edits are validated. */
  readonly version: string
  /** The objects of the server, if the engine begins with them. */
  readonly upstream: UpstreamObjects | undefined
  /** Initial objects instead of the server's or the built-in ones. */
  readonly given: ObjectSet | undefined
  /** Puts objects in force. */
  readonly configure: (objects: ObjectSet) => void
  /** Unix milliseconds. */
  readonly now: () => number
}

/** The objects of an engine on live traffic: the server's, or built-in ones, with the edits made here. */
export interface EngineObjects {
  readonly gateway: SimulatedObjects
  /** The server's objects may have changed. */
  follow(): void
  /** Sentences: where the objects come from, unless they are the server's. */
  notes(): string[]
}

const SEED = 1

export function createEngineObjects(options: EngineObjectsOptions): EngineObjects {
  const { target, version, given, configure } = options
  const upstream = given === undefined ? options.upstream : undefined
  // Objects that no server created get UIDs as a server would assign them.
  const builtIn = new ObjectStore(SEED).replace(given ?? builtInObjects(version))
  const local = new LocalObjects(given === undefined ? (upstream?.objects ?? builtIn) : builtIn, () => randomUUID())
  const adopt = (objects: ObjectSet): void => {
    configure(objects)
    gateway.changed()
  }
  const gateway = createSimulatedObjects({
    origin: 'proxy',
    judge: `The ${target}`,
    target,
    targetKey: target,
    version,
    objects: () => local.objects,
    adopt: (wanted) => adopt(local.replace(wanted)),
    now: () => new Date(options.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
  })
  configure(local.objects)
  let followed = upstream?.objects
  return {
    gateway,
    follow() {
      if (upstream?.objects === undefined || upstream.objects === followed) return
      followed = upstream.objects
      adopt(local.follow(followed))
    },
    notes() {
      const { edited } = local
      const reading = upstream === undefined ? undefined : readingNote(upstream, version)
      const edits =
        edited.length === 0
          ? undefined
          : `${plural(edited.length, 'One object is', `${edited.length} objects are`)} edited here and not on the server: ${edited.slice(0, 5).join(', ')}${edited.length > 5 ? ', …' : ''}.`
      return [reading, edits].filter((note) => note !== undefined)
    },
  }
}

/** Whether the objects are unknown, or possibly out of date. */
function readingNote({ objects, problem }: UpstreamObjects, version: string): string | undefined {
  if (objects === undefined) return neverRead(version, problem)
  if (problem === undefined) return undefined
  return `Cannot read the objects of the server now, so the engine keeps the last ones that were read. ${problem.message}`
}

export const neverRead = (version: string, problem: Problem | undefined): string =>
  `Cannot read the objects of the server, so the engine uses the built-in ones of ${version}. ${problem?.message ?? ''}`.trim()
