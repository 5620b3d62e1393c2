import { type CallCount, COUNTED_SERVICE } from './call.ts'
import { memberMetrics } from './memberMetrics.ts'
import type { Upstream } from './upstream.ts'

/** Requests that the member answered, and the minimum number of them that bypassed this proxy. */
export interface Bypass {
  readonly answered: number
  readonly outside: number
  /** How long they were counted, in seconds. */
  readonly seconds: number
}

interface Sample {
  /** Monotonic milliseconds. */
  readonly at: number
  /** Handled by the member since it started. */
  readonly handled: number
  /** Calls of this proxy that the member had counted, or never will, before the count was requested. */
  readonly settled: number
  /** Calls of this proxy that the member may have counted by the time it answered. */
  readonly begun: number
}

const EVERY_MS = 10_000
const COUNTED_MS = 60_000

/**
 * Compares the member's count with the calls that passed through this proxy. A call that is in progress when the count
 * is requested may or may not be included in it. Each reading assumes the case that speaks against a bypass, so a
 * bypass is never reported where there was none.
 */
export class BypassCount {
  #samples: readonly Sample[] = []
  #givenUp = 0

  /**
   * Calls `ask` for the number of calls that the member has handled; `undefined` where it does not report one. A call
   * that this proxy gave up may still be in progress in the member, so it counts as settled from the next reading on.
   */
  async look(calls: CallCount, now: () => number, ask: () => Promise<number | undefined>): Promise<void> {
    const settled = calls.answered + this.#givenUp
    const givenUp = calls.givenUp
    const handled = await ask()
    if (handled === undefined) {
      this.#samples = []
      return
    }
    this.#givenUp = givenUp
    const last = this.#samples.at(-1)
    // A member that restarted counts from the beginning.
    const before = last !== undefined && handled >= last.handled ? this.#samples : []
    const at = now()
    this.#samples = [...before.filter((one) => at - one.at <= COUNTED_MS), { at, handled, settled, begun: calls.begun }]
  }

  /** `undefined` until there are two readings. */
  get reading(): Bypass | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)]
    if (first === undefined || last === undefined || first === last) return undefined
    const answered = last.handled - first.handled
    return {
      answered,
      outside: Math.max(0, answered - (last.begun - first.settled)),
      seconds: Math.round((last.at - first.at) / 1_000),
    }
  }
}

const HANDLED = /^grpc_server_handled_total\{([^}]*)\} (\S+)$/gm

/** Calls of the counted service in a metrics page of etcd; `undefined` if the page counts no calls of any service. */
export function handledIn(page: string): number | undefined {
  let handled: number | undefined
  for (const [, labels = '', value] of page.matchAll(HANDLED)) {
    handled ??= 0
    if (labels.includes(`grpc_service="etcdserverpb.${COUNTED_SERVICE}"`)) handled += Number(value)
  }
  return handled
}

/** Reads the count from the metrics page at the member's client address. */
export const handledBy = async (upstream: Upstream): Promise<number | undefined> =>
  handledIn(await memberMetrics(upstream))

export interface BypassWatch {
  readonly reading: () => Bypass | undefined
  close(): void
}

/** Reads the member's count every ten seconds. */
export function watchBypass(upstream: Upstream, calls: CallCount, now: () => number): BypassWatch {
  const count = new BypassCount()
  let busy = false
  const look = async (): Promise<void> => {
    if (busy) return
    busy = true
    await count.look(calls, now, () => handledBy(upstream))
    busy = false
  }
  void look()
  const timer = setInterval(() => void look(), EVERY_MS)
  timer.unref()
  return { reading: () => count.reading, close: () => clearInterval(timer) }
}
