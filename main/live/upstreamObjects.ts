import type { ObjectSet } from '../../core/config/objects.ts'
import type { Problem } from '../../core/errors.ts'
import { createClusterObjects } from '../cluster/clusterObjects.ts'
import type { Connection } from '../cluster/connection.ts'
import { NOTHING_READ } from '../ports/objectGateway.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'
import type { Environment } from '../ports/environment.ts'

/** The flow-control objects of the server behind a live source, as far as they can be read. */
export interface UpstreamObjects {
  /** The state of their reading, for display. */
  readonly reading: ObjectsReading
  /** `prod-eu-1 (https://10.20.0.10:6443)`, and its stable name among drafts. */
  readonly target: string
  readonly targetKey: string
  /** gitVersion, if the server reports it. */
  readonly version: string | undefined
  /** `undefined` until they were read once. */
  readonly objects: ObjectSet | undefined
  /** Why they are unknown, or possibly out of date. */
  readonly problem: Problem | undefined
  /** Names by UID, of objects of both kinds. */
  readonly names: ReadonlyMap<string, string>
}

/** How long to wait for the first list; a slower server is served without it. */
const FIRST_MS = 10_000
/** Additional wait for a server that answers but has not reported its version. */
const VERSION_MS = 3_000

/**
 * Lists and watches the objects through a connection until the signal aborts. Resolves once they were read, or cannot
 * be read, or after ten seconds; `onChange` is called whenever they change from then on.
 */
export function followUpstreamObjects(
  connection: Connection,
  environment: Environment,
  signal: AbortSignal,
  onChange: () => void,
): Promise<UpstreamObjects> {
  const gateway = createClusterObjects(connection, environment)
  let reading: ObjectsReading = { state: 'loading', objects: NOTHING_READ }
  let version: string | undefined
  let objects: ObjectSet | undefined
  let names: ReadonlyMap<string, string> = new Map()
  const following: UpstreamObjects = {
    target: gateway.target,
    targetKey: gateway.targetKey,
    get reading() {
      return reading
    },
    get version() {
      return version
    },
    get objects() {
      return objects
    },
    get problem() {
      return reading.problem
    },
    get names() {
      return names
    },
  }
  return new Promise((resolve) => {
    let cancel = environment.after(FIRST_MS, () => resolve(following))
    let waitsFor = FIRST_MS
    const within = (ms: number): void => {
      if (ms >= waitsFor) return
      waitsFor = ms
      cancel()
      cancel = environment.after(ms, () => resolve(following))
    }
    gateway.start(signal, (next) => {
      reading = next
      version = next.version ?? version
      const readable = next.state === 'current' || next.state === 'stale'
      if (readable) {
        objects = next.objects
        names = namesOf(objects, names)
      }
      onChange()
      // The version comes with a separate answer, a moment later than the lists.
      if (next.state === 'unavailable' || readable) within(version === undefined ? VERSION_MS : 0)
    })
  })
}

/** Deleted objects keep their names: answers that were under way still contain their UIDs. */
const MOST_NAMES = 20_000

function namesOf({ levels, schemas }: ObjectSet, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const names = new Map(before.size > MOST_NAMES ? [] : before)
  for (const { metadata } of [...levels, ...schemas]) {
    if (metadata.uid !== undefined) names.set(metadata.uid, metadata.name)
  }
  return names
}
