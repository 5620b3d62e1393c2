import { rounded } from '../../../core/text/format.ts'
import { memo, useCallback, useMemo, type ReactNode, useEffect, useState } from 'react'
import type { MissingFamily, Histogram, LevelFrame } from '../../../core/frame/frame.ts'
import type { ProcedureInput } from '../../../core/contract/contract.ts'
import type { Problem } from '../../../core/errors.ts'
import type { HeatMap as HeatSamples } from '../../../core/history/series.ts'
import { onAnswer } from '../../state/answer.ts'
import { askedOf, askShown, usePastPart } from '../../state/past.ts'
import { HeatNote, HeatMap, heatPlot, bucketLabel, heatGrid, heatTable } from '../../charts/HeatMap.tsx'
import { useSize } from '../../charts/plot.tsx'
import type { ChartTable } from '../../components/csv.ts'
import { ChartFrame } from '../../components/ChartFrame.tsx'
import { FamilyNote } from '../../components/FamilyNote.tsx'
import { Loading, ProblemNote } from '../../components/States.tsx'
import { format } from '../../theme/format.ts'
import { levelColor, levelToken } from '../../state/levels.ts'
import {
  keepSample,
  windowHistogram,
  type HistogramSample,
  type HistogramWindow,
  QuantileBars,
  intervalText,
  ratioData,
  type RatioData,
} from '../../charts/QuantileBars.tsx'
import { bounds } from '../../state/time.logic.ts'
import { timeStore } from '../../state/time.ts'
import styles from './panes.module.css'

export interface HeatPaneProps {
  readonly server: string
  readonly level: string
  /** Absent: all schemas of the level together. */
  readonly schema: string | undefined
  readonly kind: 'wait' | 'execution'
  readonly missing: readonly MissingFamily[]
  readonly height: number
  readonly actions?: ReactNode
}

const WORDS = {
  wait: {
    title: 'Wait',
    family: 'apiserver_flowcontrol_request_wait_duration_seconds',
    measures: 'waits',
    nothing: 'No request was measured in this range.',
  },
  execution: {
    title: 'Execution',
    family: 'apiserver_flowcontrol_request_execution_seconds',
    measures: 'executions',
    nothing: 'No request finished in this range.',
  },
} as const

/** Minimum width of one column of time, in pixels. */
const COLUMN_PX = 4

/**
 * How long requests waited, or executed, over the shown range: the server's own buckets, counted per stretch of time.
 */
export const HeatPane = memo(function HeatPane(props: HeatPaneProps) {
  const { server, level, schema, kind, missing, height, actions } = props
  const wish = useMemo(
    () => ({ server, level, kind, ...(schema === undefined ? {} : { schema }) }),
    [server, level, kind, schema],
  )
  const result = useHeatMap(wish)
  const [box, { width }] = useSize()
  const plot = useMemo(() => heatPlot(width, height), [width, height])
  const map = result.state === 'ready' ? result.map : undefined
  const grid = useMemo(
    () => (map === undefined || width === 0 ? undefined : heatGrid(map, Math.floor(width / COLUMN_PX))),
    [map, width],
  )
  const table = useCallback(() => tableOf(result), [result])
  const [row, setRow] = useState<number>()
  const words = WORDS[kind]
  const absent = missing.some((entry) => entry.family === words.family)
  return (
    <ChartFrame
      title={words.title}
      unit="seconds"
      note={grid === undefined ? undefined : <HeatNote grid={grid} color={levelColor(level)} row={row} />}
      table={table}
      fileName={[kind, level, ...(schema === undefined ? [] : [schema])].join('-')}
      subject={schema === undefined ? level : `${level}, ${schema}`}
      promql={{ measures: words.measures, level, schema, ...(map && { spanMs: map.stepSeconds * 1_000 }) }}
      actions={actions}
    >
      {/* Without a measured request there is nothing to draw, and no reason to reserve space. */}
      <div ref={box} className={styles['chart']} style={grid?.total === 0 ? undefined : { height }}>
        {absent ? (
          <div className={styles['prose']}>
            <Absent families={[words.family]} missing={missing} otherwise="" />
          </div>
        ) : result.state === 'failed' ? (
          <div className="stack gap-8 pad-x pad-b-10">
            <ProblemNote problem={result.problem} />
          </div>
        ) : grid === undefined ? (
          <Loading waitingFor={`the ${words.title.toLowerCase()} times of this range`} />
        ) : grid.total === 0 ? (
          <p className={styles['prose']}>{words.nothing}</p>
        ) : (
          <HeatMap
            grid={grid}
            plot={plot}
            token={levelToken(level)}
            label={words.title}
            onRow={setRow}
            title={`${level}, ${words.title.toLowerCase()} of ${schema ?? 'all flow schemas'}: ${format.fixed(grid.total)} requests`}
          />
        )}
      </div>
    </ChartFrame>
  )
})

function tableOf(result: HeatMapResult): ChartTable {
  if (result.state !== 'ready') return { columns: ['Until', 'Requests'], rows: [] }
  const { bounds: edges } = result.map
  const names = [...edges, undefined].map((_, row) => bucketLabel(edges, row, format.seconds))
  return {
    columns: ['Until', 'Requests', ...names],
    times: true,
    rows: heatTable(result.map).map((row) => [row.at, row.total, ...row.counts]),
  }
}

const WINDOW_MS = 60_000

interface KeptSamples {
  readonly identity: string
  readonly samples: readonly HistogramSample[]
}
const NO_SAMPLES: readonly HistogramSample[] = []

/** The last minute of a cumulative histogram, from the frames seen since this screen opened. */
export function useHistogramWindow(
  identity: string,
  at: number,
  histogram: Histogram | undefined,
): HistogramWindow | undefined {
  const [kept, setKept] = useState<KeptSamples>({ identity, samples: NO_SAMPLES })
  const before = kept.identity === identity ? kept.samples : NO_SAMPLES
  const samples = histogram === undefined ? NO_SAMPLES : keepSample(before, { at, histogram }, WINDOW_MS)
  // State derived during rendering: React renders again at once, and then nothing differs.
  if (samples !== kept.samples || identity !== kept.identity) setKept({ identity, samples })
  return useMemo(() => windowHistogram(samples), [samples])
}

type HeatMapResult =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly map: HeatSamples }
  | { readonly state: 'failed'; readonly problem: Problem }

const LOADING: HeatMapResult = { state: 'loading' }

/** While live, a heat map is read again after this long: its cells are many seconds wide. */
const HEAT_EVERY_MS = 5_000

type HeatWish = Omit<ProcedureInput<'history.heatMap'>, 'connection' | 'from' | 'to'>

/** The heat map over the shown range; the previous one stays until the next one arrives. `wish` must be stable. */
function useHeatMap(wish: HeatWish): HeatMapResult {
  const [answer, setAnswer] = useState<{ wish: HeatWish; result: HeatMapResult }>()
  const window = timeStore((state) => state.window)
  const paused = timeStore((state) => state.paused)
  const known = timeStore((state) => state.to > 0)
  const past = usePastPart(askedOf)
  useEffect(() => {
    if (!known) return undefined
    return onAnswer(
      () => askShown('history.heatMap', { ...wish, ...bounds(window, timeStore.getState().to) }),
      (map) => setAnswer({ wish, result: { state: 'ready', map } }),
      {
        everyMs: paused || past !== undefined ? undefined : HEAT_EVERY_MS,
        onProblem: (problem) => setAnswer({ wish, result: { state: 'failed', problem } }),
      },
    )
  }, [wish, window, paused, known, past])
  return answer?.wish === wish ? answer.result : LOADING
}

const percentage = (value: number | undefined): string => format.percent(value)

/** Utilization and demand of the level, as shares of time over the current limit. */
export const UtilizationPane = memo(function UtilizationPane(props: {
  readonly server: string
  readonly level: LevelFrame
  readonly at: number
  readonly kind: 'utilization' | 'demand'
  readonly missing: readonly MissingFamily[]
}) {
  const { server, level, at, kind, missing } = props
  const histogram = kind === 'utilization' ? level.seatUtilization : level.demandRatio
  const window = useHistogramWindow(`${server} ${level.name} ${kind}`, at, histogram)
  const data = window === undefined ? undefined : ratioData(window.histogram)
  const [box, { width }] = useSize()
  const words = RATIO_WORDS[kind]
  const table = useCallback(() => ratioTable(data), [data])
  return (
    <ChartFrame
      title={words.title}
      unit="% of current limit"
      note={windowNote(window)}
      table={table}
      fileName={`${kind}-of-limit-${level.name}`}
      subject={level.name}
      promql={{
        measures: words.measures,
        level: level.name,
        ...(window?.seconds !== undefined && { spanMs: window.seconds * 1_000 }),
      }}
    >
      <div ref={box} className="pad-x pad-b-10">
        {histogram === undefined ? (
          <Absent families={[words.family]} missing={missing} otherwise="It appears once a seat is in use." />
        ) : (
          data !== undefined &&
          width > 32 && (
            <>
              <QuantileBars
                data={data}
                width={width - 32}
                color={levelColor(level.name)}
                label={`${level.name}, ${words.title.toLowerCase()}: ${data.bars
                  .map((bar) => `p${Math.round(bar.quantile * 100)} ${intervalText(bar.interval)}`)
                  .join(', ')}`}
              />
              <p className={styles['figures']}>
                <span>
                  mean over time <b className="medium figures ink">{percentage(data.mean)}</b>
                </span>
                {data.aboveLimit !== undefined && (
                  <span>
                    above the limit <b className="medium figures ink">{percentage(data.aboveLimit)}</b> of the time
                  </span>
                )}
                <span className="faint">exact bounds, weighted by time</span>
              </p>
            </>
          )
        )}
      </div>
    </ChartFrame>
  )
})

const RATIO_WORDS = {
  utilization: {
    title: 'Seat utilisation',
    family: 'apiserver_flowcontrol_priority_level_seat_utilization',
    measures: 'utilizationShares',
  },
  demand: { title: 'Demand ratio', family: 'apiserver_flowcontrol_demand_seats', measures: 'demandShares' },
} as const

function windowNote(window: HistogramWindow | undefined): string | undefined {
  if (window === undefined) return undefined
  return window.seconds === undefined ? 'since the server started' : `last ${format.span(window.seconds)}`
}

function ratioTable(data: RatioData | undefined): ChartTable {
  return {
    columns: ['Ratio to current limit', 'Share of the time, %'],
    rows: (data?.buckets ?? []).map(({ above, upTo, share }) => [
      upTo === undefined
        ? `over ${percentage(above)}`
        : above === undefined
          ? `up to ${percentage(upTo)}`
          : `${percentage(above)} to ${percentage(upTo)}`,
      rounded(share * 100, 2),
    ]),
  }
}

/** Why numbers are missing: what the server's version hides or lacks, or that nothing has happened yet. */
function Absent(props: {
  readonly families: readonly string[]
  readonly missing: readonly MissingFamily[]
  /** The meaning when the server has the family and it is still empty. */
  readonly otherwise: string
}) {
  const { families, missing, otherwise } = props
  const reasons = missing.filter((entry) => families.includes(entry.family))
  if (reasons.length === 0) return <p>Nothing was counted yet. {otherwise}</p>
  return reasons.map((entry) => (
    <p key={entry.family}>
      <FamilyNote entry={entry} />
    </p>
  ))
}
