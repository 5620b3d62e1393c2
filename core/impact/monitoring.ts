import type { ObjectSet } from '../config/objects.ts'
import type { LevelFrame, ServerFrame } from '../frame/frame.ts'
import { isExempt } from '../frame/reading.ts'
import type { Format } from '../text/format.ts'
import { nominalLimitsOf } from './reportedLimit.ts'
import { possibleServerLimits } from './serverLimit.ts'

/** What KEP-1040 (Monitoring Requirements) tells an operator to look at. */
export interface MonitoringCheck {
  readonly label: string
  readonly value: string
  /** It is otherwise. */
  readonly tone?: 'warn'
}

/** Whether flow control is in use, follows its objects, and queues for want of seats. */
export const monitoringChecks = (
  server: ServerFrame,
  objects: ObjectSet | undefined,
  format: Format,
): readonly MonitoringCheck[] => [
  inUse(server, format),
  followsShares(server, objects, format),
  queuesForSeats(server, format),
]

function inUse({ levels }: ServerFrame, format: Format): MonitoringCheck {
  const label = 'Flow control in use'
  const known = levels.flatMap(({ dispatched }) => dispatched ?? [])
  if (known.length === 0) return { label, value: format.fixed(undefined) }
  const sum = known.reduce((total, one) => total + one, 0)
  return sum > 0
    ? { label, value: `${format.counted(sum, 'request')} dispatched` }
    : { label, value: 'no request dispatched', tone: 'warn' }
}

/** Limits are rounded, so that several sizes of a server may give the same ones. */
function followsShares(server: ServerFrame, objects: ObjectSet | undefined, format: Format): MonitoringCheck {
  const label = 'Nominal limits'
  const limits = nominalLimitsOf(server)
  if (objects === undefined || limits.size === 0) return { label, value: format.fixed(undefined) }
  const range = possibleServerLimits(objects, limits)
  if (range === undefined) return { label, value: 'not what the shares of the objects give', tone: 'warn' }
  const { least, most } = range
  const seats =
    least === most ? format.counted(most, 'seat') : `${format.fixed(least)} to ${format.counted(most, 'seat')}`
  return { label, value: `as the shares give of ${seats}` }
}

/** More of the limit that is free than a wide request leaves. */
const FREE = 0.2

function queuesForSeats({ levels }: ServerFrame, format: Format): MonitoringCheck {
  const label = 'Queueing, in this sample'
  const limited = levels.filter((level) => !isExempt(level))
  if (!limited.some(({ requests }) => requests.queued !== undefined)) return { label, value: format.fixed(undefined) }
  // A page is not of one instant, and a wide request leaves seats free: one sample proves nothing.
  const idle = limited.filter(isFreeWhileQueueing)
  return {
    label,
    value: idle.length === 0 ? 'none with free seats' : `${format.counted(idle.length, 'level')} with free seats`,
  }
}

function isFreeWhileQueueing({ requests, seats, limits }: LevelFrame): boolean {
  const { executing } = seats
  const { current } = limits
  if ((requests.queued ?? 0) === 0 || executing === undefined || current === undefined) return false
  return executing < current * (1 - FREE)
}
