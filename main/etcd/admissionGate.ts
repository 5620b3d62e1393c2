import { EventEmitter } from 'node:events'
import type { QosConfiguration } from '../../core/qos/configuration.ts'
import { ETCD_MODES } from '../../core/contract/etcd.ts'
import type { Decision } from '../../core/qos/decision.ts'
import { QosEngine } from '../../core/qos/engine.ts'
import type { QosRequest } from '../../core/qos/request.ts'
import type { Settled } from '../../core/qos/seen.ts'
import type { Observed } from '../../core/qos/tracker.ts'
import { msToNs, nsToMs } from '../../core/units.ts'

/** `enforce`: requests wait or are rejected. `observe`: all requests pass, and decisions are only computed. */
export const MODES = ETCD_MODES
export type Mode = (typeof MODES)[number]

/** Monotonic milliseconds, and a timer that does not keep the process alive. */
export interface GateClock {
  readonly now: () => number
  /** Returns a function that stops it. */
  readonly after: (ms: number, run: () => void) => () => void
}

/** A request that arrived. */
export interface Admission {
  /** The call has ended, or its client disconnected before it was let in. */
  readonly end: (observed: Observed) => void
}

interface Events {
  decided: [Settled]
  /** Emitted once for each request with a decision: its call has ended, or does not take place. */
  ended: [Settled, Observed]
}

const UNSEEN: Observed = { ok: false, scannedKeys: undefined, responseBytes: undefined, latencyMs: undefined }
/** Timers of Node accept no longer delay. */
const LONGEST_MS = 0x7fff_ffff

/**
 * Lets requests in as the rules decide, driven by the clock. Changes of rules and mode do not affect requests in
 * progress.
 */
export class AdmissionGate extends EventEmitter<Events> {
  readonly #clock: GateClock
  readonly #waiting = new Map<number, (decision: Settled) => void>()
  #configuration: QosConfiguration
  #engine: QosEngine
  #mode: Mode
  #stopTimer: () => void = () => undefined

  constructor(configuration: QosConfiguration, mode: Mode, clock: GateClock) {
    super()
    this.#configuration = configuration
    this.#mode = mode
    this.#clock = clock
    this.#engine = this.#engineFor(configuration)
  }

  get configuration(): QosConfiguration {
    return this.#configuration
  }

  get mode(): Mode {
    return this.#mode
  }

  get engine(): QosEngine {
    return this.#engine
  }

  /** Whether any request could be limited. */
  get limits(): boolean {
    return this.#mode === 'enforce' && this.#configuration.rules.some(({ enabled }) => enabled)
  }

  /** Unchanged classes keep their state; requests that wait in other classes pass. */
  configure(configuration: QosConfiguration, mode: Mode = this.#mode): void {
    this.#configuration = configuration
    this.#mode = mode
    const { state } = this.#engine
    this.#engine = this.#engineFor(configuration, state)
    this.#engine.advance(this.#now())
    this.#setTimer()
  }

  /**
   * `decided` is called once, now or later, unless `end` is called before; after `limited` the call must not take
   * place. In the mode `observe` it is called immediately, and never with `limited` or `delayed`.
   */
  arrive(request: QosRequest, decided: (decision: Settled | undefined) => void): Admission {
    const decision = this.#engine.arrive(request, this.#now())
    const { id } = decision
    const observing = this.#mode === 'observe'
    /** In the mode `observe` a call may end while its request would still wait. */
    let endedWith: Observed | undefined
    let last: Settled | undefined
    const finish = (observed: Observed): void => {
      this.#engine.end(id, observed, this.#now())
      this.#setTimer()
      if (last !== undefined) this.emit('ended', last, observed)
    }
    const settle = (settled: Settled): void => {
      this.#waiting.delete(id)
      last = settled
      this.emit('decided', settled)
      if (!observing) {
        decided(settled)
        if (settled.verdict === 'limited') {
          endedWith = UNSEEN
          this.emit('ended', settled, UNSEEN)
        }
      } else if (endedWith !== undefined) queueMicrotask(() => finish(endedWith ?? UNSEEN))
    }
    if (decision.verdict === 'waiting') this.#waiting.set(id, settle)
    else settle(decision)
    this.#setTimer()
    if (observing) decided(undefined)
    return {
      end: (observed) => {
        if (endedWith !== undefined) return
        endedWith = observed
        if (!this.#waiting.has(id)) return finish(observed)
        // A request that would wait remains waiting, as if the call had not begun.
        if (observing) return
        this.#waiting.delete(id)
        this.#engine.cancel(id, this.#now())
        this.#setTimer()
      },
    }
  }

  setStorageQuotaUsed(used: number | undefined): void {
    this.#engine.setStorageQuotaUsed(used)
  }

  close(): void {
    this.#stopTimer()
    this.removeAllListeners()
  }

  #engineFor(configuration: QosConfiguration, state?: QosEngine['state']): QosEngine {
    const settled = (decision: Decision): void => {
      // The engine must not be called from here, and callbacks may call it.
      if (decision.verdict !== 'waiting') queueMicrotask(() => this.#waiting.get(decision.id)?.(decision))
    }
    return new QosEngine(configuration, settled, state)
  }

  #now(): number {
    return msToNs(this.#clock.now())
  }

  #setTimer(): void {
    this.#stopTimer()
    const { nextNs } = this.#engine
    if (!Number.isFinite(nextNs)) return
    const ms = Math.min(LONGEST_MS, Math.max(0, Math.ceil(nsToMs(nextNs) - this.#clock.now())))
    this.#stopTimer = this.#clock.after(ms, () => {
      this.#engine.advance(this.#now())
      this.#setTimer()
    })
  }
}
