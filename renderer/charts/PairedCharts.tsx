import { memo, useCallback, useMemo } from 'react'
import { isExempt, sumOfKnown } from '../../core/frame/reading.ts'
import { gapAround, gapsWithin } from '../../core/history/gapsWithin.ts'
import { rejectedRate } from '../../core/history/range.ts'
import type { Series } from '../../core/history/series.ts'
import type { Mark } from '../../core/compare/period.ts'
import { nearestIndex } from './crosshair.data.ts'
import { EventMarks, eventMarks } from './EventMarks.tsx'
import { GapBoxes } from './GapBoxes.tsx'
import { valueAxis, type ValueAxis } from '../../core/text/axis.ts'
import { areaPath, linear, xOfTime, type Plot } from '../../core/text/plot.ts'
import { Drawing, PlotAxes } from './plot.tsx'
import { SeatChart } from './SeatChart.tsx'
import { seatChartData, seatRows, seatsAt } from './seatChart.data.ts'
import { ChartFrame } from '../components/ChartFrame.tsx'
import type { ChartTable } from '../components/csv.ts'
import { format } from '../theme/format.ts'
import { gapsText } from '../theme/gapWords.ts'
import type { ComparedPeriod } from '../../core/compare/compare.ts'
import { Pair, PairReading } from './Pair.tsx'
import styles from './paired.module.css'

const HEIGHT = 150
const LANE_HEIGHT = 104
const REJECTIONS_HEIGHT = 110

interface ChartsProps {
  /** What the two are. */
  readonly sides: 'periods' | 'variants'
  /** Letter of `b`; that of `a` is A. */
  readonly letter?: string
  readonly a: ComparedPeriod
  readonly b: ComparedPeriod
  readonly marks: readonly Mark[]
}

interface LevelProps extends ChartsProps {
  readonly level: string
}

const SIDE = { periods: 'Period', variants: 'Variant' } as const
const FILE = { periods: 'compare', variants: 'what-if' } as const

/** Requests that were rejected, of both sides, on one scale. */
export const RejectionCharts = memo(function RejectionCharts(props: ChartsProps) {
  const { sides, letter = 'B', a, b, marks } = props
  const events = useMemo(() => eventMarks(marks), [marks])
  const points = useMemo(() => new Map([a, b].map((shown) => [shown, rejectedPoints(shown.series)] as const)), [a, b])
  const axis = useMemo(() => {
    const rates = [...points.values()].flatMap((all) => all.map(({ rate }) => rate ?? 0))
    return valueAxis(
      rates.reduce((most, rate) => Math.max(most, rate), 0),
      3,
    )
  }, [points])
  const draw = useCallback(
    (shown: ComparedPeriod, side: string, plot: Plot) => {
      const own = points.get(shown) ?? []
      if (own.every(({ rate }) => rate === undefined)) return <Absent>{`No rejection data for ${side}.`}</Absent>
      const { period } = shown
      return (
        <Drawing
          width={plot.width}
          height={plot.height}
          label={rejectionSentence(side, own, gapsText(gapsWithin(shown.series, period)))}
        >
          <PlotAxes plot={plot} domain={period} axis={axis} />
          <path className="fill-rejected" d={ratePath(own, shown, axis, plot)} />
          <GapBoxes gaps={gapsWithin(shown.series, period)} domain={period} plot={plot} />
          <EventMarks marks={events} domain={period} plot={plot} />
        </Drawing>
      )
    },
    [points, axis, events],
  )
  const read = useCallback(
    (shown: ComparedPeriod, at: number) => {
      const isSilent = gapAround(shown.series, at) !== undefined
      const point = isSilent ? undefined : points.get(shown)?.[nearestIndex(shown.series.times, at)]
      return [{ what: 'rejected', value: format.rate(point?.rate) }]
    },
    [points],
  )
  return (
    <ChartFrame
      title="Rejections"
      unit="requests/s"
      note={
        <PairReading letter={letter} a={a} b={b} read={read}>
          {`all levels, both ${sides} on one scale`}
        </PairReading>
      }
      table={() => ({
        columns: ['Time', SIDE[sides], 'Rejected per second'],
        times: true,
        rows: [a, b].flatMap((shown, index) =>
          (points.get(shown) ?? []).map(({ at, rate }) => [at, index === 0 ? 'A' : letter, rate ?? null]),
        ),
      })}
      fileName={`${FILE[sides]}-rejections`}
      {...(sides === 'periods' && { promql: { measures: 'rejected' } as const })}
    >
      <Pair letter={letter} label="Rejections" height={REJECTIONS_HEIGHT} a={a} b={b} draw={draw} read={read} />
    </ChartFrame>
  )
})

type Rates = ReturnType<typeof rejectedPoints>

const rejectionSentence = (side: string, rates: Rates, missing: string): string => {
  const most = rates.reduce((sofar, { rate }) => Math.max(sofar, rate ?? 0), 0)
  return `Rejections in ${side}: ${most === 0 ? 'none' : `at most ${format.rate(most)} requests per second`}${missing === '' ? '' : `; ${missing}`}`
}

function ratePath(rates: Rates, { period }: ComparedPeriod, axis: ValueAxis, plot: Plot): string {
  const base = plot.height - plot.bottom
  const y = linear(axis.max, base, plot.top)
  return areaPath(
    rates
      .filter(({ at }) => at >= period.from && at <= period.to)
      .map(({ at, rate }) => ({ x: xOfTime(plot, period, at), y: rate === undefined ? undefined : y(rate), base })),
  )
}

const Absent = ({ children }: { readonly children: string }) => <p className={styles['absent']}>{children}</p>

/** Seats of one level of both sides, on one scale. */
export const LevelCharts = memo(function LevelCharts(props: LevelProps) {
  const { sides, letter = 'B', level, a, b, marks } = props
  const events = useMemo(() => eventMarks(marks), [marks])
  const options = useMemo(() => ({ exempt: isExempt({ name: level }), exist: undefined }), [level])
  const data = useMemo(() => {
    const both = [a, b].map((shown) => [shown, seatChartData(shown.series, level, options)] as const)
    const axes = both.flatMap(([, one]) => (one === undefined ? [] : [one.axis]))
    const axis = axes.toSorted((x, y) => y.max - x.max)[0]
    return new Map(
      both.map(([shown, one]) => [shown, one === undefined || axis === undefined ? undefined : { ...one, axis }]),
    )
  }, [a, b, level, options])
  const draw = useCallback(
    (shown: ComparedPeriod, side: string, plot: Plot) => {
      const own = data.get(shown)
      if (own === undefined) {
        const nothing = shown.series.times.length === 0
        return <Absent>{nothing ? `There are no samples of ${side}.` : `${level} does not exist in ${side}.`}</Absent>
      }
      return <SeatChart level={level} data={own} options={options} domain={shown.period} plot={plot} marks={events} />
    },
    [data, level, options, events],
  )
  const read = useCallback(
    ({ series }: ComparedPeriod, at: number) => {
      const row = seatsAt(series, level, at)
      return [
        { what: 'executing', value: format.seats(row?.executing) },
        { what: 'queued', value: format.seats(row?.queued) },
        { what: 'limit', value: format.seats(row?.current) },
      ]
    },
    [level],
  )
  return (
    <ChartFrame
      title={level}
      unit="seats"
      note={
        <PairReading letter={letter} a={a} b={b} read={read}>
          {`both ${sides} on one scale`}
        </PairReading>
      }
      table={() => tableOf(props)}
      fileName={`${FILE[sides]}-${level}`}
      {...(sides === 'periods' && { promql: { measures: options.exempt ? ['executing'] : SEATS, level } })}
      subject={level}
    >
      <Pair
        letter={letter}
        label={level}
        height={sides === 'variants' ? LANE_HEIGHT : HEIGHT}
        a={a}
        b={b}
        draw={draw}
        read={read}
      />
    </ChartFrame>
  )
})

/** The columns of the table behind a chart. */
const SEATS = ['executing', 'queued', 'limit', 'nominal'] as const

const tableOf = ({ sides, letter = 'B', level, a, b }: LevelProps): ChartTable => ({
  columns: ['Time', SIDE[sides], 'Executing', 'Queued', 'Current limit', 'Nominal'],
  times: true,
  rows: [
    ...seatRows(a.series, level).map((row) => [row.t, 'A', row.executing, row.queued, row.current, row.nominal]),
    ...seatRows(b.series, level).map((row) => [row.t, letter, row.executing, row.queued, row.current, row.nominal]),
  ],
})

/** Requests of all levels answered 429 at each point, per second; `undefined` where that is not known. */
const rejectedPoints = ({
  times,
  levels,
}: Series): readonly { readonly at: number; readonly rate: number | undefined }[] =>
  times.map((at, index) => ({ at, rate: sumOfKnown(levels.map((level) => rejectedRate(level, index) ?? undefined)) }))
