import { imbalanceIndex } from '../../core/frame/aggregate.ts'

/** How busy one server is, in seats. `undefined` is unknown. */
export interface ServerLoad {
  readonly id: string
  /** Exempt included. */
  readonly executing: number | undefined
  /** Sum of nominal limits. */
  readonly nominal: number | undefined
  readonly queuedSeats: number | undefined
}

export interface ServerStrip {
  readonly loads: readonly ServerLoad[]
  readonly busiest: ServerLoad | undefined
  /** Executing seats of the busiest server over the mean of all; absent when unknown or nothing executes. */
  readonly peakOverMean: number | undefined
}

/** The busiest over the mean; absent for a single server, and unless every amount is known and something is there. */
export function peakOverMean(amounts: readonly (number | undefined)[]): number | undefined {
  const known = amounts.filter((amount) => amount !== undefined)
  return known.length < Math.max(2, amounts.length) ? undefined : imbalanceIndex(known)
}

export function serverStrip(loads: readonly ServerLoad[]): ServerStrip {
  const known = loads.filter((load) => load.executing !== undefined)
  const busiest = known.toSorted((a, b) => (b.executing ?? 0) - (a.executing ?? 0))[0]
  return { loads, busiest, peakOverMean: peakOverMean(loads.map((load) => load.executing)) }
}

/** Beyond this many servers a table has columns for three of them only. */
export const MOST_COLUMNS = 8

export type ServerRole = 'busiest' | 'median' | 'idlest'

export interface ServerColumn {
  readonly id: string
  /** Why this one was chosen, when not all are shown. */
  readonly role: ServerRole | undefined
}

/** The servers that get a column: all of up to eight, else the busiest, the median and the idlest. */
export function serverColumns(loads: readonly ServerLoad[]): readonly ServerColumn[] {
  if (loads.length <= MOST_COLUMNS) return loads.map(({ id }) => ({ id, role: undefined }))
  const sorted = loads.toSorted((a, b) => (b.executing ?? -1) - (a.executing ?? -1) || (a.id < b.id ? -1 : 1))
  const at = (index: number, role: ServerRole) => ({ id: sorted[index]?.id ?? '', role })
  return [at(0, 'busiest'), at(Math.floor(sorted.length / 2), 'median'), at(sorted.length - 1, 'idlest')]
}
