import type { Seats } from '../units.ts'
import { goRound } from './seatSeconds.ts'
import type { LevelSeries } from './levelSeries.ts'
import type { PriorityLevel } from './priorityLevels.ts'
import type { SeatRequest } from './queue.ts'
import type { Ticket } from './ticket.ts'

/** What utilisation is relative to where a level has no seats (specification 6.6). */
const seatDenominator = (limit: number, serverLimit: Seats): number =>
  limit > 0 ? limit : Math.max(1, goRound(serverLimit / 10))

/** Requests that may wait in a level before arrivals are refused. */
const waitingPlaces = <R extends SeatRequest>({ queueSet }: PriorityLevel<R>): number =>
  Math.max(1, queueSet.lengthLimit) * Math.max(1, queueSet.desired)

/** Sets what the time-weighted ratios of a level are relative to, after its limit was set (specification 4.12, 6.6). */
export function setLevelDenominators<T>(
  series: LevelSeries<T>,
  level: PriorityLevel<Ticket<T>>,
  serverLimit: Seats,
  demandRelativeToNominal: boolean,
): void {
  const seats = seatDenominator(level.current, serverLimit)
  series.seatUtilization.setDenominator(seats)
  series.executingUtilization.setDenominator(seats)
  series.waitingUtilization.setDenominator(waitingPlaces(level))
  // Upstream's description says nominal, and it uses the current limit (trap T63).
  series.demandRatio.setDenominator(
    demandRelativeToNominal ? seatDenominator(level.limits.nominal, serverLimit) : seats,
  )
}

/** Requests that may wait in all queuing levels together (specification 8.2). */
export const allWaitingPlaces = <R extends SeatRequest>(levels: readonly PriorityLevel<R>[]): number =>
  levels.reduce((sum, level) => (level.queueSet.desired > 0 ? sum + waitingPlaces(level) : sum), 0)
