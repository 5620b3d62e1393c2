import { memo, type ReactNode } from 'react'
import { sentenceText } from '../../../core/answer/answer.ts'
import { sumNote } from '../../../core/impact/presentAllocation.ts'
import type { LevelVerdict } from '../../../core/impact/expected.ts'
import type { MeasureId } from '../../../core/prom/measures.ts'
import { classes, scrollRegion } from '../../components/classes.ts'
import type { DataColumn } from '../../components/dataColumns.ts'
import { Icon } from '../../components/Icon.tsx'
import { LevelName } from '../../components/LevelChip.tsx'
import { PlainTable } from '../../components/PlainTable.tsx'
import type { PromqlCopy } from '../../components/Promql.tsx'
import { Term } from '../../components/Term.tsx'
import { NARROW, useMedia } from '../../components/hooks.ts'
import { hrefOf } from '../../state/route.ts'
import { NOT_APPLICABLE } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'
import { levelStyle, patternOf } from '../../charts/plot.tsx'
import type { KnownRound, StepRow, StepSums } from './rounds.data.ts'
import styles from './allocation.module.css'

export interface StepTableProps {
  readonly round: KnownRound
  readonly table: { readonly rows: readonly StepRow[]; readonly sums: StepSums }
  readonly selected: string | undefined
  readonly server: string
}

/** More levels than this get lower rows. */
const FEW = 12

/** From observed demand to the limit in five steps, one row per level. */
export const StepTable = memo(function StepTable({ round, table, selected, server }: StepTableProps) {
  const narrow = useMedia(NARROW)
  const { rows, sums } = table
  const { regime } = round.expected
  const scale = Math.max(
    1,
    ...rows.map(({ nominal, reported = 0, exempt }) => (exempt ? 0 : Math.max(nominal, reported))),
  )
  const solved = regime === 'solver'
  return (
    <div className="line-above line-below scroll-x focus-inside" {...scrollRegion('Steps from demand to limit')}>
      <PlainTable
        caption={`How the limits of ${server} were set, seats`}
        className={classes(styles['table'], rows.length > FEW && styles['many'])}
        columns={stepColumns({ narrow, solved, scale, follows: round.step.follows })}
        rows={rows}
        rowKey={({ name }) => name}
        selectedKey={selected}
        groups={{
          observe: (
            <>
              1 observe {observed(round)} of <Term id="demand">demand</Term>
            </>
          ),
          remember: '2 remember',
          target: '3 floor and target',
          share: solved ? '4 share and hold in range' : '4 what remains decides',
          result: '5 result',
        }}
        foot={[
          {
            level: { text: 'Sum' },
            min: { text: format.seats(sums.min) },
            floor: { text: format.seats(sums.floor) },
            target: { text: format.seatsAverage(sums.target) },
            share: { text: sums.share === undefined ? '' : format.seatsAverage(sums.share), look: 'faint' },
            limit: { text: format.seats(sums.limit), look: 'strong' },
            expected: { text: format.seats(sums.expected), look: 'faint' },
            change: {
              text: sentenceText(sumNote(sums.limit, sums.nominal, regime), format),
              look: styles['sumNote'],
              span: 2,
            },
          },
        ]}
      />
    </div>
  )
})

function observed({ step: { at, since, follows } }: KnownRound): string {
  return since === undefined || !follows ? '10 s' : `≈ ${format.fixed((at - since) / 1_000)} s`
}

interface StepColumns {
  readonly narrow: boolean
  /** The solver decided, so that shares and ranges apply. */
  readonly solved: boolean
  /** Seats at the end of the bars. */
  readonly scale: number
  /** The previous round is known. */
  readonly follows: boolean
}

function stepColumns({ narrow, solved, scale, follows }: StepColumns): readonly DataColumn<StepRow>[] {
  type Show = (row: StepRow) => ReactNode
  type More = Partial<DataColumn<StepRow>>
  const number = (group: string, id: string, header: string, cell: Show, more: More = {}): DataColumn<StepRow> => ({
    id,
    header,
    group,
    align: 'right',
    cell,
    ...more,
  })
  const look = (kind: string) => () => kind
  const outside = ({ target }: StepRow): boolean => target === undefined
  const sampled = ({ smoothedBefore }: StepRow): string => (follows || smoothedBefore === undefined ? '' : '≈ ')
  const columns: readonly DataColumn<StepRow>[] = [
    {
      id: 'level',
      header: 'Priority level',
      term: 'priority-level',
      rowHeader: true,
      cell: ({ name }) => <LevelLink name={name} />,
    },
    number('observe', 'highWatermark', 'High water', (row) => format.seats(row.highWatermark), {
      term: 'high-watermark',
    }),
    number('observe', 'average', 'Average', (row) => format.seatsAverage(row.average), {
      term: 'average-demand',
      look: look('muted'),
    }),
    number('observe', 'stdev', 'σ', (row) => format.seatsAverage(row.stdev), {
      term: 'deviation',
      look: look('muted'),
    }),
    number('observe', 'envelope', 'Envelope', (row) => format.seatsAverage(row.envelope), {
      term: 'envelope',
      look: look('muted'),
    }),
    number('remember', 'smoothed', 'Smoothed', (row) => format.seatsAverage(row.smoothed), {
      term: 'smoothed-demand',
      look: look('strong'),
    }),
    number('remember', 'before', 'before', (row) => `${sampled(row)}${format.seatsAverage(row.smoothedBefore)}`, {
      title: 'Smoothed demand in the round before; ≈ where rounds between were missed',
      look: look('faint'),
    }),
    number('target', 'min', 'Min', (row) => format.seats(row.min), { term: 'min', look: look('muted') }),
    number('target', 'floor', 'Floor', (row) => format.seats(row.floor), { term: 'floor' }),
    number('target', 'target', 'Target', (row) => (outside(row) ? NOT_APPLICABLE : format.seatsAverage(row.target)), {
      term: 'target',
      look: (row) => (outside(row) ? 'faint' : 'strong'),
    }),
    number(
      'share',
      'share',
      'p × target',
      (row) => (outside(row) || !solved ? NOT_APPLICABLE : format.seatsAverage(row.share)),
      { term: 'fair-fraction', look: (row) => (outside(row) || !solved ? 'faint' : undefined) },
    ),
    {
      id: 'range',
      header: solved ? 'Clamp' : 'Range',
      group: 'share',
      look: look('faint'),
      cell: (row) => !outside(row) && range(solved ? [row.floor, row.max] : [row.min, row.floor]),
    },
    {
      id: 'verdict',
      header: 'Verdict',
      term: 'verdict',
      group: 'share',
      look: ({ verdict }) => styles[verdict],
      cell: ({ verdict }) => VERDICTS[verdict],
    },
    number('result', 'was', 'Was', (row) => (outside(row) ? '' : format.seats(row.limitBefore)), {
      title: 'Limit in the round before',
      look: look('faint'),
    }),
    number('result', 'limit', 'Limit', (row) => format.seats(row.reported), {
      term: 'current-limit',
      look: look('strong'),
    }),
    number('result', 'expected', 'Expected', (row) => <Expected row={row} />, {
      title: 'Recomputed from the reported demand by the rules of the server’s version',
      look: ({ agrees }) => (agrees === false ? 'strong bad' : 'faint'),
    }),
    number('result', 'change', 'vs nominal', ({ change }) => <Change change={change} />, {
      head: (
        <>
          vs <Term id="nominal-limit">nominal</Term>
        </>
      ),
      look: ({ change = 0 }) => (change === 0 ? 'faint' : change > 0 ? 'borrowed' : 'lent'),
    }),
    {
      id: 'scale',
      header: 'On one scale',
      group: 'result',
      look: () => styles['bar'],
      cell: (row) => !outside(row) && <LimitBar row={row} scale={scale} width={narrow ? 96 : 108} />,
    },
  ]
  return narrow ? columns.filter(({ id }) => !ROOMY.has(id)) : columns
}

/** The metrics behind the steps; those of the previous round, and values that the console computes, are left out. */
export const MEASURED_STEPS = [
  ['High water', 'highWatermark'],
  ['Average', 'average'],
  ['σ', 'deviation'],
  ['Envelope', 'envelope'],
  ['Smoothed', 'demand'],
  ['Min', 'min'],
  ['Target', 'target'],
  ['Limit', 'limit'],
  ['vs nominal', 'change'],
] as const satisfies Parameters<typeof copiesOf>[0]

export const copiesOf = (
  columns: readonly (readonly [header: string, MeasureId])[],
  atMs: number,
): readonly PromqlCopy[] =>
  columns.map(([header, measures]) => ({
    label: `Copy ${header} as PromQL`,
    measured: { measures, each: ['priority_level'], atMs },
  }))

/** Columns for which a narrow window has no room. */
const ROOMY: ReadonlySet<string> = new Set(['envelope', 'range', 'was'])

export const LevelLink = ({ name }: { readonly name: string }) => (
  <a href={hrefOf('level', name)} className={styles['level']}>
    <LevelName name={name} />
  </a>
)

const range = ([from, to]: readonly [number, number]): string => `[${format.seats(from)}, ${format.seats(to)}]`

const VERDICTS: Readonly<Record<LevelVerdict, string>> = {
  'takes-what-it-uses': 'takes what it uses',
  'raised-to-floor': 'raised to floor',
  'at-p': 'at p',
  capped: 'capped at max',
  'at-min': 'held at min',
  interpolated: 'between min and floor',
  kept: 'kept',
}

function Expected({ row: { expected, agrees } }: { readonly row: StepRow }) {
  return (
    <>
      {agrees !== undefined && <Icon name={agrees ? 'check' : 'cross'} size={10} />} {format.seats(expected)}
      {agrees === false && <span className="sr-only"> differs from the reported limit</span>}
    </>
  )
}

const Change = ({ change }: { readonly change: number | undefined }) =>
  change === undefined ? (
    <span title="The limit of exempt is not part of the nominal seats">on top</span>
  ) : (
    format.change(change)
  )

const HEIGHT = 14

/** Limit against nominal and floor, without words: the numbers are next to it. */
function LimitBar({ row, scale, width }: { readonly row: StepRow; readonly scale: number; readonly width: number }) {
  const { name, nominal, floor, reported: limit } = row
  if (limit === undefined) return null
  const x = (seats: number): number => (seats / scale) * (width - 4)
  const own = Math.min(limit, nominal)
  return (
    <svg width={width} height={HEIGHT} style={levelStyle(name)} aria-hidden="true" focusable="false">
      <rect className="fill-level" y={3} width={x(own)} height={8} />
      {limit > nominal && (
        <rect x={x(nominal)} y={3} width={x(limit) - x(nominal)} height={8} fill={patternOf('hatch', name)} />
      )}
      {limit < nominal && (
        <rect
          className="fill-none stroke-lent dashed"
          x={x(limit) + 0.5}
          y={3.5}
          width={x(nominal) - x(limit)}
          height={7}
        />
      )}
      <line className="stroke-text-3" x1={x(floor)} x2={x(floor)} y1={1} y2={13} />
      <rect className={styles['post']} x={Math.max(0, x(limit) - 1)} y={0} width={2} height={HEIGHT} />
    </svg>
  )
}
