import type { ErrorCode, Problem } from '../../core/errors.ts'
import type { Stored } from '../../core/config/schema.ts'
import type { Kind } from '../../core/config/objects.ts'
import type { Environment } from '../ports/environment.ts'
import { createPause } from '../ports/pause.ts'
import type { ClusterApi } from './clusterApi.ts'
import type { Failed } from './http.ts'
import { listObjects } from './listObjects.ts'
import { LASTS_SECONDS, watchObjects, type WatchEvent } from './watchObjects.ts'

/** The current state of all objects of one kind. */
export interface Reflection<K extends Kind> {
  /** By name; absent before the first list. */
  readonly objects?: ReadonlyMap<string, Stored<K>>
  /** Unix milliseconds of the last confirmation of this state. */
  readonly seenAt?: number
  /** Names of objects that could not be parsed. */
  readonly strange: readonly string[]
  /** Why it is not known whether the state is still current; absent while the watch is open. */
  readonly problem?: Problem
}

export interface Reflector<K extends Kind> {
  readonly now: Reflection<K>
  start(signal: AbortSignal): void
  /** Ends the current pause. */
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
  /** Lists again after this many milliseconds instead of watching. */
  readonly relistMs?: number
  /** Called after every list: the server may be another one. */
  readonly onListed: () => void
}

/** Failures after which the version may still be valid on the server. */
const OF_THE_NETWORK: ReadonlySet<ErrorCode> = new Set(['unreachable', 'timeout'])
/** A missing permission rarely comes back soon. */
const FORBIDDEN_RETRY_MS = 60_000
/** A watch that ends sooner, even without an error, is not restarted immediately. */
const SHORTEST_WATCH_MS = 1_000

/**
 * Mirrors the objects of one kind from the server: lists them, then watches from the version of the list. A watch that
 * ends is resumed from the last version received; if the server no longer has that version, a new list begins. After
 * failures the pauses grow (`backoffMs`), and the last state is kept.
 */
export function createReflector<K extends Kind>(options: ReflectorOptions<K>): Reflector<K> {
  const { kind, api, environment, onChange, relistMs } = options
  const objects = new Map<string, Stored<K>>()
  let now: Reflection<K> = { strange: [] }
  /** Where a watch begins; absent: begin with a list. */
  let version: string | undefined
  let failures = 0
  const pause = createPause(environment)

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
    if (relistMs !== undefined) {
      version = undefined
      failures = 0
      await pause.wait(relistMs, signal)
    }
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
    const end = await api.ask((context) =>
      watchObjects(kind, context, { resourceVersion: from, lasts: LASTS_SECONDS, signal }, take),
    )
    if (!end.ok) {
      // A network failure leaves the version valid; a server that refused may no longer have it.
      if (!OF_THE_NETWORK.has(end.problem.code)) version = undefined
      return end
    }
    if (end.expired) version = undefined
    const lasted = environment.now() - began
    if (lasted < SHORTEST_WATCH_MS) await pause.wait(SHORTEST_WATCH_MS - lasted, signal)
    return undefined
  }
  const follow = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const failed = version === undefined ? await list(signal) : await watch(version, signal)
      if (signal.aborted) return
      if (failed === undefined) continue
      failures++
      now = { ...now, problem: failed.problem }
      onChange()
      const wait = backoffMs(failures, () => environment.random(), failed.retryAfterMs)
      await pause.wait(failed.problem.code === 'forbidden' ? Math.max(FORBIDDEN_RETRY_MS, wait) : wait, signal)
    }
  }
  return {
    get now() {
      return now
    },
    start: (signal) => void follow(signal),
    tryNow: pause.end,
  }
}

/** Pauses between failed attempts, milliseconds; the last one repeats. */
const STEPS_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000] as const
/** A server may request a longer pause by Retry-After, up to this. */
const LONGEST_WISH_MS = 300_000

/**
 * The pause before the next attempt, milliseconds, after `failures` (≥ 1) failures in a row. Randomized by up to a
 * fifth either way, so that consoles that lost the same server do not return together. `wishMs` is the pause that the
 * server requested; it is used when it is longer.
 */
export function backoffMs(failures: number, random: () => number, wishMs = 0): number {
  const step = STEPS_MS[Math.min(failures, STEPS_MS.length) - 1] ?? STEPS_MS[0]
  const jittered = step * (0.8 + 0.4 * random())
  return Math.round(Math.max(jittered, Math.min(wishMs, LONGEST_WISH_MS)))
}
