import type { ProcedureHandlers } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import type { LiveEvent, LiveShadow, LiveState, ProxyMode } from '../../core/contract/live.ts'
import type { LiveTraffic } from '../ports/source.ts'
import type { Environment } from '../ports/environment.ts'
import type { Subscribable } from '../ports/topic.ts'
import type { Session } from './session.ts'

/** What is told of the single requests of one connected source. */
export interface LiveOutlet {
  readonly rows: Subscribable<LiveEvent>
  /** The state at once, then each second. */
  readonly states: Subscribable<LiveState>
  shadow(wish: LiveShadow): LiveState
  /** Throws `unsupported` for what is no proxy. */
  mode(mode: ProxyMode): LiveState
}

/** Between two events, milliseconds. */
const ROWS_MS = 100
const STATE_MS = 1_000

/** Costs nothing while nobody listens. */
export function createLiveOutlet(
  connection: number,
  traffic: LiveTraffic,
  { after }: Pick<Environment, 'after'>,
): LiveOutlet {
  const rows = repeatedWhileHeard<LiveEvent>(after, ROWS_MS, {
    begin: () => void (traffic.log.telling = true),
    end: () => void (traffic.log.telling = false),
    next() {
      traffic.settle()
      const changes = traffic.log.takeChanges()
      return changes.event === changes.from ? undefined : { connection, ...changes }
    },
  })
  const state = (): LiveState => {
    traffic.settle()
    return traffic.state()
  }
  const tell = (): LiveState => {
    const told = state()
    states.publish(told)
    return told
  }
  const states = repeatedWhileHeard<LiveState>(after, STATE_MS, { begin() {}, end() {}, next: state })
  return {
    rows: {
      subscribe(emit, signal) {
        rows.subscribe(emit, signal)
        const { event } = traffic.log
        // A reader that comes back learns that it missed something, although nothing more may happen.
        if (!signal.aborted) emit({ connection, from: event, event, requests: [], dropped: 0 })
      },
    },
    states: {
      subscribe(emit, signal) {
        states.subscribe(emit, signal)
        if (!signal.aborted) emit(state())
      },
    },
    shadow(wish) {
      traffic.shadow(wish)
      return tell()
    },
    mode(mode) {
      if (traffic.change === undefined) {
        throw new ProblemError('unsupported', 'Only a proxy decides about requests; connect one to enforce.')
      }
      traffic.change(mode)
      return tell()
    },
  }
}

interface Repeated<E> {
  readonly begin: () => void
  readonly end: () => void
  /** What is to be told now, if anything. */
  readonly next: () => E | undefined
}

/** Asks again and again what to tell for as long as somebody listens; all hear the same. */
function repeatedWhileHeard<E>(after: Environment['after'], ms: number, { begin, end, next }: Repeated<E>) {
  const listeners = new Set<(event: E) => void>()
  let cancel = (): void => undefined
  const publish = (event: E): void => {
    for (const listener of listeners) listener(event)
  }
  const again = (): void => {
    cancel = after(ms, () => {
      const event = next()
      if (event !== undefined) publish(event)
      again()
    })
  }
  const subscribable: Subscribable<E> = {
    subscribe(emit, signal) {
      if (signal.aborted) return
      const listener = (event: E): void => emit(event)
      listeners.add(listener)
      if (listeners.size === 1) {
        begin()
        again()
      }
      const leave = (): void => {
        if (!listeners.delete(listener) || listeners.size > 0) return
        cancel()
        end()
      }
      signal.addEventListener('abort', leave, { once: true })
    },
  }
  return { ...subscribable, publish }
}

type LiveProcedures = Pick<ProcedureHandlers, Extract<keyof ProcedureHandlers, `live.${string}`>>

/**
 * What may be asked of the single requests of the connected source; `unsupported` where it has none. `assertEditing` throws
 * while nothing may be changed.
 */
export function liveProcedures(connected: () => Session, assertEditing: () => void): LiveProcedures {
  const outlet = (): { readonly id: number; readonly traffic: LiveTraffic; readonly live: LiveOutlet } => {
    const { connection, traffic, live } = connected()
    if (traffic === undefined || live === undefined) {
      throw new ProblemError('unsupported', 'The connected source shows no single requests; connect a proxy or a feed.')
    }
    return { id: connection.id, traffic, live }
  }
  return {
    'live.page': async ({ before, since, count }) => {
      const { id, traffic } = outlet()
      traffic.settle()
      const { log } = traffic
      return { connection: id, event: log.event, requests: log.before(count, before, since) }
    },
    'live.shadow': async (wish) => outlet().live.shadow(wish),
    'live.mode': async ({ mode }) => {
      const { live } = outlet()
      assertEditing()
      return live.mode(mode)
    },
  }
}
