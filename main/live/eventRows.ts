import type { EngineEvent } from '../../core/engine/events.ts'
import type { Ticket } from '../../core/engine/ticket.ts'
import type { LiveRequest } from '../../core/contract/live.ts'
import { type Nanoseconds, nsToMs } from '../../core/units.ts'
import type { LiveRow } from '../../core/live/requestLog.ts'
import { placed, rowOf } from '../../core/live/rows.ts'

/**
 * The row of a request that an engine has just received, at this Unix time in milliseconds: the ticket is not complete
 * yet.
 */
export function arrivedRow(ticket: Ticket<unknown>, at: number): Omit<LiveRequest, 'seq'> {
  const { user, info, query } = ticket.payload
  const asked = new URLSearchParams([...query]).toString()
  const target = asked === '' ? info.path : `${info.path}?${asked}`
  return { ...rowOf({ user, method: '', target }, at, info), ...placed(ticket), state: 'waiting' }
}

/** The state of the request after an event. */
export function changeBy(
  event: Extract<EngineEvent<unknown>, { readonly ticket: Ticket<unknown> }>,
  nowNs: Nanoseconds,
): Partial<LiveRow> {
  const { ticket } = event
  const waitMs = nsToMs(nowNs - ticket.arrivedNs)
  switch (event.kind) {
    case 'enqueued':
      return placed(ticket)
    case 'dispatched':
      return { state: 'executing', waitMs }
    case 'rejected':
      return { state: 'rejected', waitMs, reason: event.reason, retryAfter: event.retryAfter, status: 429 }
    case 'finished':
      return {
        state: 'served',
        status: 200,
        runMs: nsToMs(nowNs - ticket.startedNs),
        lingerMs: nsToMs(ticket.additionalLatency),
      }
    default:
      return {}
  }
}
