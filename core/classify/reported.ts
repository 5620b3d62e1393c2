import type { ReportedFacts } from '../contract/source.ts'
import { statisticsKey } from '../engine/workEstimator.ts'
import type { DumpRequest } from '../frame/dump.ts'
import type { RequestInfo } from '../request/requestInfo.ts'
import type { SeenSeats, ServerContext } from './classification.ts'

/** What a source reports about the resource that a request names; nothing where the source reports nothing. */
export function contextOfFacts(
  facts: ReportedFacts | undefined,
  info: Pick<RequestInfo, 'resource' | 'apiGroup' | 'isResource'> | undefined,
): Pick<ServerContext, 'objects' | 'watchers'> {
  if (facts === undefined || info?.isResource !== true) return {}
  const key = statisticsKey(info)
  return { objects: facts.objects[key] ?? 'none', watchers: facts.watches[key] ?? 0 }
}

/**
 * What the server estimated for requests of the dump with the same verb, resource and namespace. Returns the most common
 * estimate; rows that disagree differ in limit or resourceVersion, which a dump does not show.
 */
export function seenSeats(rows: readonly DumpRequest[], info: RequestInfo | undefined): SeenSeats | undefined {
  if (info?.isResource !== true) return undefined
  const counts = new Map<number, number>()
  for (const row of rows) {
    const apiGroup = row.apiVersion?.includes('/') === true ? row.apiVersion.split('/')[0] : ''
    const same =
      row.verb === info.verb &&
      row.resource === info.resource &&
      apiGroup === info.apiGroup &&
      (row.subresource ?? '') === info.subresource &&
      (row.namespace ?? '') === info.namespace
    if (same) counts.set(row.initialSeats, (counts.get(row.initialSeats) ?? 0) + 1)
  }
  const [most] = [...counts].toSorted(([a, as], [b, bs]) => bs - as || b - a)
  return most && { seats: most[0], requests: most[1] }
}
