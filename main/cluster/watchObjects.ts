import { z } from 'zod'
import type { Kind } from '../../core/config/objects.ts'
import type { ReviewContext } from './accessReview.ts'
import { collectionUrl } from './clusterApi.ts'
import { send, type Failed } from './http.ts'
import type { HttpLimits } from './httpProblems.ts'
import { readStored, type Stored } from '../../core/config/stored.ts'

/** What a watch tells. */
export type WatchEvent<K extends Kind> =
  /** It stands: what changed since the version that it began from is on its way. */
  | { readonly type: 'open' }
  | { readonly type: 'put'; readonly object: Stored<K>; readonly resourceVersion: string }
  | { readonly type: 'gone'; readonly name: string; readonly resourceVersion: string }
  /** Nothing changed up to this version. */
  | { readonly type: 'bookmark'; readonly resourceVersion: string }

/** How a watch ended. `expired`: the server does not remember the version any more (410), so the list is read anew. */
export type WatchEnd = { readonly ok: true; readonly expired: boolean } | Failed

/** A server ends watches by itself; sooner than it would, so that who watches is spread over the servers. */
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
/** etcd holds no larger object. */
const LONGEST_LINE = 4 * 1024 * 1024

const EventSchema = z.object({ type: z.string(), object: z.unknown() })
const VersionedSchema = z.object({ metadata: z.object({ name: z.string().optional(), resourceVersion: z.string() }) })
const StatusSchema = z.object({ code: z.number().optional(), message: z.string().optional() })

/** Watches one kind from a version on until the server, the network or the signal ends it. */
export async function watchObjects<K extends Kind>(
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
    ended ??= take(kind, url, line, onEvent)
    return ended === undefined
  })
  const answer = await send(
    { url, settings, limits: LIMITS, accept: 'application/json', signal, onHead: () => onEvent({ type: 'open' }) },
    (piece) => {
      if (!lines.push(piece)) return 'enough'
      if (lines.held() <= LONGEST_LINE) return undefined
      ended = strange(url, 'sent an event that is too long')
      return 'enough'
    },
  )
  if (ended !== undefined) return ended
  if (answer.ok) return { ok: true, expired: false }
  return answer.status === 410 ? { ok: true, expired: true } : answer
}

/** Tells one line; returns how the watch ended when the line ends it. */
function take<K extends Kind>(
  kind: K,
  url: URL,
  line: string,
  onEvent: (event: WatchEvent<K>) => void,
): WatchEnd | undefined {
  const event = EventSchema.safeParse(parseJson(line)).data
  if (event === undefined) return strange(url, 'sent something in its watch that is no event')
  if (event.type === 'ERROR') {
    const status = StatusSchema.safeParse(event.object).data
    if (status?.code === 410) return { ok: true, expired: true }
    return strange(url, `ended its watch: ${status?.message ?? 'it does not say why'}`)
  }
  const versioned = VersionedSchema.safeParse(event.object).data
  if (versioned === undefined) return strange(url, 'sent an object without a version in its watch')
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

const strange = (url: URL, what: string): Failed => ({
  ok: false,
  status: 200,
  problem: { code: 'bad-answer', message: `${url.host} ${what}.` },
})

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Puts pieces together to lines; `onLine` returns whether it wants more. */
function createLines(onLine: (line: string) => boolean) {
  const decoder = new TextDecoder()
  let rest = ''
  return {
    /** `false` when nobody wants more. */
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
