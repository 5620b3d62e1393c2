import { plain } from '../text/format.ts'
import type { EngineMode } from '../engine/profiles.ts'
import type { EngineEvent } from '../engine/events.ts'
import { nsToMs } from '../units.ts'

/** An event of an engine in a line: `dispatched after 12.000 ms: get /api/v1/pods by ann, global-default in global-default`. */
export function eventText(event: EngineEvent<unknown>, mode: EngineMode): string {
  if (event.kind === 'limits-adjusted') return 'The limits were recomputed.'
  if (!('ticket' in event)) return `${event.kind}: ${event.level}`
  const { ticket } = event
  const { user, info } = ticket.payload
  const place = mode === 'max-in-flight' ? '' : `, ${ticket.lane.schema} in ${ticket.lane.level.plan.name}`
  const how =
    event.kind === 'rejected'
      ? ` (${event.reason})`
      : event.kind === 'dispatched'
        ? ` after ${plain.ms(nsToMs(ticket.startedNs - ticket.arrivedNs))}`
        : ''
  return `${event.kind}${how}: ${info.verb} ${info.path} by ${user.name}${place}`
}
