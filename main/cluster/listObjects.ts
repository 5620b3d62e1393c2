import { z } from 'zod'
import type { Kind } from '../../core/config/objects.ts'
import { readStored, type Stored } from '../../core/config/stored.ts'
import type { ReviewContext } from './accessReview.ts'
import { collectionUrl } from './clusterApi.ts'
import type { Failed } from './http.ts'
import { getJson } from './json.ts'

export interface Listed<K extends Kind> {
  readonly ok: true
  readonly items: readonly Stored<K>[]
  readonly resourceVersion: string
  /** Names of objects that could not be understood. */
  readonly strange: readonly string[]
}

const PAGE = 500
/** No cluster has so many; a server that goes on for ever is stopped. */
const MOST_PAGES = 40

const ListSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional() }),
  items: z.array(z.unknown()).nullable(),
})

/** All objects of one kind, page by page; a list that changes too much meanwhile (410) is a failure like any other. */
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
      message: `There are more than ${PAGE * MOST_PAGES} ${kind} objects; the console does not read so many.`,
    },
  }
}

const NamedSchema = z.object({ metadata: z.object({ name: z.string() }) })
const nameOf = (item: unknown): string => NamedSchema.safeParse(item).data?.metadata.name ?? 'without a name'
