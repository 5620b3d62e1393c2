import { memo, type ReactNode } from 'react'
import type { LevelVerdict } from '../../../core/impact/expected.ts'
import { classes } from '../../components/classes.ts'
import { Icon } from '../../components/Icon.tsx'
import { LevelName } from '../../components/LevelChip.tsx'
import { scrollRegion } from '../../components/scrollRegion.ts'
import { Term } from '../../components/Term.tsx'
import { NARROW, useMedia } from '../../components/useMedia.ts'
import { hrefOf } from '../../state/route.ts'
import { format, NOT_APPLICABLE } from '../../theme/format.ts'
import { levelStyle } from '../../charts/levelStyle.ts'
import { patternOf } from '../../charts/Patterns.tsx'
import type { KnownRound, StepRow, StepSums } from './rounds.data.ts'
import { sumNote } from './sentence.ts'
import { Blank } from './Blank.tsx'
import styles from './table.module.css'

export interface StepTableProps {
  readonly round: KnownRound
  readonly table: { readonly rows: readonly StepRow[]; readonly sums: StepSums }
  readonly selected: string | undefined
  readonly server: string
}

/** More levels than this get lower rows. */
const FEW = 12

/** From observed demand to the limit, one row a level, in five steps. */
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
    <div className={styles['scroll']} {...scrollRegion('Steps from demand to limit')}>
      <table className={classes(styles['table'], rows.length > FEW && styles['many'])}>
        <caption className="sr-only">{`How the limits of ${server} were set, seats`}</caption>
        <thead>
          <tr className={styles['groups']}>
            <Blank />
            <th scope="colgroup" colSpan={narrow ? 3 : 4}>
              1 observe {observed(round)} of <Term id="demand">demand</Term>
            </th>
            <th scope="colgroup" colSpan={2}>
              2 remember
            </th>
            <th scope="colgroup" colSpan={3}>
              3 floor and target
            </th>
            <th scope="colgroup" colSpan={narrow ? 2 : 3}>
              {solved ? '4 share and hold in range' : '4 what remains decides'}
            </th>
            <th scope="colgroup" colSpan={narrow ? 4 : 5}>
              5 result
            </th>
          </tr>
          <tr>
            <th scope="col">
              <Term id="priority-level">Priority level</Term>
            </th>
            <Num>
              <Term id="high-watermark">High water</Term>
            </Num>
            <Num>
              <Term id="average-demand">Average</Term>
            </Num>
            <Num>
              <Term id="deviation">σ</Term>
            </Num>
            {!narrow && (
              <Num>
                <Term id="envelope">Envelope</Term>
              </Num>
            )}
            <Num>
              <Term id="smoothed-demand">Smoothed</Term>
            </Num>
            <Num title="Smoothed demand in the round before; ≈ where rounds between were missed">before</Num>
            <Num>
              <Term id="min">Min</Term>
            </Num>
            <Num>
              <Term id="floor">Floor</Term>
            </Num>
            <Num>
              <Term id="target">Target</Term>
            </Num>
            <Num>
              <Term id="fair-fraction">p × target</Term>
            </Num>
            {!narrow && <th scope="col">{solved ? 'Clamp' : 'Range'}</th>}
            <th scope="col">
              <Term id="verdict">Verdict</Term>
            </th>
            {!narrow && <Num title="Limit in the round before">Was</Num>}
            <Num>
              <Term id="current-limit">Limit</Term>
            </Num>
            <Num title="Computed anew from the reported demand by the rules of the server’s version">Expected</Num>
            <Num>
              vs <Term id="nominal-limit">nominal</Term>
            </Num>
            <th scope="col">On one scale</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <LevelStep
              key={row.name}
              row={row}
              narrow={narrow}
              follows={round.step.follows}
              solved={solved}
              scale={scale}
              selected={row.name === selected}
            />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Sum</th>
            <Blank span={narrow ? 5 : 6} />
            <Cell>{format.seats(sums.min)}</Cell>
            <Cell>{format.seats(sums.floor)}</Cell>
            <Cell>{format.seatsAverage(sums.target)}</Cell>
            <Cell quiet>{sums.share === undefined ? '' : format.seatsAverage(sums.share)}</Cell>
            <Blank span={narrow ? 1 : 3} />
            <Cell strong>{format.seats(sums.limit)}</Cell>
            <Cell quiet>{format.seats(sums.expected)}</Cell>
            <td colSpan={2} className={styles['sumNote']}>
              {sumNote(sums.limit, sums.nominal, regime)}
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
})

function observed({ step: { at, since, follows } }: KnownRound): string {
  return since === undefined || !follows ? '10 s' : `≈ ${format.fixed((at - since) / 1_000)} s`
}

interface LevelStepProps {
  readonly row: StepRow
  readonly narrow: boolean
  readonly follows: boolean
  readonly solved: boolean
  readonly scale: number
  readonly selected: boolean
}

function LevelStep({ row, narrow, follows, solved, scale, selected }: LevelStepProps) {
  const outside = row.target === undefined
  const sampled = follows || row.smoothedBefore === undefined ? '' : '≈ '
  return (
    <tr aria-current={selected ? 'true' : undefined} className={selected ? styles['selected'] : undefined}>
      <th scope="row">
        <a href={hrefOf('level', row.name)} className={styles['level']}>
          <LevelName name={row.name} />
        </a>
      </th>
      <Cell>{format.seats(row.highWatermark)}</Cell>
      <Cell soft>{format.seatsAverage(row.average)}</Cell>
      <Cell soft>{format.seatsAverage(row.stdev)}</Cell>
      {!narrow && <Cell soft>{format.seatsAverage(row.envelope)}</Cell>}
      <Cell strong>{format.seatsAverage(row.smoothed)}</Cell>
      <Cell quiet>{`${sampled}${format.seatsAverage(row.smoothedBefore)}`}</Cell>
      <Cell soft>{format.seats(row.min)}</Cell>
      <Cell>{format.seats(row.floor)}</Cell>
      {outside ? <Cell quiet>{NOT_APPLICABLE}</Cell> : <Cell strong>{format.seatsAverage(row.target)}</Cell>}
      <Cell quiet={outside || !solved}>{outside || !solved ? NOT_APPLICABLE : format.seatsAverage(row.share)}</Cell>
      {!narrow && (
        <td className={styles['quiet']}>{!outside && range(solved ? [row.floor, row.max] : [row.min, row.floor])}</td>
      )}
      <td className={styles[row.verdict]}>{VERDICTS[row.verdict]}</td>
      {!narrow && <Cell quiet>{outside ? '' : format.seats(row.limitBefore)}</Cell>}
      <Cell strong>{format.seats(row.reported)}</Cell>
      <Expected row={row} />
      <td className={classes(styles['num'], changeLook(row.change))}>
        {row.change === undefined ? (
          <span className={styles['quiet']} title="The limit of exempt is no part of the nominal seats">
            on top
          </span>
        ) : (
          format.change(row.change)
        )}
      </td>
      <td className={styles['bar']}>{!outside && <LimitBar row={row} scale={scale} width={narrow ? 96 : 108} />}</td>
    </tr>
  )
}

const range = ([from, to]: readonly [number, number]): string => `[${format.seats(from)}, ${format.seats(to)}]`

const VERDICTS: Readonly<Record<LevelVerdict, string>> = {
  'takes-what-it-uses': 'takes what it uses',
  'raised-to-floor': 'raised to floor',
  'at-p': 'at p',
  capped: 'capped at max',
  'at-min': 'held at min',
  interpolated: 'f of the way',
  kept: 'kept',
}

const changeLook = (change: number | undefined): string | undefined =>
  change === undefined || change === 0 ? styles['quiet'] : change > 0 ? styles['borrowed'] : styles['lent']

function Expected({ row: { expected, agrees } }: { readonly row: StepRow }) {
  if (agrees === false) {
    return (
      <td className={classes(styles['num'], styles['differs'])}>
        <Icon name="cross" size={10} /> {format.seats(expected)}
        <span className="sr-only"> differs from the reported limit</span>
      </td>
    )
  }
  return (
    <Cell quiet>
      {agrees === true && <Icon name="check" size={10} />} {format.seats(expected)}
    </Cell>
  )
}

function Num({ children, title }: { readonly children: ReactNode; readonly title?: string }) {
  return (
    <th scope="col" className={styles['num']} title={title}>
      {children}
    </th>
  )
}

function Cell(props: {
  readonly children: ReactNode
  readonly strong?: boolean
  readonly soft?: boolean
  readonly quiet?: boolean
}) {
  const { children, strong = false, soft = false, quiet = false } = props
  return (
    <td
      className={classes(styles['num'], strong && styles['strong'], soft && styles['soft'], quiet && styles['quiet'])}
    >
      {children}
    </td>
  )
}

const HEIGHT = 14

/** Limit against nominal and floor, without words: the numbers stand beside it. */
function LimitBar({ row, scale, width }: { readonly row: StepRow; readonly scale: number; readonly width: number }) {
  const { name, nominal, floor, reported: limit } = row
  if (limit === undefined) return null
  const x = (seats: number): number => (seats / scale) * (width - 4)
  const own = Math.min(limit, nominal)
  return (
    <svg width={width} height={HEIGHT} style={levelStyle(name)} aria-hidden="true" focusable="false">
      <rect className={styles['own']} y={3} width={x(own)} height={8} />
      {limit > nominal && (
        <rect x={x(nominal)} y={3} width={x(limit) - x(nominal)} height={8} fill={patternOf('hatch', name)} />
      )}
      {limit < nominal && (
        <rect className={styles['lentBox']} x={x(limit) + 0.5} y={3.5} width={x(nominal) - x(limit)} height={7} />
      )}
      <line className={styles['floorMark']} x1={x(floor)} x2={x(floor)} y1={1} y2={13} />
      <rect className={styles['post']} x={Math.max(0, x(limit) - 1)} y={0} width={2} height={HEIGHT} />
    </svg>
  )
}
