import type { ServerFrame } from '../../../core/frame/frame.ts'
import { sumOfKnown } from '../../../core/frame/reading.ts'
import type { KeyNumber } from '../../components/NowLine.tsx'
import { UNKNOWN } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'
import { peakOverMean } from '../../../core/frame/aggregate.ts'
import {
  needAttention,
  totalsOf,
  type LevelRow,
  type RecentRejections,
  type RejectionRow,
} from '../../../core/verdict/levelRows.ts'

const isUp = (n: number | undefined) => n !== undefined && n > 0

/** `14.2 s` as number and unit, so that the unit can be smaller; `500 ms–1 s` has two, and stays whole. */
function splitUnit(text: string): { value: string; unit?: string | undefined } {
  const [, value = text, unit] = /^([^a-z]+) ([a-z]+)$/.exec(text) ?? []
  return { value, unit }
}

/** The key numbers of one server. */
export function keyNumbers(rows: readonly LevelRow[], rejections?: readonly RejectionRow[]): readonly KeyNumber[] {
  const totals = totalsOf(rows, rejections)
  const { lent, borrowed, longestWait } = totals
  const same = lent === borrowed
  const wait = splitUnit(format.quantile(longestWait?.seconds, longestWait?.range))
  const waitUnknown = rows.some(({ waitP99 }) => waitP99 === undefined)
  return [
    {
      label: 'executing',
      term: 'executing',
      value: format.seats(totals.executing),
      unit: `/ ${format.seats(totals.nominal)} seats`,
    },
    {
      label: 'lent and borrowed',
      term: 'lend',
      value: same ? format.seats(lent) : `${format.seats(lent)} · ${format.seats(borrowed)}`,
      unit: 'seats',
    },
    {
      label: 'queued',
      term: 'queued',
      value: format.seats(totals.queuedRequests),
      unit: `requests · ${format.seats(totals.queuedSeats)} seats`,
      tone: isUp(totals.queuedRequests) ? 'queued' : undefined,
    },
    {
      label: 'rejected, 10 s',
      term: 'http-429',
      value: totals.rejectedPerSecond === undefined ? UNKNOWN : format.significant(totals.rejectedPerSecond),
      unit: '/s',
      tone: isUp(totals.rejectedPerSecond) ? 'rejected' : undefined,
    },
    longestWait === undefined
      ? {
          label: 'longest wait p99, 30 s',
          term: 'wait',
          value: waitUnknown ? UNKNOWN : 'none',
          unit: waitUnknown ? '' : 'waited',
        }
      : {
          label: 'longest wait p99, 30 s',
          term: 'wait',
          ...wait,
          whose: longestWait.level,
        },
  ]
}

export interface ServerState {
  readonly server: ServerFrame
  readonly rows: readonly LevelRow[]
  readonly recent?: RecentRejections | undefined
}

/** More servers than this are not listed one by one in a key number. */
const LISTED = 4

const listed = (values: readonly string[]) => values.join(' · ')

/** The key numbers of several servers; sums are labelled as sums. */
export function serversKeyNumbers(servers: readonly ServerState[]): readonly KeyNumber[] {
  const totals = servers.map(({ rows, recent }) => totalsOf(rows, recent?.rows))
  const few = servers.length <= LISTED
  const nominals = new Set(totals.map(({ nominal }) => nominal))
  const [nominal] = nominals
  const of = nominals.size === 1 ? `of ${format.seats(nominal)} each` : 'seats'
  const executing = totals.map((total) => total.executing)
  const queued = totals.map((total) => total.queuedSeats)
  const ratio = peakOverMean(executing)
  const names = new Set(servers.flatMap(({ rows }) => rows.map(({ name }) => name)))
  const troubled = new Set(servers.flatMap(({ rows }) => needAttention(rows).map(({ name }) => name)))
  const isPartlyUnknown = servers.some(({ rows }) => rows.some(({ states }) => states.includes('unknown')))
  const rejected = sumOfKnown(totals.map((total) => total.rejectedPerSecond))
  const each = (values: readonly (number | undefined)[]) =>
    few ? listed(values.map((value) => format.seats(value))) : format.seats(sumOfKnown(values))
  const suffix = few ? ', per server' : `, sum of ${servers.length}`
  return [
    {
      label: `executing${suffix}`,
      term: 'executing',
      value: each(executing),
      unit: few ? of : 'seats',
    },
    {
      label: `queued${suffix}`,
      term: 'queued',
      value: each(queued),
      unit: 'seats',
      tone: queued.some(isUp) ? 'queued' : undefined,
    },
    {
      label: 'busiest server',
      term: 'imbalance',
      value: ratio === undefined ? UNKNOWN : format.fixed(ratio, 2),
      unit: '× mean',
    },
    {
      label: 'need attention',
      value: troubled.size === 0 && isPartlyUnknown ? UNKNOWN : String(troubled.size),
      unit: `of ${names.size} levels`,
      tone: troubled.size > 0 ? 'queued' : undefined,
    },
    {
      label: 'rejected, sum, 10 s',
      term: 'rejected',
      value: rejected === undefined ? UNKNOWN : format.significant(rejected),
      unit: '/s',
      tone: isUp(rejected) ? 'rejected' : undefined,
    },
    { label: 'servers', value: String(servers.length) },
  ]
}
