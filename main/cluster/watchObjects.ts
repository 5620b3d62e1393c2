import { z } from 'zod'
import { type Stored, readStored } from '../../core/config/schema.ts'
import type { Kind } from '../../core/config/objects.ts'
import { parseJson } from '../../core/text/text.ts'
import type { ReviewContext } from './accessReview.ts'
import { collectionUrl } from './clusterApi.ts'
import { type Failed, send } from './http.ts'
import type { HttpLimits } from './httpProblems.ts'

export type WatchEvent<K extends Kind> =
  /** The watch is open: the changes since its start version follow. */
  | { readonly type: 'open' }
  | { readonly type: 'put'; readonly object: Stored<K>; readonly resourceVersion: string }
  | { readonly type: 'gone'; readonly name: string; readonly resourceVersion: string }
  /** Nothing changed up to this version. */
  | { readonly type: 'bookmark'; readonly resourceVersion: string }

/** How a watch ended. `expired`: the server no longer has the version (410), so the list is read anew. */
type WatchEnd = { readonly ok: true; readonly expired: boolean } | Failed

/** Shorter than the server's own limit for watches, so that clients spread over the servers. */
export const LASTS_SECONDS = 300
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

interface WatchOptions {
  /** Where it begins. */
  readonly resourceVersion: string
  /** Seconds after which the server ends it. */
  readonly lasts: number
  readonly signal?: AbortSignal
}

/** Watches one kind from a version on until the server, the network or the signal ends it. */
export async function watchObjects<K extends Kind>(
  kind: K,
  { base, settings }: ReviewContext,
  { resourceVersion, lasts, signal }: WatchOptions,
  onEvent: (event: WatchEvent<K>) => void,
): Promise<WatchEnd> {
  const url = collectionUrl(base, kind, {
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds: String(lasts),
  })
  let ended: WatchEnd | undefined
  const lines = createLines((line) => {
    ended ??= takeLine(kind, url, line, onEvent)
    return ended === undefined
  })
  const answer = await send(
    {
      url,
      settings,
      limits: LIMITS,
      accept: 'application/json',
      onHead: () => onEvent({ type: 'open' }),
      ...(signal && { signal }),
    },
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
