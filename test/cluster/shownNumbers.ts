import type { DerivedServer } from '../../core/frame/derived.ts'
import type { Histogram, ServerFrame } from '../../core/frame/frame.ts'
import { isExempt, REJECT_REASONS } from '../../core/frame/reading.ts'
import { histogramIncrease } from '../../core/frame/quantile.ts'
import type { MeasureId, Shown } from '../../core/prom/measures.ts'
import { rejectionRows, schemaRows } from '../../renderer/screens/level/level.data.ts'
import { levelRows, totalsOf, type LevelRow } from '../../core/verdict/levelRows.ts'

/** What the screens show of one frame. */
interface Screens {
  readonly frame: ServerFrame
  readonly derived: DerivedServer
  /** The frame that a window of this many milliseconds begins with. */
  readonly since: (ms: number) => ServerFrame | undefined
}

export const KINDS = ['value', 'rate', 'quantile', 'share'] as const

/** A number beside the expression that is offered for it. */
export interface ShownNumber {
  readonly shown: Shown
  /** How it may differ: not at all, as rates do, or as quantiles that the console bounds beyond their buckets. */
  readonly kind: (typeof KINDS)[number]
  /** By the values of the labels in `each`, of `line` and of `le`, joined. */
  readonly values: ReadonlyMap<string, number | undefined>
}

const one = (value: number | undefined): ShownNumber['values'] => new Map([['', value]])
const numberOf = (value: number | 'n/a' | undefined): number | undefined => (value === 'n/a' ? undefined : value)

/** Of the 60 s of the cells of a heat map and the shares of time, the part between two scrapes. */
export const SPAN_MS = 60_000

/** Every measure in the places where it is offered, with the number shown there. */
export function shownNumbers({ frame, derived, since }: Screens, intervalMs: number): readonly ShownNumber[] {
  const rows = levelRows(frame, derived, (a, b) => (a < b ? -1 : 1))
  const limited = rows.filter(({ exempt }) => !exempt)
  const totals = totalsOf(rows)
  const eachLevel = (
    measures: MeasureId,
    kind: ShownNumber['kind'],
    of: readonly LevelRow[],
    value: (row: LevelRow) => number | 'n/a' | undefined,
  ): ShownNumber => ({
    shown: { measures, each: ['priority_level'] },
    kind,
    values: new Map(of.map((row) => [row.name, numberOf(value(row))])),
  })
  const server = (measures: Shown['measures'], kind: ShownNumber['kind'], value: number | undefined): ShownNumber => ({
    shown: { measures },
    kind,
    values: one(value),
  })
  const before = since(SPAN_MS - intervalMs)
  return [
    server('executing', 'value', totals.executing),
    server('queued', 'value', totals.queuedRequests),
    server('queuedSeats', 'value', totals.queuedSeats),
    server('limitedNominal', 'value', totals.nominal),
    server('lent', 'value', totals.lent),
    server('borrowed', 'value', totals.borrowed),
    server('rejected', 'rate', totals.rejectedPerSecond),
    server('longestWaitP99', 'quantile', totals.longestWait?.seconds),
    server('fairFraction', 'value', frame.seatFairFrac),
    eachLevel('executing', 'value', rows, ({ seats }) => seats.executing),
    eachLevel('limit', 'value', limited, ({ seats }) => seats.current),
    eachLevel('nominal', 'value', rows, ({ seats }) => seats.nominal),
    eachLevel('min', 'value', limited, ({ lower }) => lower),
    eachLevel('max', 'value', limited, ({ seats }) => seats.upper),
    eachLevel('change', 'value', limited, ({ change }) => change),
    eachLevel('lent', 'value', limited, ({ change }) => Math.max(0, -(numberOf(change) ?? 0))),
    eachLevel('demand', 'value', rows, ({ demand }) => demand),
    eachLevel('queued', 'value', rows, ({ queuedRequests }) => queuedRequests),
    eachLevel('queuedSeats', 'value', rows, ({ seats }) => seats.queued),
    eachLevel('waitP50', 'quantile', limited, ({ waitP50 }) => waitP50),
    eachLevel('waitP99', 'quantile', limited, ({ waitP99 }) => waitP99),
    eachLevel('dispatched', 'rate', rows, ({ dispatchedPerSecond }) => dispatchedPerSecond),
    eachLevel('noAccommodation', 'rate', limited, ({ noAccommodationPerSecond }) => noAccommodationPerSecond),
    eachLevel('rejected', 'rate', rows, ({ rejectedPerSecond }) => rejectedPerSecond),
    eachLevel('queueFull', 'rate', rows, ({ rejectedBy }) => rejectedBy?.['queue-full']),
    eachLevel('timeOut', 'rate', rows, ({ rejectedBy }) => rejectedBy?.['time-out']),
    eachLevel('concurrencyLimit', 'rate', rows, ({ rejectedBy }) => rejectedBy?.['concurrency-limit']),
    ...frame.levels.flatMap((level): readonly ShownNumber[] => {
      const own = derived.levels.find(({ name }) => name === level.name)
      const { limits, demand, name, virtualTime } = level
      const earlier = before?.levels.find((candidate) => candidate.name === name)
      const schemas = schemaRows(level, own)
      const eachSchema = (
        measures: MeasureId,
        kind: ShownNumber['kind'],
        value: (row: (typeof schemas)[number]) => number | undefined,
      ): ShownNumber => ({
        shown: { measures, level: name, each: ['flow_schema'] },
        kind,
        values: new Map(schemas.map((row) => [row.name, value(row)])),
      })
      const eachReason = (
        measures: MeasureId,
        kind: ShownNumber['kind'],
        value: (row: ReturnType<typeof rejectionRows>[number]) => number | undefined,
      ): ShownNumber => ({
        shown: { measures, level: name, each: ['reason'] },
        kind,
        values: new Map(rejectionRows(level, own).map((row) => [row.reason, value(row)])),
      })
      const shares = (measures: MeasureId, key: 'seatUtilization' | 'demandRatio'): ShownNumber => ({
        shown: { measures, level: name, spanMs: SPAN_MS },
        kind: 'share',
        values: cumulative(level[key], earlier?.[key], (counts, count) => counts / count),
      })
      return [
        {
          shown: { measures: CHART, level: name },
          kind: 'value',
          values: new Map([
            ['highWatermark', demand.highWatermark],
            ['average', demand.average],
            ['deviation', demand.stdev],
            ['demand', demand.smoothed],
            ['target', demand.target],
            ['limit', limits.current],
            ['nominal', limits.nominal],
            ['limitToTarget', quotient(limits.current, demand.target)],
            ['virtualTime', virtualTime?.currentR],
            ['dispatchVirtualTime', virtualTime?.dispatchR],
            ['lastServedTag', virtualTime?.latestS],
          ]),
        },
        { shown: { measures: 'envelope', level: name }, kind: 'value', values: one(own?.envelope) },
        eachSchema('executing', 'value', (row) => row.executingSeats),
        eachSchema('executingRequests', 'value', (row) => row.executing),
        eachSchema('queued', 'value', (row) => row.queued),
        eachSchema('dispatched', 'rate', (row) => row.dispatchedRate),
        eachSchema('waitP99', 'quantile', (row) => (isExempt(level) ? undefined : row.waitP99)),
        eachSchema('executionP99', 'quantile', (row) => row.executionP99),
        eachSchema('meanSeats', 'value', (row) => row.meanSeats),
        eachReason('rejected', 'rate', (row) => row.rate),
        eachReason('rejectedTotal', 'value', (row) => row.total),
        shares('utilizationShares', 'seatUtilization'),
        shares('demandShares', 'demandRatio'),
        ...level.schemas.flatMap((schema) =>
          HEAT.map(([measures, key]): ShownNumber => {
            const was = earlier?.schemas.find((candidate) => candidate.name === schema.name)
            return {
              shown: { measures, level: name, schema: schema.name, spanMs: SPAN_MS },
              kind: 'share',
              // Prometheus extends what it saw between the first and the last scrape to the whole of the range.
              values: cumulative(schema[key], was?.[key], (counts) => (counts * SPAN_MS) / (SPAN_MS - intervalMs)),
            }
          }),
        ),
      ]
    }),
  ]
}

const CHART = [
  'highWatermark',
  'average',
  'deviation',
  'demand',
  'target',
  'limit',
  'nominal',
  'limitToTarget',
  'virtualTime',
  'dispatchVirtualTime',
  'lastServedTag',
] as const

const HEAT = [
  ['waits', 'wait'],
  ['executions', 'execution'],
] as const

const quotient = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a / b

/** What was observed up to each bound. */
function cumulative(
  later: Histogram | undefined,
  earlier: Histogram | undefined,
  value: (counts: number, count: number) => number,
): ShownNumber['values'] {
  const increase = later === undefined || earlier === undefined ? undefined : histogramIncrease(later, earlier)
  if (increase === undefined || increase.count === 0) return new Map()
  const { bounds, counts, count } = increase
  return new Map(counts.map((upTo, i) => [String(bounds[i] ?? '+Inf'), value(upTo, count)]))
}

/** Series of rates and quantiles are compared once every flow that counts has counted for so long. */
export const flowsOf = ({ levels }: ServerFrame): string =>
  levels
    .flatMap(({ name, schemas }) =>
      schemas.flatMap((schema) => [
        `${name} ${schema.name} ${schema.dispatched === 0} ${schema.noAccommodation === 0} ${schema.wait === undefined} ${schema.execution === undefined}`,
        ...REJECT_REASONS.map((reason) => `${schema.rejected?.[reason] === 0}`),
      ]),
    )
    .join('\n')
