import { type Timed, Timers } from '../engine/timers.ts'
import { msToNs, type Nanoseconds } from '../units.ts'
import type { QosConfiguration } from './configuration.ts'
import type { Decision } from './decision.ts'
import { QosEngine } from './engine.ts'
import type { RequestRecord } from './record.ts'
import type { Observed } from './tracker.ts'

/** A running call, until its end is due. */
class Call implements Timed {
  timerPlace = -1
  readonly id: number
  readonly observed: Observed

  constructor(id: number, observed: Observed) {
    this.id = id
    this.observed = observed
  }
}

/**
 * Runs recorded requests through an engine, on the clock of the records: a call that passes ends after its recorded
 * latency, at once if none is recorded. Events at the same time occur in this order: calls end, waiting requests are
 * decided, requests arrive.
 */
export class Replay {
  readonly #engine: QosEngine
  readonly #ends = new Timers<Call>()
  readonly #waiting = new Map<number, Observed>()
  readonly #onDecision: (decision: Decision) => void

  /** `onDecision` is called with every decision, in order of time; twice for a request that waits. */
  constructor(configuration: QosConfiguration, onDecision: (decision: Decision) => void) {
    this.#engine = new QosEngine(configuration, (decision) => {
      const observed = this.#waiting.get(decision.id)
      this.#waiting.delete(decision.id)
      if (decision.verdict === 'delayed' && observed !== undefined) this.#start(decision, observed)
      onDecision(decision)
    })
    this.#onDecision = onDecision
  }

  push({ at, request, observed, storageQuotaUsed }: RequestRecord): void {
    this.#runTo(at)
    if (storageQuotaUsed !== undefined) this.#engine.setStorageQuotaUsed(storageQuotaUsed)
    const decision = this.#engine.arrive(request, at)
    if (decision.verdict === 'passed') this.#start(decision, observed)
    else if (decision.verdict === 'waiting') this.#waiting.set(decision.id, observed)
    this.#onDecision(decision)
  }

  /** Ends all calls, and decides about all waiting requests. */
  end(): void {
    this.#runTo(Number.POSITIVE_INFINITY)
  }

  #start({ id, at }: Decision, observed: Observed): void {
    this.#ends.set(new Call(id, observed), at + msToNs(observed.latencyMs ?? 0))
  }

  #runTo(time: Nanoseconds): void {
    for (;;) {
      const end = this.#ends.nextNs
      const settled = this.#waiting.size > 0 ? this.#engine.nextNs : Number.POSITIVE_INFINITY
      const next = Math.min(end, settled)
      if (next > time || next === Number.POSITIVE_INFINITY) return
      const call = end <= settled ? this.#ends.takeDue(next) : undefined
      if (call === undefined) this.#engine.advance(next)
      else this.#engine.end(call.id, call.observed, next)
    }
  }
}
