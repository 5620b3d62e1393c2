import { EXEMPT } from '../config/objects.ts'
import type { RejectReason } from '../frame/frame.ts'
import type { Seats } from '../units.ts'
import type { Clock, Integrator } from './clock.ts'
import type { SeatRequest } from './queue.ts'
import type { QueueSetListener } from './queueSet.ts'
import { goRound } from './seatSeconds.ts'
import type { LevelSeries } from './levelSeries.ts'
import type { PriorityLevel } from './priorityLevels.ts'
import type { Ticket } from './ticket.ts'

/** Reports of a level to its engine, after the level has counted them. */
export interface LevelHub<T> {
  enqueued(ticket: Ticket<T>): void
  dispatched(ticket: Ticket<T>): void
  rejected(ticket: Ticket<T>, reason: RejectReason): void
  didNotFit(ticket: Ticket<T>): void
  released(ticket: Ticket<T>): void
  epochAdvanced(level: string, success: boolean): void
  staleRemovalGuarded(ticket: Ticket<T>): void
}

export interface MonitorOptions {
  /** Trap T64, corrected: waits that timed out are counted with requests that were not executed. */
  readonly correctTimedOutWaits: boolean
}

/** Counts what happens in one level, in the same places as a server (specification 8.1, 8.2). */
export class LevelMonitor<T> implements QueueSetListener<Ticket<T>> {
  private readonly clock: Clock
  private readonly integrator: Integrator
  private readonly hub: LevelHub<T>
  private readonly options: MonitorOptions
  /** Waits are not measured in the exempt level, where no request waits. */
  private readonly exempt: boolean
  readonly series: LevelSeries<Ticket<T>>
  /** Requests dispatched since this level was created, as its dump shows them. */
  dispatchedCount = 0

  constructor(
    clock: Clock,
    series: LevelSeries<Ticket<T>>,
    integrator: Integrator,
    hub: LevelHub<T>,
    options: MonitorOptions,
  ) {
    this.clock = clock
    this.series = series
    this.integrator = integrator
    this.hub = hub
    this.options = options
    this.exempt = series.name === EXEMPT
  }

  enqueued(ticket: Ticket<T>): void {
    const { series } = ticket.lane
    series.waitingRequests += 1
    series.waitingSeats += ticket.maxSeats
    series.queueLength.observe(ticket.queue?.waiting.length ?? 0)
    this.series.waitingUtilization.add(1)
    this.hub.enqueued(ticket)
  }

  dispatched(ticket: Ticket<T>, seatsUnqueued: number): void {
    const { series } = ticket.lane
    if (ticket.queue !== undefined) {
      series.waitingRequests -= 1
      series.waitingSeats -= seatsUnqueued
      this.series.waitingUtilization.add(-1)
    }
    if (!this.exempt) series.wait.observe(this.waited(ticket))
    this.dispatchedCount += 1
    series.dispatched += 1
    series.executingRequests += 1
    series.executingSeats += ticket.maxSeats
    this.series.executingUtilization.add(1)
    this.series.seatUtilization.add(ticket.maxSeats)
    this.hub.dispatched(ticket)
  }

  rejected(ticket: Ticket<T>, reason: RejectReason): void {
    const { series } = ticket.lane
    series.rejected[reason] += 1
    if (ticket.queue !== undefined) {
      series.waitingRequests -= 1
      series.waitingSeats -= ticket.maxSeats
      this.series.waitingUtilization.add(-1)
    }
    const executed = reason === 'time-out' && !this.options.correctTimedOutWaits
    ;(executed ? series.wait : series.waitRejected).observe(this.waited(ticket))
    this.hub.rejected(ticket, reason)
  }

  didNotFit(ticket: Ticket<T>): void {
    ticket.lane.series.noAccommodation += 1
    this.hub.didNotFit(ticket)
  }

  released(ticket: Ticket<T>): void {
    ticket.lane.series.executingSeats -= ticket.maxSeats
    this.series.seatUtilization.add(-ticket.maxSeats)
    this.hub.released(ticket)
  }

  demand(seats: Seats): void {
    this.integrator.set(seats)
    this.series.demandRatio.setNumerator(seats)
  }

  epochAdvanced(success: boolean): void {
    if (success) this.series.epochAdvancesSucceeded += 1
    else this.series.epochAdvancesFailed += 1
    this.hub.epochAdvanced(this.series.name, success)
  }

  staleRemovalGuarded(ticket: Ticket<T>): void {
    this.hub.staleRemovalGuarded(ticket)
  }

  /** Seconds since its arrival. */
  private waited({ arrivedHi, arrivedLo }: Ticket<T>): number {
    return this.clock.secondsSince(arrivedHi, arrivedLo)
  }
}

/** The reference of utilisation for a level without seats (specification 6.6). */
const seatDenominator = (limit: number, serverLimit: Seats): number =>
  limit > 0 ? limit : Math.max(1, goRound(serverLimit / 10))

/** Requests that may wait in a level before arrivals are rejected. */
const waitingPlaces = <R extends SeatRequest>({ queueSet }: PriorityLevel<R>): number =>
  Math.max(1, queueSet.lengthLimit) * Math.max(1, queueSet.desired)

/** Sets the references of the time-weighted ratios of a level, after its limit was set (specification 4.12, 6.6). */
export function setLevelDenominators<T>(
  series: LevelSeries<Ticket<T>>,
  level: PriorityLevel<Ticket<T>>,
  serverLimit: Seats,
  demandRelativeToNominal: boolean,
): void {
  const seats = seatDenominator(level.current, serverLimit)
  series.seatUtilization.setDenominator(seats)
  series.executingUtilization.setDenominator(seats)
  series.waitingUtilization.setDenominator(waitingPlaces(level))
  // Upstream's description refers to the nominal limit, but upstream uses the current limit (trap T63).
  series.demandRatio.setDenominator(
    demandRelativeToNominal ? seatDenominator(level.limits.nominal, serverLimit) : seats,
  )
}

/** Requests that may wait in all queuing levels together (specification 8.2). */
export const allWaitingPlaces = <R extends SeatRequest>(levels: readonly PriorityLevel<R>[]): number =>
  levels.reduce((sum, level) => (level.queueSet.desired > 0 ? sum + waitingPlaces(level) : sum), 0)
