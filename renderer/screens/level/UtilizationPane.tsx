import { memo, useCallback } from 'react'
import type { LevelFrame, MissingFamily } from '../../../core/frame/frame.ts'
import {
  QuantileBars,
  intervalText,
  ratioData,
  type HistogramWindow,
  type RatioData,
} from '../../charts/QuantileBars.tsx'
import { useSize } from '../../charts/plot.tsx'
import type { ChartTable } from '../../components/chartTable.ts'
import { ChartFrame } from '../../components/ChartFrame.tsx'
import { format } from '../../theme/format.ts'
import { levelColor } from '../../state/levels.ts'
import { Absent } from './Absent.tsx'
import styles from './Panes.module.css'
import { useHistogramWindow } from './useLevelData.ts'

const percentage = (value: number | undefined): string => format.percent(value)

/** How full the level was, and how much it was asked for, as shares of time over the current limit. */
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
  const words = WORDS[kind]
  const table = useCallback(() => ratioTable(data), [data])
  return (
    <ChartFrame
      title={words.title}
      unit="% of current limit"
      note={windowNote(window)}
      table={table}
      fileName={`${kind}-of-limit-${level.name}`}
      subject={level.name}
    >
      <div ref={box} className={styles['pad']}>
        {histogram === undefined ? (
          <Absent families={[words.family]} missing={missing} otherwise="It appears with the first seat in use." />
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
                  mean over time <b>{percentage(data.mean)}</b>
                </span>
                {data.aboveLimit !== undefined && (
                  <span>
                    above the limit <b>{percentage(data.aboveLimit)}</b> of the time
                  </span>
                )}
                <span className={styles['quiet']}>exact bounds, weighted by time</span>
              </p>
            </>
          )
        )}
      </div>
    </ChartFrame>
  )
})

const WORDS = {
  utilization: {
    title: 'Seat utilisation',
    family: 'apiserver_flowcontrol_priority_level_seat_utilization',
  },
  demand: { title: 'Demand ratio', family: 'apiserver_flowcontrol_demand_seats' },
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
      Number((share * 100).toFixed(2)),
    ]),
  }
}
