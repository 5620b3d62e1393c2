import type { Clock } from './clock.ts'
import { LaneSeries } from './laneSeries.ts'
import type { PriorityLevel } from './priorityLevels.ts'
import type { Ticket } from './ticket.ts'
import { TimingRatioHistogram } from './timingRatioHistogram.ts'

const SEAT_BOUNDS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1] as const
const REQUEST_BOUNDS = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1] as const
const DEMAND_BOUNDS = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6] as const

/** What the server measures over time for all levels of one name, kept when the level leaves (trap T69). */
export class LevelSeries<T> {
  readonly name: string
  /** The last level of this name that has left. */
  departed: PriorityLevel<Ticket<T>> | undefined
  /** Time-weighted, specification 8.2. */
  readonly seatUtilization: TimingRatioHistogram
  readonly demandRatio: TimingRatioHistogram
  readonly waitingUtilization: TimingRatioHistogram
  readonly executingUtilization: TimingRatioHistogram
  epochAdvancesSucceeded = 0
  epochAdvancesFailed = 0
  /** By schema. */
  readonly lanes = new Map<string, LaneSeries>()

  constructor(name: string, clock: Clock) {
    this.name = name
    this.seatUtilization = new TimingRatioHistogram(clock, SEAT_BOUNDS)
    this.demandRatio = new TimingRatioHistogram(clock, DEMAND_BOUNDS)
    this.waitingUtilization = new TimingRatioHistogram(clock, REQUEST_BOUNDS)
    this.executingUtilization = new TimingRatioHistogram(clock, REQUEST_BOUNDS)
  }

  lane(schema: string, estimatedSeatsBounds: readonly number[]): LaneSeries {
    const known = this.lanes.get(schema)
    if (known !== undefined) return known
    const made = new LaneSeries(schema, estimatedSeatsBounds)
    this.lanes.set(schema, made)
    return made
  }
}

/** The series of all levels that there have ever been. */
export class SeriesByLevel<T> {
  private readonly clock: Clock
  private readonly series = new Map<string, LevelSeries<T>>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Begins them with the first level of that name. */
  of(level: string): LevelSeries<T> {
    const known = this.series.get(level)
    if (known !== undefined) return known
    const made = new LevelSeries<T>(level, this.clock)
    this.series.set(level, made)
    return made
  }

  all(): readonly LevelSeries<T>[] {
    return [...this.series.values()]
  }
}
