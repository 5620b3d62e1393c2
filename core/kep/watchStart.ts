/** How a watch begins (KEP-1040, Getting the initialization signal). Times in milliseconds. */
export interface WatchStart {
  /** `storage`: without a watch cache, the watch is passed on to etcd. */
  readonly from: 'cache' | 'storage'
  /** Until the structures exist and etcd's watch has started. */
  readonly startMs: number
  /** Events until the watch has caught up. */
  readonly events: number
  /** Time to put one event into the result channel. */
  readonly queueMs: number
  /** Time to serialize one event and send it to the client. */
  readonly sendMs: number
  /** Delays the cache's signal until the events are sent as well, which the proposal leaves to the future. */
  readonly waitForSending: boolean
}

export interface WatchSignal {
  /** When the seat is released, after dispatch. */
  readonly signalMs: number
  /** When the client has received the last of these events. */
  readonly caughtUpMs: number
}

/**
 * When the filter is notified that a watch is initialised. Events are sent as they enter the channel, one after
 * another, by a separate goroutine.
 */
export function watchSignal({ from, startMs, events, queueMs, sendMs, waitForSending }: WatchStart): WatchSignal {
  const queuedMs = startMs + events * queueMs
  // The slower of the two sets the pace; the first event has to pass both.
  const caughtUpMs = events === 0 ? startMs : startMs + queueMs + sendMs + (events - 1) * Math.max(queueMs, sendMs)
  if (from === 'storage') return { signalMs: startMs, caughtUpMs }
  return { signalMs: queuedMs + (waitForSending ? events * sendMs : 0), caughtUpMs }
}
