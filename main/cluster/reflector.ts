import { z } from 'zod'
import type { ErrorCode, Problem } from '../../core/contract/errors.ts'
import { type Stored, readStored } from '../../core/config/schema.ts'
import type { Kind } from '../../core/config/objects.ts'
import type { Environment } from '../ports/environment.ts'
import { createPause } from '../ports/pause.ts'
import { type ClusterApi, collectionUrl } from './clusterApi.ts'
import { type Failed, send, getJson } from './http.ts'
import type { HttpLimits } from './httpProblems.ts'
import type { ReviewContext } from './accessReview.ts'
import { parseJson } from '../../core/text/text.ts'

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
    const end = await api.ask((context) => watchObjects(kind, context, from, signal, take))
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

/** An event of a watch. */
type WatchEvent<K extends Kind> =
  /** The watch is open: the changes since its start version follow. */
  | { readonly type: 'open' }
  | { readonly type: 'put'; readonly object: Stored<K>; readonly resourceVersion: string }
  | { readonly type: 'gone'; readonly name: string; readonly resourceVersion: string }
  /** Nothing changed up to this version. */
  | { readonly type: 'bookmark'; readonly resourceVersion: string }

/** How a watch ended. `expired`: the server no longer has the version (410), so the list is read anew. */
type WatchEnd = { readonly ok: true; readonly expired: boolean } | Failed

/** Shorter than the server's own limit for watches, so that clients spread over the servers. */
const LASTS_SECONDS = 300
const LIMITS: HttpLimits = {
  connectMs: 5_000,
  firstByteMs: 10_000,
  // A server sends a bookmark about every minute.
  idleMs: 150_000,
  totalMs: (LASTS_SECONDS + 30) * 1_000,
  maxWireBytes: 128 * 1024 * 1024,
  maxBytes: 128 * 1024 * 1024,
}
/** etcd stores no larger object. */
const LONGEST_LINE = 4 * 1024 * 1024

const EventSchema = z.object({ type: z.string(), object: z.unknown() })
const VersionedSchema = z.object({ metadata: z.object({ name: z.string().optional(), resourceVersion: z.string() }) })
const StatusSchema = z.object({ code: z.number().optional(), message: z.string().optional() })

/** Watches one kind from a version on until the server, the network or the signal ends it. */
async function watchObjects<K extends Kind>(
  kind: K,
  { base, settings }: ReviewContext,
  resourceVersion: string,
  signal: AbortSignal,
  onEvent: (event: WatchEvent<K>) => void,
): Promise<WatchEnd> {
  const url = collectionUrl(base, kind, {
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds: String(LASTS_SECONDS),
  })
  let ended: WatchEnd | undefined
  const lines = createLines((line) => {
    ended ??= takeLine(kind, url, line, onEvent)
    return ended === undefined
  })
  const answer = await send(
    { url, settings, limits: LIMITS, accept: 'application/json', signal, onHead: () => onEvent({ type: 'open' }) },
    (piece) => {
      if (!lines.push(piece)) return 'enough'
      if (lines.held() <= LONGEST_LINE) return undefined
      ended = badAnswer(url, 'sent an event that is too long')
      return 'enough'
    },
  )
  if (ended !== undefined) return ended
  if (answer.ok) return { ok: true, expired: false }
  return answer.status === 410 ? { ok: true, expired: true } : answer
}

/** Emits the event of one line; returns how the watch ended if the line ends it. */
function takeLine<K extends Kind>(
  kind: K,
  url: URL,
  line: string,
  onEvent: (event: WatchEvent<K>) => void,
): WatchEnd | undefined {
  const event = EventSchema.safeParse(parseJson(line)).data
  if (event === undefined) return badAnswer(url, 'sent invalid data in its watch')
  if (event.type === 'ERROR') {
    const status = StatusSchema.safeParse(event.object).data
    if (status?.code === 410) return { ok: true, expired: true }
    return badAnswer(url, `ended its watch: ${status?.message ?? 'no reason given'}`)
  }
  const versioned = VersionedSchema.safeParse(event.object).data
  if (versioned === undefined) return badAnswer(url, 'sent an object without a version in its watch')
  const { name = '', resourceVersion } = versioned.metadata
  if (event.type === 'BOOKMARK') onEvent({ type: 'bookmark', resourceVersion })
  else if (event.type === 'DELETED') onEvent({ type: 'gone', name, resourceVersion })
  else {
    const object = readStored(kind, event.object)
    if (object === undefined) onEvent({ type: 'gone', name, resourceVersion })
    else onEvent({ type: 'put', object, resourceVersion })
  }
  return undefined
}

const badAnswer = (url: URL, what: string): Failed => ({
  ok: false,
  status: 200,
  problem: { code: 'bad-answer', message: `${url.host} ${what}.` },
})

/** Joins chunks into lines; `onLine` returns whether to continue. */
function createLines(onLine: (line: string) => boolean) {
  const decoder = new TextDecoder()
  let rest = ''
  return {
    /** `false` when no more is needed. */
    push(piece: Uint8Array): boolean {
      const [first = '', ...others] = decoder.decode(piece, { stream: true }).split('\n')
      const last = others.pop()
      if (last === undefined) {
        rest += first
        return true
      }
      const lines = [rest + first, ...others]
      rest = last
      return lines.every((line) => line.trim() === '' || onLine(line))
    },
    held: () => rest.length,
  }
}

interface Listed<K extends Kind> {
  readonly ok: true
  readonly items: readonly Stored<K>[]
  readonly resourceVersion: string
  /** Names of objects that could not be parsed. */
  readonly strange: readonly string[]
}

const PAGE = 500
/** No cluster has that many; a server that never ends its list is stopped. */
const MOST_PAGES = 40

const ListSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional() }),
  items: z.array(z.unknown()).nullable(),
})

/** All objects of one kind, page by page; a list that expires meanwhile (410) is a failure like any other. */
export async function listObjects<K extends Kind>(
  kind: K,
  { base, settings }: ReviewContext,
  signal?: AbortSignal,
): Promise<Listed<K> | Failed> {
  const items: Stored<K>[] = []
  const strange: string[] = []
  let next = ''
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { limit: String(PAGE), ...(next !== '' && { continue: next }) }
    const url = collectionUrl(base, kind, query)
    const answer = await getJson({ url, settings, ...(signal && { signal }) })
    if (!answer.ok) return answer
    const parsed = ListSchema.safeParse(answer.value)
    if (!parsed.success) {
      return {
        ok: false,
        status: 200,
        problem: {
          code: 'bad-answer',
          message: `The list of ${kind} objects from ${url.host} has no items; check that the address is that of an API server.`,
        },
      }
    }
    for (const item of parsed.data.items ?? []) {
      const stored = readStored(kind, item)
      if (stored === undefined) strange.push(nameOf(item))
      else items.push(stored)
    }
    const { resourceVersion } = parsed.data.metadata
    next = parsed.data.metadata.continue ?? ''
    if (next === '') return { ok: true, items, resourceVersion, strange }
  }
  return {
    ok: false,
    status: 200,
    problem: {
      code: 'too-large',
      message: `There are more than ${PAGE * MOST_PAGES} ${kind} objects; the console does not read that many.`,
    },
  }
}

const NamedSchema = z.object({ metadata: z.object({ name: z.string() }) })
const nameOf = (item: unknown): string => NamedSchema.safeParse(item).data?.metadata.name ?? 'without a name'

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
