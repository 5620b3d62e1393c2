import { memo, useCallback, useMemo } from 'react'
import type { DerivedLevel } from '../../../core/frame/derived.ts'
import type { LevelFrame, ServerFrame } from '../../../core/frame/frame.ts'
import { isExempt } from '../../../core/frame/reading.ts'
import type { Series } from '../../../core/history/series.ts'
import { DemandChart, demandPlot, demandChartData, demandRounds, roundDomain } from '../../charts/DemandChart.tsx'
import type { EventMark } from '../../../core/text/marks.ts'
import type { TimeDomain } from '../../../core/text/plot.ts'
import { useSize } from '../../charts/plot.tsx'
import type { ChartTable } from '../../components/csv.ts'
import { ChartFrame } from '../../components/ChartFrame.tsx'
import { Loading } from '../../components/States.tsx'
import { Term, Tip } from '../../components/Term.tsx'
import { classes } from '../../components/classes.ts'
import { NOT_APPLICABLE } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'
import { levelColor } from '../../state/levels.ts'
import type { TermId } from '../../../core/glossary/glossary.ts'
import styles from './panes.module.css'
import { SeatsCursor, SeatsReading } from './SeatsPane.tsx'

export interface DemandPaneProps {
  readonly series: Series | undefined
  readonly server: ServerFrame
  readonly level: LevelFrame
  readonly derived: DerivedLevel | undefined
  readonly torn: boolean
  readonly domain: TimeDomain
  readonly height: number
  readonly marks: readonly EventMark[]
}

/** Demand as the server records it, and the steps from it to the current limit. */
export const DemandPane = memo(function DemandPane(props: DemandPaneProps) {
  const { series, server, level, derived, torn, domain, height, marks } = props
  const [box, { width }] = useSize()
  const data = useMemo(
    () => (series === undefined ? undefined : demandChartData(series, level.name)),
    [series, level.name],
  )
  const rounds = roundDomain(domain)
  const plot = useMemo(() => demandPlot(width, height), [width, height])
  const table = useCallback(() => demandTable(series, level.name), [series, level.name])
  const rungs = demandLadder(server, level, derived, torn)
  return (
    <ChartFrame
      title="Demand"
      unit="seats"
      note={
        <SeatsReading series={series} level={level.name} plot={plot} domain={rounds} marks={marks}>
          {torn ? 'page read during a recomputation: ≈' : 'remembered for about 5 min'}
        </SeatsReading>
      }
      table={table}
      fileName={`demand-${level.name}`}
      subject={level.name}
      promql={{ measures: LINES, level: level.name }}
    >
      <div className={`${styles['demand']} flex gap-12`}>
        <div ref={box} className={styles['chart']} style={{ height }}>
          {data === undefined || series === undefined ? (
            <Loading waitingFor="the history of this range" />
          ) : (
            width > 0 && (
              <>
                <DemandChart
                  level={level.name}
                  title={`${level.name}: smoothed demand ${format.seatsAverage(level.demand.smoothed)} seats, high watermark ${format.seats(level.demand.highWatermark)}`}
                  data={data}
                  domain={rounds}
                  plot={plot}
                  marks={marks}
                />
                <SeatsCursor
                  series={series}
                  level={level.name}
                  plot={plot}
                  domain={rounds}
                  marks={marks}
                  label="Demand"
                />
              </>
            )
          )}
        </div>
        <Ladder rungs={rungs} color={levelColor(level.name)} />
      </div>
    </ChartFrame>
  )
})

/** The lines of the chart and of the steps next to it. */
const LINES = [
  'highWatermark',
  'average',
  'deviation',
  'envelope',
  'demand',
  'target',
  'fairFraction',
  'limit',
] as const

function Ladder({ rungs, color }: { readonly rungs: readonly Rung[]; readonly color: string }) {
  return (
    <dl className={styles['ladder']} aria-label="From demand to limit">
      {rungs.map((rung) => (
        <LadderRow key={rung.key} rung={rung} color={color} />
      ))}
    </dl>
  )
}

function LadderRow({ rung, color }: { rung: Rung; color: string }) {
  const result = rung.key === 'current' && styles['result']
  return (
    <>
      <dt className={classes(result)}>
        <Mark mark={rung.mark} color={color} />
        {rung.glossary === undefined ? rung.term : <Term id={rung.glossary}>{rung.term}</Term>}
      </dt>
      <dd className={classes(result, rung.value === undefined && styles['na'])}>
        {rung.value === undefined && rung.notApplicable !== undefined ? (
          <Tip text={rung.notApplicable}>
            <button type="button" className={styles['naButton']} aria-label={`n/a: ${rung.notApplicable}`}>
              {NOT_APPLICABLE}
            </button>
          </Tip>
        ) : (
          `${rung.approximate && rung.value !== undefined ? '≈ ' : ''}${format.fixed(rung.value, rung.decimals)}`
        )}
      </dd>
    </>
  )
}

function Mark({ mark, color }: { mark: RungMark; color: string }) {
  return (
    <svg width="10" height="10" aria-hidden="true">
      {mark === 'dot' && <circle cx="5" cy="5" r="2" fill="var(--text-2)" />}
      {mark === 'average' && <path d="M0 5H10" stroke={color} strokeWidth="1.5" />}
      {mark === 'deviation' && <rect y="2" width="10" height="6" fill={color} opacity="0.4" />}
      {mark === 'smoothed' && <path d="M0 5H10" stroke="var(--text)" strokeWidth="1.75" />}
      {mark === 'current' && <path d="M0 5H10" stroke="var(--text-3)" strokeWidth="1.25" />}
    </svg>
  )
}

function demandTable(series: Series | undefined, level: string): ChartTable {
  return {
    times: true,
    columns: ['Time', 'High watermark', 'Average', 'Average − σ', 'Average + σ', 'Smoothed', 'Current limit'],
    rows: (series === undefined ? [] : demandRounds(series, level))
      .toReversed()
      .map((round) => [
        round.t,
        round.highWatermark ?? undefined,
        round.average ?? undefined,
        round.deviation?.[0],
        round.deviation?.[1],
        round.smoothed ?? undefined,
        round.current ?? undefined,
      ]),
  }
}

/** How a rung is drawn in the chart next to it. */
type RungMark = 'dot' | 'average' | 'deviation' | 'smoothed' | 'current' | 'none'

interface Rung {
  readonly key: string
  readonly term: string
  readonly mark: RungMark
  readonly value: number | undefined
  /** Decimals of the value. */
  readonly decimals: 0 | 1 | 4
  /** Computed by the console, or mixed from two recomputations: shown with ≈. */
  readonly approximate: boolean
  /** Why there is no value, when it is not simply unknown. */
  readonly notApplicable?: string
  readonly glossary?: TermId
}

/**
 * From demand to limit, step by step (specification 6.3 and 6.4). On a torn page the rungs come from two
 * recomputations, so each is marked approximate.
 */
export function demandLadder(
  server: ServerFrame,
  level: LevelFrame,
  derived: DerivedLevel | undefined,
  torn: boolean,
): readonly Rung[] {
  const { demand, limits } = level
  const exempt = isExempt(level)
  const rung = (key: string, term: string, mark: RungMark, value: number | undefined, decimals: 0 | 1 | 4): Rung => ({
    key,
    term,
    mark,
    value,
    decimals,
    approximate: torn,
  })
  const p = server.seatFairFrac
  return [
    { ...rung('high', 'high watermark', 'dot', demand.highWatermark, 0), glossary: 'high-watermark' },
    { ...rung('average', 'average', 'average', demand.average, 1), glossary: 'average-demand' },
    { ...rung('stdev', 'deviation σ', 'deviation', demand.stdev, 1), glossary: 'deviation' },
    {
      ...rung('envelope', 'envelope avg + σ', 'none', derived?.envelope, 1),
      ...(torn ? { notApplicable: 'This scrape straddles two recomputations; the next one resolves it.' } : {}),
      glossary: 'envelope',
    },
    { ...rung('smoothed', 'smoothed', 'smoothed', demand.smoothed, 1), glossary: 'smoothed-demand' },
    {
      ...rung('target', 'target', 'none', exempt ? undefined : demand.target, 1),
      ...(exempt ? { notApplicable: 'For exempt the server reports the target of an arbitrary other level.' } : {}),
      glossary: 'target',
    },
    {
      ...rung('fair', '× fair fraction', 'none', exempt || p === 0 ? undefined : p, 4),
      ...(exempt
        ? { notApplicable: 'Exempt takes the seats that it uses; the fair fraction does not apply to it.' }
        : {}),
      ...(!exempt && p === 0
        ? { notApplicable: 'Exempt used so much that limits come from the floors; the server reports 0.' }
        : {}),
      glossary: 'fair-fraction',
    },
    {
      ...rung('current', 'current limit', 'current', exempt ? undefined : limits.current, 0),
      ...(exempt
        ? { notApplicable: `Nothing limits exempt; ${limits.current ?? 'no'} seats are set aside for it.` }
        : {}),
      glossary: 'current-limit',
    },
  ]
}
