import type { Seats } from '../units.ts'

/**
 * Peak ÷ mean of a number over servers: 1 when they share it evenly, the number of servers when one has it all.
 * `undefined` when nobody has any: an idle cluster is neither balanced nor unbalanced.
 */
export function imbalanceIndex(values: readonly number[]): number | undefined {
  const total = values.reduce((a, b) => a + b, 0)
  if (!(total > 0)) return undefined
  return Math.max(...values) / (total / values.length)
}

export interface Imbalance {
  readonly index: number
  /** The server with the most executing seats; of several the first by id. */
  readonly busiest: string
  readonly seats: Seats
}

/** Imbalance of executing seats over whole servers; those that do not report them are left out. */
export function busiest(
  servers: readonly { readonly server: string; readonly seats: Seats | undefined }[],
): Imbalance | undefined {
  const known = servers.flatMap(({ server, seats }) => (seats === undefined ? [] : [{ server, seats }]))
  const index = imbalanceIndex(known.map(({ seats }) => seats))
  if (index === undefined) return undefined
  const peak = known.reduce((a, b) => (b.seats > a.seats || (b.seats === a.seats && b.server < a.server) ? b : a))
  return { index, busiest: peak.server, seats: peak.seats }
}
