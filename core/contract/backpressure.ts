/**
 * Back-pressure of one subscription: at most `credit` events are in flight; of those that arrive meanwhile only the
 * newest waits. So the memory for a slow reader is bounded: `credit` + 1 events, however long it does not read.
 */
export interface Valve<E> {
  /** Sends the event now or keeps it as the pending one. */
  offer(event: E): void
  /** The reader took an event. `false` when none was in flight: the reader violates the protocol. */
  acknowledge(): boolean
  /** Something outside changed: send the pending event, if that is possible now. */
  retry(): void
  /** Events that newer ones replaced before they could be sent. */
  readonly merged: number
}

export interface ValveOptions<E> {
  readonly credit: number
  readonly send: (event: E) => void
  /** Whether the line accepts events at the moment. */
  readonly ready: () => boolean
}

export function createValve<E>({ credit, send, ready }: ValveOptions<E>): Valve<E> {
  let inFlight = 0
  let merged = 0
  let waiting: { readonly event: E } | undefined

  const retry = (): void => {
    if (waiting === undefined || inFlight >= credit || !ready()) return
    const { event } = waiting
    waiting = undefined
    inFlight += 1
    send(event)
  }
  return {
    offer(event) {
      if (waiting !== undefined) merged += 1
      waiting = { event }
      retry()
    },
    acknowledge() {
      if (inFlight === 0) return false
      inFlight -= 1
      retry()
      return true
    },
    retry,
    get merged() {
      return merged
    },
  }
}
