import type { Seats } from '../units.ts'
import type { ApfEngine } from './apfEngine.ts'

/** What a server's own metrics tell of what it stores and who watches that: what estimates of seats depend on. */
export interface ServerFacts {
  /** By `resource` or `resource.group`; sizes in bytes (specification 5.7). */
  readonly objects: ReadonlyMap<string, { readonly count: number; readonly averageSize: number }>
  /** Watches of all objects of a resource (specification 5.6). */
  readonly watches: readonly { readonly apiGroup: string; readonly resource: string; readonly total: number }[]
  /** When its process began, Unix milliseconds; absent where it does not tell. */
  readonly startedMs?: number
  /** Seats of the whole server, by what its exempt level may borrow (specification 6.1); absent where it does not tell. */
  readonly seats?: Seats
  /** Seconds that dispatched requests have waited in all since its start; absent where it does not tell. */
  readonly waitedSeconds?: number
}

/** Lets an engine estimate by the facts; to be repeated, because they are believed for three minutes only. */
export function tellFacts(
  engine: Pick<ApfEngine<unknown>, 'objectStatistics' | 'setWatches'>,
  { objects, watches }: ServerFacts,
): void {
  for (const [key, { count, averageSize }] of objects) engine.objectStatistics.set(key, count, averageSize)
  for (const { apiGroup, resource, total } of watches) engine.setWatches(apiGroup, resource, total)
}
