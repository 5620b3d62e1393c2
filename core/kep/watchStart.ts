/** How a watch begins (KEP-1040, Getting the initialization signal). Times in milliseconds. */
export interface WatchStart {
  /** `storage`: without a watch cache, the watch is passed on to etcd. */
  readonly from: 'cache' | 'storage'
  /** Until the structures exist, and etcd's watch is started. */
  readonly startMs: number
  /** Events until the watch has caught up. */
  readonly events: number
  /** To bring one of them into the result channel. */
  readonly queueMs: number
  /** To serialize one and send it to the client. */
  readonly sendMs: number
  /** Delays the signal of the cache by the sending as well, which the proposal leaves to the future. */
  readonly waitForSending: boolean
}

export interface WatchSignal {
  /** When the seat is released, after dispatch. */
  readonly signalMs: number
  /** When the client has the last of these events. */
  readonly caughtUpMs: number
}

/**
 * When the filter is told that a watch is initialised. Events are sent as they come into the channel, one after another, by a
 * goroutine of its own.
 */
export function watchSignal({ from, startMs, events, queueMs, sendMs, waitForSending }: WatchStart): WatchSignal {
  const queuedMs = startMs + events * queueMs
  // The slower of both sets the pace; the first event has to pass both.
  const caughtUpMs = events === 0 ? startMs : startMs + queueMs + sendMs + (events - 1) * Math.max(queueMs, sendMs)
  if (from === 'storage') return { signalMs: startMs, caughtUpMs }
  return { signalMs: queuedMs + (waitForSending ? events * sendMs : 0), caughtUpMs }
}
