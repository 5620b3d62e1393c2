import type { ReportedLevel } from './expected.ts'

/** Demand of one level over the last period, in seats (specification 6.3). */
export interface LevelDemand {
  readonly highWatermark: number
  readonly smoothed: number
  /** The limit that the server reports. */
  readonly current?: number
}
export type DemandByLevel = ReadonlyMap<string, LevelDemand>

/**
 * Demand as a page or a recomputation of one server reports it; `undefined` when it does not tell of every level, for
 * then no limit can be computed.
 */
export function demandOf(reported: { readonly levels: readonly ReportedLevel[] }): DemandByLevel | undefined {
  const demand = new Map<string, LevelDemand>()
  for (const { name, limits, demand: of } of reported.levels) {
    const { highWatermark, smoothed } = of
    if (highWatermark === undefined || smoothed === undefined) return undefined
    const { current } = limits
    demand.set(name, { highWatermark, smoothed, ...(current !== undefined && { current }) })
  }
  return demand.size === 0 ? undefined : demand
}
