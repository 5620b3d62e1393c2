import type { ErrorCode, Problem } from '../../core/contract/errors.ts'
import type { Kind } from '../../core/config/objects.ts'
import { backoffMs } from './backoff.ts'
import type { Environment } from '../ports/environment.ts'
import type { ClusterApi } from './clusterApi.ts'
import type { Failed } from './http.ts'
import type { Stored } from '../../core/config/stored.ts'
import { listObjects } from './listObjects.ts'
import { watchObjects, type WatchEvent } from './watchObjects.ts'

/** What is known of all objects of one kind. */
export interface Reflection<K extends Kind> {
  /** By name; absent before the first list. */
  readonly objects?: ReadonlyMap<string, Stored<K>>
  /** Unix milliseconds of the last sign that they are these. */
  readonly seenAt?: number
  /** Names of objects that could not be understood. */
  readonly strange: readonly string[]
  /** Why it is not known whether they still are; absent while the watch stands. */
  readonly problem?: Problem
}

export interface Reflector<K extends Kind> {
  readonly now: Reflection<K>
  start(signal: AbortSignal): void
  /** Ends the present pause. */
  tryNow(): void
}

export interface ReflectorOptions<K extends Kind> {
  readonly kind: K
  readonly api: ClusterApi
  readonly environment: Environment
  /** Called for each object at each version. */
  readonly see: (object: Stored<K>) => void
  /** Called when `now` has changed. */
  readonly onChange: () => void
  /** Called after every list: the server may be another one. */
  readonly onListed: () => void
}

/** Failures after which the version can still be known to the server. */
const OF_THE_NETWORK: ReadonlySet<ErrorCode> = new Set(['unreachable', 'timeout'])
/** A permission does not come back by itself soon. */
const FORBIDDEN_RETRY_MS = 60_000
/** A watch that ends sooner, although nothing went wrong, is not begun again at once. */
const SHORTEST_WATCH_MS = 1_000

/**
 * Keeps the objects of one kind as they are on the server: lists them, then watches from the version of the list. A watch
 * that ends is taken up from the last version that was told; one whose version the server forgot begins with a new list.
 * After failures the pauses grow (`backoffMs`), and what was read last stays known.
 */
export function createReflector<K extends Kind>(options: ReflectorOptions<K>): Reflector<K> {
  const { kind, api, environment, onChange } = options
  const objects = new Map<string, Stored<K>>()
  let now: Reflection<K> = { strange: [] }
  /** Where a watch begins; absent: with a list. */
  let version: string | undefined
  let failures = 0
  let goNow: (() => void) | undefined

  const known = (problem?: Problem): void => {
    now = { objects, seenAt: environment.now(), strange: now.strange, ...(problem && { problem }) }
  }
  const put = (object: Stored<K>): void => {
    objects.set(object.metadata.name, object)
    options.see(object)
  }
  const list = async (signal: AbortSignal): Promise<Failed | undefined> => {
    const listed = await api.ask((context) => listObjects(kind, context, signal))
    if (!listed.ok) return listed
    objects.clear()
    for (const item of listed.items) put(item)
    version = listed.resourceVersion
    now = { ...now, strange: listed.strange }
    known()
    options.onListed()
    onChange()
    return undefined
  }
  const take = (event: WatchEvent<K>): void => {
    const troubled = now.problem !== undefined
    if (event.type !== 'open') version = event.resourceVersion
    if (event.type === 'put') put(event.object)
    if (event.type === 'gone') objects.delete(event.name)
    failures = 0
    known()
    if (troubled || event.type === 'put' || event.type === 'gone') onChange()
  }
  const watch = async (from: string, signal: AbortSignal): Promise<Failed | undefined> => {
    const began = environment.now()
    const end = await api.ask((context) => watchObjects(kind, context, from, signal, take))
    if (!end.ok) {
      // A network that failed says nothing of the version; a server that refused may not know it any more.
      if (!OF_THE_NETWORK.has(end.problem.code)) version = undefined
      return end
    }
    if (end.expired) version = undefined
    const lasted = environment.now() - began
    if (lasted < SHORTEST_WATCH_MS) await pause(SHORTEST_WATCH_MS - lasted, signal)
    return undefined
  }
  const pause = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        cancel()
        signal.removeEventListener('abort', end)
        goNow = undefined
        resolve()
      }
      const cancel = environment.after(ms, end)
      signal.addEventListener('abort', end, { once: true })
      goNow = end
    })
  const follow = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const failed = version === undefined ? await list(signal) : await watch(version, signal)
      if (signal.aborted) return
      if (failed === undefined) continue
      failures++
      now = { ...now, problem: failed.problem }
      onChange()
      const wait = backoffMs(failures, () => environment.random(), failed.retryAfterMs)
      await pause(failed.problem.code === 'forbidden' ? Math.max(FORBIDDEN_RETRY_MS, wait) : wait, signal)
    }
  }
  return {
    get now() {
      return now
    },
    start: (signal) => void follow(signal),
    tryNow: () => goNow?.(),
  }
}
