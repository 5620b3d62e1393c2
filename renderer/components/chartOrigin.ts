import { unixMsOf } from '../../core/units.ts'
import { connectionStore } from '../state/connection.ts'
import { timeStore } from '../state/time.ts'
import { viewStore } from '../state/view.ts'
import { format } from '../theme/format.ts'

/**
 * What the numbers of a chart are of: the shown range; one instant, in Unix milliseconds; or no instant at all, because
 * they are calculated.
 */
export type ChartTime = number | 'range' | 'calculated'

/** The instant of the shown sample, Unix milliseconds. */
export function sampleInstant(): number | undefined {
  const { server } = viewStore.getState()
  return server === undefined ? undefined : unixMsOf(server.at)
}

/** Where the numbers of a picture come from and when they were: source, server, and sample or range. */
export function originOf(time: ChartTime | undefined): readonly string[] {
  const { connection } = connectionStore.getState()
  const { server } = viewStore.getState()
  const { from, to } = timeStore.getState()
  const source = connection?.source.name
  const at = typeof time === 'number' ? time : time === undefined ? sampleInstant() : undefined
  const sample = at === undefined ? undefined : `sample of ${format.dateTime(at)} ${format.zone()}`
  const range =
    time === 'range' && to > from
      ? `range ${format.dateTime(from)} to ${format.dateTime(to)} ${format.zone()}`
      : undefined
  return [source, server?.id === source ? undefined : server?.id, sample, range].filter((part) => part !== undefined)
}
