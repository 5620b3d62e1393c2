/**
 * Back-pressure of one subscription: at most `credit` events are under way; of those that come meanwhile only the
 * newest waits. So what a slow reader costs is bounded: `credit` + 1 events, however long it sleeps.
 */
export interface Valve<E> {
  /** Sends the event now or keeps it as the one that waits. */
  offer(event: E): void
  /** The reader took an event. `false` when it had none to take: the reader does not follow the protocol. */
  acknowledge(): boolean
  /** Something outside changed: send what waits, if that is possible now. */
  retry(): void
  /** Events that newer ones replaced before they could be sent. */
  readonly merged: number
}

export interface ValveOptions<E> {
  readonly credit: number
  readonly send: (event: E) => void
  /** Whether the line takes events at all at this moment. */
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
