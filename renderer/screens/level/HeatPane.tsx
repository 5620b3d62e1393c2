import { memo, useCallback, useMemo, type ReactNode } from 'react'
import type { MissingFamily } from '../../../core/frame/frame.ts'
import { HeatLegend, HeatMap, heatPlot, bucketLabel, heatGrid, heatTable } from '../../charts/HeatMap.tsx'
import { useSize } from '../../charts/plot.tsx'
import type { ChartTable } from '../../components/chartTable.ts'
import { ChartFrame } from '../../components/ChartFrame.tsx'
import { Loading, ProblemNote } from '../../components/States.tsx'
import { format } from '../../theme/format.ts'
import { levelColor, levelToken } from '../../state/levels.ts'
import { Absent } from './Absent.tsx'
import styles from './Panes.module.css'
import { useHeatMap, type HeatMapResult } from './useLevelData.ts'

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
    nothing: 'No request was measured in this range.',
  },
  execution: {
    title: 'Execution',
    family: 'apiserver_flowcontrol_request_execution_seconds',
    nothing: 'No request finished in this range.',
  },
} as const

/** Pixels of one column of time at least. */
const COLUMN_PX = 4

/** How long requests waited, or executed, over the shown range: the server's own buckets, counted per stretch of time. */
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
  const words = WORDS[kind]
  const absent = missing.some((entry) => entry.family === words.family)
  return (
    <ChartFrame
      title={words.title}
      unit="seconds"
      note={grid === undefined ? undefined : <HeatLegend grid={grid} color={levelColor(level)} />}
      table={table}
      fileName={[kind, level, ...(schema === undefined ? [] : [schema])].join('-')}
      subject={schema === undefined ? level : `${level}, ${schema}`}
      actions={actions}
    >
      {/* Without a measured request there is nothing to draw, and nothing to keep room for. */}
      <div ref={box} className={styles['chart']} style={grid?.total === 0 ? undefined : { height }}>
        {absent ? (
          <div className={styles['prose']}>
            <Absent families={[words.family]} missing={missing} otherwise="" />
          </div>
        ) : result.state === 'failed' ? (
          <div className={styles['note']}>
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
            title={`${level}, ${words.title.toLowerCase()} of ${schema ?? 'all flow schemas'}: ${format.fixed(grid.total)} requests`}
          />
        )}
      </div>
    </ChartFrame>
  )
})

function tableOf(result: HeatMapResult): ChartTable {
  if (result.state !== 'ready') return { columns: ['Until', 'Requests'], rows: [] }
  const { bounds } = result.map
  const names = [...bounds, undefined].map((_, row) => bucketLabel(bounds, row, format.seconds))
  return {
    columns: ['Until', 'Requests', ...names],
    times: true,
    rows: heatTable(result.map).map((row) => [row.at, row.total, ...row.counts]),
  }
}
