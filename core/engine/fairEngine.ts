import { danglingCondition, type Hash64 } from '../request/match.ts'
import { DEFAULT_REQUEST_TIMEOUT_SECONDS } from '../frame/reading.ts'
import { type RequestInfo, isLongRunning, deadlineNs, waitEndNs } from '../request/requestInfo.ts'
import { type Nanoseconds, type Seats, secondsToNs } from '../units.ts'
import { type Adjustment, type AdjustmentCause, Adjustments, ledgerOf } from './ledger.ts'
import type { Allocation } from './allocation.ts'
import type { Answer, ApfEngine, ApfEngineOptions, ConfigurationReport, EngineConfiguration } from './apfEngine.ts'
import { type ObjectUids, Classifier, type ClassifierOptions } from './compiledSchemas.ts'
import {
  type EngineCheckpoint,
  type FairState,
  engineVocabulary,
  type GraphVocabulary,
  readGraph,
  writeGraph,
} from './checkpoint.ts'
import { Clock } from './clock.ts'
import { allWaitingPlaces, setLevelDenominators, LevelMonitor } from './levelMonitor.ts'
import { type EngineDump, dumpedLevels, dumpedQueues, placedRequests } from './dump.ts'
import type { EngineListener } from './events.ts'
import { SeriesByLevel } from './levelSeries.ts'
import {
  ObjectStatisticsTracker,
  type EstimatorProfile,
  type ExplainedEstimate,
  estimateWork,
  ONE_SEAT,
} from './workEstimator.ts'
import {
  type LevelDeparture,
  type PriorityLevel,
  PriorityLevels,
  type PriorityLevelsOptions,
} from './priorityLevels.ts'
import { Reporter } from './reporter.ts'
import { type EngineSnapshot, takeSnapshot } from './snapshot.ts'
import { type EngineRequest, Ticket } from './ticket.ts'
import { type Timed, Timers } from './timers.ts'

/** How often limits are recomputed (specification 6.2). */
const ADJUSTMENT_PERIOD_NS = secondsToNs(10)
const KEPT_ADJUSTMENTS = 360
const REMEMBERED_FLOWS = 2 ** 20

export const BYPASSED = { kind: 'bypassed' } as const

/** Priority and Fairness, one of the two implementations of `ApfEngine`. */
export class FairEngine<T> implements ApfEngine<T> {
  readonly mode = 'priority-and-fairness'
  objectStatistics: ObjectStatisticsTracker
  private readonly options: ApfEngineOptions<T>
  private readonly serverLimit: Seats
  private readonly requestTimeoutNs: Nanoseconds
  private readonly estimator: EstimatorProfile
  private readonly classifierOptions: ClassifierOptions<T>
  private readonly levelOptions: PriorityLevelsOptions<Ticket<T>>
  private clock = new Clock()
  private timers = new Timers<Ticket<T> | Timed>()
  private adjustmentTimer: Timed = { timerPlace: -1 }
  private reporter: Reporter<T>
  private series = new SeriesByLevel<Ticket<T>>(this.clock)
  private kept: Adjustments
  private monitors = new Map<string, LevelMonitor<T>>()
  private priorityLevels: PriorityLevels<Ticket<T>>
  private configuration: EngineConfiguration = { levels: [], schemas: [] }
  private classifier: Classifier<T>
  private adjustmentCause: AdjustmentCause = 'configuration'
  private readonly estimatorSources = {
    objectStatistics: (key: string) => this.objectStatistics.get(key),
    interestedWatches: (info: RequestInfo) => this.reporter.watchTracker.interested(info),
  }

  constructor(options: ApfEngineOptions<T>) {
    const { profile, corrections } = options
    this.options = options
    this.serverLimit = options.maxRequestsInFlight + options.maxMutatingRequestsInFlight
    this.requestTimeoutNs = options.requestTimeoutNs ?? secondsToNs(DEFAULT_REQUEST_TIMEOUT_SECONDS)
    this.kept = new Adjustments(options.keepAdjustments ?? KEPT_ADJUSTMENTS)
    this.objectStatistics = new ObjectStatisticsTracker(this.clock)
    this.estimator = {
      ...profile.estimator,
      consistentReadsFromCache: options.consistentReadsFromCache ?? profile.estimator.consistentReadsFromCache,
    }
    this.reporter = new Reporter(this.clock, options.startUnixMs, this.timers)
    this.classifierOptions = {
      series: (level) => this.series.of(level),
      estimatedSeatsBounds: profile.estimatedSeatsBounds,
      rememberedFlows: options.rememberedFlows ?? REMEMBERED_FLOWS,
    }
    const monitored = { correctTimedOutWaits: corrections.timedOutWaits }
    this.levelOptions = {
      serverLimit: this.serverLimit,
      correctClampDrift: corrections.clampDrift,
      removeStaleQueues: !corrections.staleRemoval,
      rules: profile.queuing,
      longestWaitNs: waitEndNs(0, undefined, this.requestTimeoutNs),
      planned: profile.planned,
      allocationRules: { borrowing: profile.borrowing, distributeRemaining: corrections.exemptInSolver },
      listen: (name, demand) => {
        const monitor = new LevelMonitor(this.clock, this.series.of(name), demand, this.reporter, monitored)
        this.monitors.set(name, monitor)
        return monitor
      },
      onAllocation: (allocation, levels) => this.adjusted(allocation, levels),
      onLevel: (level, departure) => this.departs(level, departure),
    }
    this.priorityLevels = new PriorityLevels<Ticket<T>>(this.clock, this.levelOptions)
    this.classifier = this.classify(new Set(), undefined)
  }

  get nowNs(): Nanoseconds {
    return this.clock.nanoseconds
  }

  moveTo(ns: Nanoseconds): void {
    this.clock.moveTo(ns)
  }

  nextWakeNs(): Nanoseconds {
    return this.timers.nextNs
  }

  wake(): boolean {
    const { nowNs } = this
    const due = this.timers.takeDue(nowNs)
    if (due === undefined) return false
    if (due instanceof Ticket) {
      const { queueSet } = due.lane.level
      if (due.state === 'lingering') {
        queueSet.endLinger(due)
        this.settle()
      } else {
        queueSet.cancel(due)
        this.settle(due)
      }
    } else if (due === this.adjustmentTimer) {
      this.adjustmentCause = 'period'
      this.priorityLevels.adjust()
      this.timers.set(due, nowNs + ADJUSTMENT_PERIOD_NS)
      this.settle()
    } else this.options.onAppointment?.(due)
    return true
  }

  get appointments(): Timers<Timed> {
    return this.timers
  }

  configure(configuration: EngineConfiguration): ConfigurationReport {
    if (this.adjustmentTimer.timerPlace === -1) {
      this.timers.set(this.adjustmentTimer, this.nowNs + ADJUSTMENT_PERIOD_NS)
    }
    this.configuration = configuration
    const accepted = this.digest()
    const refused = this.priorityLevels.refused()
    const { events } = this.reporter
    if (!events.silent) {
      for (const { name, reason } of refused) events.tell({ kind: 'level-refused', level: name, reason })
    }
    const { order, dangling } = this.classifier
    const quiescing = this.priorityLevels.all().flatMap((level) => (level.quiescing ? [level.plan.name] : []))
    const conditions = configuration.schemas.flatMap((schema) => {
      const condition = danglingCondition(schema, accepted.has(schema.spec.priorityLevelConfiguration.name))
      return condition === undefined ? [] : [{ schema: schema.metadata.name, condition }]
    })
    this.settle()
    return { refused, order, dangling, conditions, quiescing }
  }

  arrive(request: EngineRequest<T>): Answer<T> {
    const { info, query } = request
    const { reporter } = this
    const kind = reporter.meters.kindOf(info)
    if (!kind.isWatch && isLongRunning(info)) return BYPASSED
    const { lane, uids } = this.classifier.route(request)
    const { level, series } = lane
    const { hash } = lane.flowOf(request)
    const estimate = this.options.profile.width
      ? estimateWork(info, query, level.maxSeats, this.estimator, this.estimatorSources)
      : ONE_SEAT
    const ticket = new Ticket(request, estimate, kind, lane)
    series.estimatedSeats.observe(ticket.maxSeats)
    if (estimate.basis.kind === 'mutating') series.watchCount.observe(estimate.basis.watches)
    if (!reporter.events.silent) reporter.events.tell({ kind: 'arrived', ticket, estimate })
    reporter.arriving = ticket
    level.queueSet.arrive(ticket, hash)
    if (ticket.state === 'waiting') this.limitWait(ticket)
    reporter.arriving = undefined
    const answer = this.answer(ticket, estimate, uids)
    this.settle(ticket)
    return answer
  }

  finish(ticket: Ticket<T>): void {
    if (ticket.kind.isWatch) this.endWatch(ticket)
    else this.endExecution(ticket)
  }

  cancel(ticket: Ticket<T>): boolean {
    const cancelled = ticket.lane.level.queueSet.cancel(ticket)
    if (cancelled) this.settle(ticket)
    return cancelled
  }

  setWatches(apiGroup: string, resource: string, total: number): void {
    this.reporter.watchTracker.setTotal(apiGroup, resource, total)
  }

  watchInitialised(ticket: Ticket<T>): void {
    if (!this.reporter.watches.has(ticket)) throw new Error('the request is not a watch that is being served')
    this.endExecution(ticket)
  }

  endWatch(ticket: Ticket<T>): void {
    const { watches } = this.reporter
    const watch = watches.get(ticket)
    if (watch === undefined) throw new Error('the request is not a watch that is being served')
    watches.delete(ticket)
    this.reporter.watchTracker.forget(watch)
    if (ticket.state === 'executing') this.endExecution(ticket)
  }

  checkpoint(tickets: readonly Ticket<T>[]): EngineCheckpoint {
    if (this.reporter.outbox.busy) throw new Error('an engine that is calling back is not consistent')
    const { clock, timers, adjustmentTimer, reporter, series, kept, monitors, priorityLevels } = this
    const { objectStatistics, configuration, classifier, adjustmentCause } = this
    const levels = { series, kept, monitors, priorityLevels, configuration, classifier, adjustmentCause }
    const state: FairState<T> = { tickets, clock, timers, adjustmentTimer, reporter, objectStatistics, ...levels }
    return { mode: this.mode, graph: writeGraph(state, this.vocabulary()) }
  }

  restore(checkpoint: EngineCheckpoint): readonly Ticket<T>[] {
    if (checkpoint.mode !== this.mode) throw new Error('the checkpoint is from an engine of the other mode')
    const { tickets, ...state } = readGraph(checkpoint.graph, this.vocabulary())
    Object.assign(this, state)
    return tickets
  }

  subscribe(listener: EngineListener<T>): () => void {
    return this.reporter.events.subscribe(listener)
  }

  levels(): readonly PriorityLevel<Ticket<T>>[] {
    return this.priorityLevels.all()
  }

  adjustments(): readonly Adjustment[] {
    return this.kept.all()
  }

  handOf(level: string, hash: Hash64): readonly number[] {
    return [...(this.priorityLevels.get(level)?.queueSet.handOf(hash) ?? [])]
  }

  snapshot(): EngineSnapshot {
    const { droppedRequests, meters } = this.reporter
    return takeSnapshot({
      mode: this.mode,
      atNs: this.nowNs,
      startUnixMs: this.options.startUnixMs,
      serverLimit: this.serverLimit,
      allocation: this.kept.latest()?.allocation,
      series: this.series.all(),
      levelNamed: (name) => this.priorityLevels.get(name),
      retryAfter: (level) => droppedRequests.retryAfter(level),
      correctExemptTarget: this.options.corrections.exemptTarget,
      meters,
    })
  }

  dump(): EngineDump<T> {
    const levels = this.priorityLevels.all()
    return {
      startUnixMs: this.options.startUnixMs,
      levels: dumpedLevels(levels, (level) => this.monitors.get(level)?.dispatchedCount ?? 0),
      queues: dumpedQueues(levels),
      requests: placedRequests(levels),
    }
  }

  private vocabulary(): GraphVocabulary<FairState<T>> {
    const { options, levelOptions, reporter } = this
    return engineVocabulary({ levelOptions, events: reporter.events }, options.payloadClasses)
  }

  /** Applies the configuration, and again when a level has come to an end (specification 7.1). */
  private digest(): ReadonlySet<string> {
    this.adjustmentCause = 'configuration'
    const accepted = this.priorityLevels.digest(this.configuration.levels)
    this.classifier = this.classify(accepted, this.classifier)
    return accepted
  }

  private classify(accepted: ReadonlySet<string>, before: Classifier<T> | undefined): Classifier<T> {
    const levelNamed = (name: string) => this.priorityLevels.get(name)
    return new Classifier(this.configuration.schemas, accepted, levelNamed, this.classifierOptions, before)
  }

  private adjusted(allocation: Allocation, levels: readonly PriorityLevel<Ticket<T>>[]): void {
    const { serverLimit } = this
    const { demandRatioBase } = this.options.corrections
    const inUse = new Map<string, number>()
    for (const level of levels) {
      setLevelDenominators(this.series.of(level.plan.name), level, serverLimit, demandRatioBase)
      inUse.set(level.plan.name, level.queueSet.seatsInUse)
    }
    const { nominalSum } = allocation
    this.reporter.meters.setDenominators({
      waiting: allWaitingPlaces(levels),
      readOnly: nominalSum,
      mutating: nominalSum,
    })
    const ledger = ledgerOf(allocation, serverLimit, (level) => inUse.get(level) ?? 0)
    const adjustment = this.kept.record({ atNs: this.nowNs, cause: this.adjustmentCause, allocation, ledger })
    if (!this.reporter.events.silent) this.reporter.events.tell({ kind: 'limits-adjusted', adjustment })
  }

  private departs(level: PriorityLevel<Ticket<T>>, departure: LevelDeparture): void {
    const { name } = level.plan
    if (departure === 'removed') this.series.of(name).departed = level
    if (!this.reporter.events.silent) this.reporter.events.tell({ kind: `level-${departure}`, level: name })
  }

  /**
   * The wait of a request that did not start at once is limited (specification 4.9); the limit may have passed already.
   */
  private limitWait(ticket: Ticket<T>): void {
    if (this.options.profile.queuing.waitsEnd === 'at arrivals') return
    const { nowNs } = this
    const { receivedNs = nowNs, query, deadlineNs: given } = ticket.payload
    const deadline = given ?? (ticket.kind.isWatch ? undefined : deadlineNs(receivedNs, query, this.requestTimeoutNs))
    const endNs = waitEndNs(receivedNs, deadline, this.requestTimeoutNs)
    if (endNs > nowNs) this.timers.set(ticket, endNs)
    else ticket.lane.level.queueSet.cancel(ticket)
  }

  private answer(ticket: Ticket<T>, estimate: ExplainedEstimate, uids: ObjectUids): Answer<T> {
    switch (ticket.state) {
      case 'executing':
        return { kind: 'executing', ticket, estimate, uids }
      case 'waiting':
        return { kind: 'waiting', ticket, estimate, uids }
      default: {
        const { refusal } = this.reporter
        if (refusal === undefined) throw new Error('an arriving request neither waits nor runs nor was rejected')
        return { kind: 'rejected', ticket, estimate, uids, ...refusal }
      }
    }
  }

  private endExecution(ticket: Ticket<T>): void {
    if (ticket.state !== 'executing') throw new Error(`the request is not executing, but ${ticket.state}`)
    const { level, series, levelSeries } = ticket.lane
    const seconds = this.clock.secondsSince(ticket.startedHi, ticket.startedLo)
    ;(ticket.kind.isWatch ? series.executionWatch : series.execution).observe(seconds)
    series.executingRequests -= 1
    levelSeries.executingUtilization.add(-1)
    this.reporter.finished(ticket)
    level.queueSet.finish(ticket)
    if (ticket.additionalLatency > 0) this.timers.set(ticket, this.nowNs + ticket.additionalLatency)
    this.settle(ticket)
  }

  /**
   * Ends every call that may change something: callbacks are called, and before them the level of a request that was
   * finished or rejected is dropped, if it only served its remaining requests (specification 7.7).
   */
  private settle(ticket?: Ticket<T>): void {
    const level = ticket?.lane.level
    if (level?.quiescing === true && level.queueSet.idle) this.digest()
    this.reporter.outbox.deliver(({ ticket: settled, refusal }) => {
      if (refusal === undefined) this.options.onDispatch(settled)
      else this.options.onTimeOut(settled, refusal.retryAfter, refusal.reason)
    })
  }
}
