import type { Seats } from '../units.ts'
import type { ApfEngine } from './apfEngine.ts'

/** A server's own metrics about its stored objects and their watches, on which seat estimates depend. */
export interface ServerFacts {
  /** By `resource` or `resource.group`; sizes in bytes (specification 5.7). */
  readonly objects: ReadonlyMap<string, { readonly count: number; readonly averageSize: number }>
  /** Watches of all objects of a resource (specification 5.6). */
  readonly watches: readonly { readonly apiGroup: string; readonly resource: string; readonly total: number }[]
  /** When its process started, Unix milliseconds; absent if the server does not report it. */
  readonly startedMs?: number
  /**
   * Seats of the whole server, from the borrowing limit of its exempt level (specification 6.1); absent if the server
   * does not report it.
   */
  readonly seats?: Seats
}

/** Sets the facts that the engine's estimates use; to be repeated, because they expire after three minutes. */
export function tellFacts(
  engine: Pick<ApfEngine<unknown>, 'objectStatistics' | 'setWatches'>,
  { objects, watches }: ServerFacts,
): void {
  for (const [key, { count, averageSize }] of objects) engine.objectStatistics.set(key, count, averageSize)
  for (const { apiGroup, resource, total } of watches) engine.setWatches(apiGroup, resource, total)
}
