import type { RangeLevel } from '../../../core/frame/series.ts'
import { format } from '../../theme/format.ts'
import { requests, type NowRange, type NowServer } from './nowStatement.ts'

const span = (range: NowRange): string =>
  range.follows
    ? `in the last ${format.span((range.to - range.from) / 1_000)}`
    : `from ${format.time(range.from)} to ${format.time(range.to)}`

/** `2,742 requests rejected in the last 10 min.` */
export const rejectedInRange = (count: number, range: NowRange): string =>
  `${range.approximate ? '≈ ' : ''}${requests(count)} rejected ${span(range)}.`

/**
 * What the selected range saw of rejections and queues, and when last: one sentence, empty while that is not known of every
 * server.
 */
export function overRange(servers: readonly NowServer[]): string {
  const [first] = servers.flatMap(({ range }) => range ?? [])
  if (first === undefined || servers.some(({ range }) => range === undefined)) return ''
  const levels = servers.flatMap(({ id, range }) =>
    (range?.levels ?? []).map((level) => ({
      ...level,
      name: servers.length > 1 ? `${level.name} on ${id}` : level.name,
    })),
  )
  const known = levels.filter(({ rejected }) => rejected !== undefined)
  const total = known.reduce((sum, { rejected = 0 }) => sum + rejected, 0)
  const last = latest(levels, ({ lastRejectedAt }) => lastRejectedAt)
  if (last !== undefined && total > 0) {
    return `${rejectedInRange(total, first).slice(0, -1)}, last by ${last.name} at ${format.time(last.at)}.`
  }
  const none = known.length === 0 ? '' : `No request was rejected ${span(first)}`
  const queued = latest(levels, ({ lastQueuedAt }) => lastQueuedAt)
  if (queued === undefined) return none === '' ? '' : `${none}, and no sample saw one wait.`
  const waited = `${queued.name} last queued at ${format.time(queued.at)}.`
  return none === '' ? waited : `${none}; ${waited}`
}

function latest(levels: readonly RangeLevel[], of: (level: RangeLevel) => number | undefined) {
  const [last] = levels
    .flatMap((level) => {
      const at = of(level)
      return at === undefined ? [] : [{ name: level.name, at }]
    })
    .toSorted((a, b) => b.at - a.at)
  return last
}
