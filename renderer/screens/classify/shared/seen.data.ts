import { SERVICE_ACCOUNT } from '../../../../core/frame/flow.ts'
import { sampleOfDump } from '../../../../core/classify/requestText.ts'
import type { DumpRequest } from '../../../../core/frame/dump.ts'
import { digestRequest } from '../../../../core/classify/classification.ts'
import { resourceOf } from '../../../../core/request/match.ts'
import type { RequestInfo } from '../../../../core/request/requestInfo.ts'
import type { RequestSample } from '../../../../core/contract/objects.ts'
import { holdsWords } from '../../../../core/text/text.ts'

/** A request from a dump; equal ones are merged. */
export interface SeenRequest {
  readonly key: string
  readonly request: RequestSample
  /** Without the common prefix of service accounts. */
  readonly user: string
  readonly words: string
  readonly namespace: string
  /** Where the server sent it. */
  readonly schema: string
  readonly level: string
  readonly waiting: number
  readonly executing: number
}

/** The requests of a dump, each once: those that wait most often first. */
export function seenRequests(rows: readonly DumpRequest[]): readonly SeenRequest[] {
  const byKey = new Map<string, SeenRequest>()
  for (const row of rows) {
    const key = `${row.schema} ${row.level} ${row.user} ${row.verb} ${row.path}`
    const known = byKey.get(key)
    const request = known?.request ?? sampleOfDump(row)
    if (request === undefined) continue
    const waits = row.startedAt === undefined
    byKey.set(key, {
      key,
      request,
      user: known?.user ?? shortUser(request.user),
      words: known?.words ?? requestWords(request),
      namespace: row.namespace ?? '',
      schema: row.schema,
      level: row.level,
      waiting: (known?.waiting ?? 0) + (waits ? 1 : 0),
      executing: (known?.executing ?? 0) + (waits ? 0 : 1),
    })
  }
  return [...byKey.values()].toSorted(
    (a, b) => b.waiting - a.waiting || b.executing - a.executing || (a.key < b.key ? -1 : 1),
  )
}

/** Those that contain every word of the filter, in any case. */
export function filteredSeen(seen: readonly SeenRequest[], filter: string): readonly SeenRequest[] {
  if (filter.trim() === '') return seen
  const holds = holdsWords(filter)
  return seen.filter(({ request, words, schema, level }) =>
    holds(`${request.user} ${words} ${request.url} ${schema} ${level}`),
  )
}

/** Removes the common prefix of service accounts. */
export const shortUser = (user: string): string =>
  user.startsWith(SERVICE_ACCOUNT) ? user.slice(SERVICE_ACCOUNT.length) : user

/** `LIST pods`, `PATCH nodes/status node-1`, `GET /livez`. */
function infoWords(info: RequestInfo): string {
  const verb = info.verb.toUpperCase()
  if (!info.isResource) return `${verb} ${info.path}`
  return [verb, resourceOf(info), info.name].filter((part) => part !== '').join(' ')
}

/** What a request does, or method and address where no server understands it. */
export function requestWords(request: RequestSample): string {
  const read = digestRequest(request)
  return read.ok ? infoWords(read.digest.info) : `${request.method} ${request.url}`
}

/** A name for a saved request: `inventory:scanner LIST pods in tenant-1`. */
export function labelOf(request: RequestSample): string {
  const read = digestRequest(request)
  const namespace = read.ok ? read.digest.info.namespace : ''
  return `${shortUser(request.user)} ${requestWords(request)}${namespace === '' ? '' : ` in ${namespace}`}`
}
