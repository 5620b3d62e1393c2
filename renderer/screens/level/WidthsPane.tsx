import { memo, useMemo } from 'react'
import type { Histogram, LevelFrame, MissingFamily } from '../../../core/frame/frame.ts'
import { histogramMean, quantileRange, type QuantileBounds } from '../../../core/frame/quantile.ts'
import { numberColumn, type DataColumn } from '../../components/dataColumns.ts'
import { DataTable } from '../../components/DataTable.tsx'
import { FamilyNote } from '../../components/FamilyNote.tsx'
import { Pane } from '../../components/Pane.tsx'
import { format } from '../../theme/format.ts'
import styles from './panes.module.css'

/** Families whose absence leaves a column without numbers. */
const FAMILIES: ReadonlySet<string> = new Set(
  ['work_estimated_seats', 'request_queue_length_after_enqueue', 'watch_count_samples'].map(
    (name) => `apiserver_flowcontrol_${name}`,
  ),
)

/** How wide requests are, which queues they meet, and how many watchers their writes have, by flow schema. */
export const WidthsPane = memo(function WidthsPane(props: {
  readonly level: LevelFrame
  readonly missing: readonly MissingFamily[]
}) {
  const { level, missing } = props
  const rows = useMemo(() => widthRows(level), [level])
  const lengths = queuesSentence(level)
  return (
    <Pane
      title="Widths and queues"
      note="since the server started; the server does not report seats by list, watch and write"
    >
      {missing
        .filter(({ family }) => FAMILIES.has(family))
        .map((entry) => (
          <p key={entry.family} className={styles['prose']}>
            <FamilyNote entry={entry} />
          </p>
        ))}
      {lengths !== undefined && <p className={styles['prose']}>{lengths}</p>}
      <div className="column shrink-y">
        <DataTable
          caption={`Widths and queues of ${level.name}`}
          columns={COLUMNS}
          rows={rows}
          rowKey={(row) => row.name}
          density="compact"
          csvName={`widths-${level.name}`}
          empty="No request has reached this level yet."
        />
      </div>
    </Pane>
  )
})

/**
 * Widths that every release distinguishes: its bounds are 1, 2, 4, 10 up to 1.33, and 8, 16, 32, 64, 100 in place of 10
 * later.
 */
const WIDTH_BINS = [
  { label: '1 seat', upTo: 1 },
  { label: '2 seats', upTo: 2 },
  { label: '3 to 4', upTo: 4 },
  { label: 'more', upTo: Number.POSITIVE_INFINITY },
] as const

interface WidthRow {
  readonly name: string
  /** All counts are since the server started. */
  readonly requests: number | undefined
  /** Shares of the requests, one for each of `WIDTH_BINS`. */
  readonly shares: readonly number[] | undefined
  readonly writes: number | undefined
  readonly watches: number | undefined
  readonly watchersMean: number | undefined
  readonly queueMean: number | undefined
  readonly queueP99: QuantileBounds | undefined
}

/** One row for each flow schema whose requests were estimated, those with the most requests first. */
export function widthRows({ schemas }: Pick<LevelFrame, 'schemas'>): readonly WidthRow[] {
  return schemas
    .map(({ name, estimatedSeats, watchCount, executionWatch, queueLength }): WidthRow => ({
      name,
      requests: estimatedSeats?.count,
      shares: estimatedSeats && sharesOf(estimatedSeats),
      writes: watchCount?.count,
      watches: executionWatch?.count,
      watchersMean: meanOf(watchCount),
      queueMean: meanOf(queueLength),
      queueP99: queueLength && quantileRange(0.99, queueLength),
    }))
    .toSorted((a, b) => (b.requests ?? -1) - (a.requests ?? -1))
}

/** Arrivals at queues longer than this meet others that wait. */
const LONG_QUEUE = 10

/** Whether one flow or all of a level queue, as the documentation reads the lengths that requests meet. */
export function queuesSentence({ schemas }: Pick<LevelFrame, 'schemas'>): string | undefined {
  const longerOf = ({ bounds, counts, count }: Histogram): number =>
    count - (counts[bounds.indexOf(LONG_QUEUE)] ?? count)
  const lengths = schemas.flatMap(({ queueLength }) => queueLength ?? [])
  const all = lengths.reduce((sum, { count }) => sum + count, 0)
  const part = lengths.reduce((sum, one) => sum + longerOf(one), 0) / all
  if (!(part > 0)) return undefined
  const found = `${share(part)} of the requests met a queue longer than ${LONG_QUEUE}`
  return part < 0.5
    ? `${found}: few queues are long, so that probably few flows flood their hands.`
    : `${found}: all queues are long, so that the level may need more shares.`
}

const meanOf = (histogram: Histogram | undefined): number | undefined =>
  histogram === undefined || histogram.count === 0 ? undefined : histogramMean(histogram)

/** `undefined` where nothing was counted or the bounds differ. */
function sharesOf({ bounds, counts, count }: Histogram): readonly number[] | undefined {
  if (count === 0) return undefined
  const below = WIDTH_BINS.map(({ upTo }) => (upTo === Infinity ? count : counts[bounds.indexOf(upTo)]))
  if (below.includes(undefined)) return undefined
  return below.map((upTo = 0, i) => (upTo - (below[i - 1] ?? 0)) / count)
}

const share = (part: number | undefined): string =>
  part === undefined ? '' : part > 0 && part < 0.005 ? '< 1 %' : `${Math.round(part * 100)} %`

const mean = (value: number | undefined): string => (value === undefined ? '' : format.significant(value))

const COLUMNS: readonly DataColumn<WidthRow>[] = [
  { id: 'name', header: 'Flow schema', term: 'flow-schema', value: (row) => row.name },
  numberColumn('requests', 'Requests', (row) => row.requests, { title: 'Requests whose seats were estimated' }),
  ...WIDTH_BINS.map(({ label }, bin): DataColumn<WidthRow> =>
    numberColumn(`bin-${label}`, label, (row) => row.shares?.[bin], {
      title: `Share of requests that took ${label}`,
      text: share,
    }),
  ),
  numberColumn('writes', 'Writes', (row) => row.writes, {
    title: 'Mutating requests among them: those for which watchers were counted',
  }),
  numberColumn('watches', 'Watches', (row) => row.watches, { title: 'Watches that were initialised' }),
  numberColumn('watchers', 'Watchers per write', (row) => row.watchersMean, {
    title: 'Mean; a write costs more seats the more watchers it notifies',
    text: mean,
  }),
  numberColumn('queue', 'Queue on arrival', (row) => row.queueMean, {
    title: 'Mean length of the chosen queue when a request was enqueued, including it',
    text: mean,
  }),
  numberColumn('queueP99', 'p99', (row) => row.queueP99?.upTo ?? row.queueP99?.above, {
    title: '99th percentile of that length',
    cell: ({ queueP99: p99 }) =>
      p99 === undefined
        ? ''
        : p99.upTo === undefined
          ? `> ${format.fixed(p99.above)}`
          : `≤ ${format.fixed(Math.floor(p99.upTo))}`,
  }),
]
