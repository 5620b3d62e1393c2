import { MS_PER_SECOND, type Nanoseconds, NS_PER_MS, NS_PER_SECOND, secondsToNs } from '../units.ts'

/**
 * Prints rows as the debug endpoints do (specification 12): cells are joined by a comma and padded to columns that are
 * as wide as their longest cell with its comma and a space, at least 8; the last cell of a line gets neither comma nor
 * padding.
 */
const LEAST_WIDTH = 8

/** Characters as the formatter counts them: code points, not UTF-16 units. */
const lengthOf = (text: string): number => Array.from(text).length

export function printDump(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows]
  const widths = header.map((_, column) =>
    lines.reduce((widest, cells) => Math.max(widest, lengthOf(cells[column] ?? '') + 2), LEAST_WIDTH),
  )
  const last = header.length - 1
  return lines
    .map((cells) =>
      cells
        .map((cell, column) =>
          column === last ? cell : `${cell},`.padEnd(paddedTo(cell, widths[column] ?? LEAST_WIDTH)),
        )
        .join(''),
    )
    .map((line) => `${line}\n`)
    .join('')
}

/** `padEnd` counts UTF-16 units, so each character of two units widens the padded cell by one. */
const paddedTo = (cell: string, width: number): number => width + (cell.length - lengthOf(cell))

/** A UTC time with up to nine decimals, trailing zeros left out. `unixNs` is Unix nanoseconds. */
export function goTime(unixNs: bigint): string {
  const perSecond = BigInt(NS_PER_SECOND)
  const seconds = unixNs / perSecond
  const rest = String(unixNs % perSecond)
    .padStart(9, '0')
    .replace(/0+$/, '')
  const whole = new Date(Number(seconds) * MS_PER_SECOND).toISOString().replace('.000Z', '')
  return `${whole}${rest === '' ? '' : `.${rest}`}Z`
}

const MINUTE_NS = secondsToNs(60)

/** A duration in Go's notation: `0s`, `5ns`, `1.5µs`, `5ms`, `1.5s`, `1h2m3s`. */
export function goDuration(nanoseconds: Nanoseconds): string {
  if (nanoseconds === 0) return '0s'
  const magnitude = Math.abs(nanoseconds)
  const sign = nanoseconds < 0 ? '-' : ''
  if (magnitude < 1_000) return `${sign}${magnitude}ns`
  if (magnitude < NS_PER_MS) return `${sign}${decimal(magnitude, 3)}µs`
  if (magnitude < NS_PER_SECOND) return `${sign}${decimal(magnitude, 6)}ms`
  const minutes = Math.floor(magnitude / MINUTE_NS)
  const seconds = `${decimal(magnitude - minutes * MINUTE_NS, 9)}s`
  if (minutes === 0) return sign + seconds
  return minutes < 60 ? `${sign}${minutes}m${seconds}` : `${sign}${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`
}

/** An integer divided by 10^places, exactly, without trailing zeros. */
function decimal(value: number, places: number): string {
  const digits = String(value).padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  return digits.slice(0, -places) + (fraction === '' ? '' : `.${fraction}`)
}

/** Columns of the debug dumps, in the order in which servers write them (specification 12). */

export const DUMP_LEVEL_COLUMNS = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
] as const

export const DUMP_QUEUE_COLUMNS = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
] as const

export const DUMP_REQUEST_COLUMNS = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  // The server's own spelling (trap T68).
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
] as const

/** Columns that `includeRequestDetails` adds. */
export const DUMP_DETAIL_COLUMNS = [
  'UserName',
  'Verb',
  'APIPath',
  'Namespace',
  'Name',
  'APIVersion',
  'Resource',
  'SubResource',
] as const
