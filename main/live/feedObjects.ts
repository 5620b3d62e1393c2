import { builtInObjects } from '../../core/config/builtIn.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { neverRead } from './engineObjects.ts'
import type { FeedSpec } from '../../core/contract/live.ts'
import { NEWEST_VERSION } from '../../core/engine/profiles.ts'
import { ObjectStore } from '../../core/simulate/objects.ts'
import type { Connection } from '../cluster/connection.ts'
import type { ObjectGateway } from '../ports/objectGateway.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'
import { storedSet } from '../simulated/objects.ts'
import type { Environment } from '../ports/environment.ts'
import { followUpstreamObjects, type UpstreamObjects } from './upstreamObjects.ts'

const NO_CLUSTER =
  'The feed was opened without a cluster, so the engine uses the built-in objects. Add the kubeconfig of the server to use its objects.'
const READ_ONLY =
  'A feed only reports what happened on the server, so you cannot edit objects here. Run a draft beside it on the Live screen, or connect to the server to change its objects.'
/** UIDs of built-in objects are the same each time. */
const SEED = 1

interface FeedObjectsOptions {
  readonly spec: Pick<FeedSpec, 'version'>
  /** Connection to the cluster of the feed, if one was configured. */
  readonly connection: Connection | undefined
  readonly environment: Environment
  /** Initial objects, instead of the server's or the built-in ones. */
  readonly given: ObjectSet | undefined
  readonly signal: AbortSignal
}

/** The objects of the engine: the server's, if one was configured and they can be read, else the built-in ones. */
export interface FeedObjects {
  readonly version: string
  readonly now: ObjectSet
  onChange: () => void
  notes(): readonly string[]
  gateway(title: string): ObjectGateway
}

export async function followFeedObjects({
  spec,
  connection,
  environment,
  given,
  signal,
}: FeedObjectsOptions): Promise<FeedObjects> {
  let tell = (): void => undefined
  // The first reading arrives before anything is subscribed to changes.
  let changed = (): void => undefined
  const upstream: UpstreamObjects | undefined =
    connection === undefined || given !== undefined
      ? undefined
      : await followUpstreamObjects(connection, environment, signal, () => {
          changed()
          tell()
        })
  const version = spec.version ?? upstream?.version ?? NEWEST_VERSION
  // Objects that no server created get UIDs as a server would assign them.
  const builtIn = new ObjectStore(SEED).replace(given ?? builtInObjects(version))
  const builtInReading = (): ObjectsReading => ({ state: 'current', version, objects: storedSet(builtIn) })
  const objects: FeedObjects = {
    version,
    get now() {
      return upstream?.objects ?? builtIn
    },
    onChange: () => undefined,
    notes() {
      if (upstream === undefined) return given === undefined ? [NO_CLUSTER] : []
      return upstream.objects === undefined ? [neverRead(version, upstream.problem)] : []
    },
    gateway: (title) => ({
      origin: upstream === undefined ? 'feed' : 'cluster',
      target: upstream?.target ?? title,
      targetKey: upstream?.targetKey ?? title,
      start(ended, onReading) {
        tell = () => {
          if (!ended.aborted) onReading(upstream?.reading ?? builtInReading())
        }
        tell()
      },
      editor: { impossible: READ_ONLY },
    }),
  }
  changed = () => objects.onChange()
  return objects
}
