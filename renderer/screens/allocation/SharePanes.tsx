import { rounded } from '../../../core/text/format.ts'
import { memo, useMemo } from 'react'
import type { ExpectedAllocation, LevelVerdict } from '../../../core/impact/expected.ts'
import { FairFraction, FairFractionFloors, rowsHeight, ShareBars } from '../../charts/FairFraction.tsx'
import {
  fractionData,
  shareAt,
  type FractionItem,
  floorsData,
  shareBarsData,
  type ShareRow,
} from '../../charts/fairFraction.data.ts'
import { useSize } from '../../charts/plot.tsx'
import type { ChartTable } from '../../components/csv.ts'
import { ChartFrame } from '../../components/ChartFrame.tsx'
import { LOW, useMedia } from '../../components/hooks.ts'
import { format } from '../../theme/format.ts'
import type { KnownRound, StepRow } from './rounds.data.ts'

export interface SharePanesProps {
  readonly round: KnownRound
  readonly rows: readonly StepRow[]
  readonly stale: boolean
}

const HEIGHT = 300
const HEIGHT_LOW = 208

/** A level that shares, in the form that the charts need. */
type Sharing = StepRow & { readonly target: number }
const shares = (row: StepRow): row is Sharing => row.target !== undefined

/** How the seats were divided among all levels, and how much of its target each level got. */
export const SharePanes = memo(function SharePanes({ round, rows, stale }: SharePanesProps) {
  const low = useMedia(LOW)
  const sharing = useMemo(() => rows.filter(shares), [rows])
  const height = Math.max(low ? HEIGHT_LOW : HEIGHT, rowsHeight(sharing.length))
  const { expected } = round
  const pane = { expected, rows: sharing, height, stale, time: round.step.at, fileName: String(round.step.number) }
  return (
    <div className="beside line-below">
      {expected.regime === 'solver' ? <FindingP {...pane} /> : <MinToFloor {...pane} />}
      <Shares {...pane} />
    </div>
  )
})

interface ChartProps {
  readonly expected: ExpectedAllocation
  readonly rows: readonly Sharing[]
  readonly height: number
  readonly stale: boolean
  /** When the reallocation was observed. */
  readonly time: number
  readonly fileName: string
}

function FindingP({ expected, rows, height, stale, time, fileName }: ChartProps) {
  const [box, { width }] = useSize()
  const { fairFraction: p, nominalSum } = expected
  const data = useMemo(() => fractionData(rows, p, nominalSum), [rows, p, nominalSum])
  return (
    <ChartFrame
      title="Finding p"
      unit="seats"
      note={`p rises until the shares sum to ${format.seats(nominalSum)}`}
      table={() => fractionTable(rows, data.bands[0]?.points.map((point) => point.p) ?? [])}
      time={time}
      fileName={`finding-p-${fileName}`}
      codes={rows.map(({ name }) => name)}
      label={`Shares of ${rows.length} levels against p: they sum to ${format.seats(nominalSum)} seats at p = ${format.fairFraction(p)}`}
    >
      <div ref={box} style={{ height }}>
        {width > 0 && <FairFraction data={data} width={width} height={height} stale={stale} />}
      </div>
    </ChartFrame>
  )
}

const fractionTable = (items: readonly FractionItem[], at: readonly number[]): ChartTable => ({
  columns: ['p', ...items.map(({ name }) => name), 'Sum'],
  rows: at.map((p) => {
    const seats = items.map((item) => shareAt(item, p))
    return [
      rounded(p, 6),
      ...seats.map((value) => rounded(value, 3)),
      rounded(
        seats.reduce((a, b) => a + b, 0),
        3,
      ),
    ]
  }),
})

function MinToFloor({ expected, rows, height, stale, time, fileName }: ChartProps) {
  const [box, { width }] = useSize()
  const data = useMemo(() => floorsData(rows.map((row) => ({ ...row, limit: row.reported ?? row.expected }))), [rows])
  const f = expected.interpolation
  const note =
    f === undefined
      ? expected.regime === 'min'
        ? 'every limit is at its min'
        : 'the limits before are kept'
      : `every limit is min + f × (floor − min), f = ${format.fairFraction(f)}, rounded`
  return (
    <ChartFrame
      title="From min to floor"
      unit="seats"
      note={note}
      table={() => ({
        columns: ['Level', 'Min', 'Limit', 'Floor'],
        rows: data.rows.map(({ name, min, limit, floor }) => [name, min, limit, floor]),
      })}
      time={time}
      fileName={`min-to-floor-${fileName}`}
      promql={{ measures: ['min', 'limit'], each: ['priority_level'] }}
      label={`Limits of ${rows.length} levels between min and floor: ${note}`}
    >
      <div ref={box} style={{ height }}>
        {width > 0 && <FairFractionFloors data={data} width={width} height={height} stale={stale} />}
      </div>
    </ChartFrame>
  )
}

function Shares({ expected, rows, height, stale, time, fileName }: ChartProps) {
  const [box, { width }] = useSize()
  const p = expected.regime === 'solver' ? expected.fairFraction : undefined
  const data = useMemo(() => shareBarsData(rows.map(shareRow), p), [rows, p])
  return (
    <ChartFrame
      title="Limit as a share of the target"
      unit="limit ÷ target"
      table={() => ({
        columns: ['Level', 'Target', 'Limit', 'Limit ÷ target'],
        rows: data.bars.map(({ name, target, limit, ratio }) => [
          name,
          rounded(target, 3),
          limit,
          ratio === undefined ? undefined : rounded(ratio, 4),
        ]),
      })}
      time={time}
      fileName={`limit-to-target-${fileName}`}
      promql={{ measures: ['target', 'limit', 'limitToTarget'], each: ['priority_level'] }}
      label={`Limit ÷ target of ${rows.length} levels${p === undefined ? '' : `; those that decide freely are at p = ${format.fairFraction(p)}`}`}
    >
      <div ref={box} style={{ height }}>
        {width > 0 && <ShareBars data={data} width={width} height={height} stale={stale} />}
      </div>
    </ChartFrame>
  )
}

const DECIDED: Partial<Readonly<Record<LevelVerdict, ShareRow['decided']>>> = {
  'at-p': 'p',
  'raised-to-floor': 'floor',
  capped: 'max',
}

function shareRow({ name, target, reported, expected, verdict, floor, max }: Sharing): ShareRow {
  const decided = DECIDED[verdict] ?? 'case'
  return { name, target, limit: reported ?? expected, decided, bound: decided === 'max' ? max : floor }
}
