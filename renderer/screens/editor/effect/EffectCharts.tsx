import { useEffect, useMemo, useState } from 'react'
import { sentenceText } from '../../../../core/answer/answer.ts'
import { SETTLE_MS } from '../../../../core/compare/period.ts'
import type { Effect } from '../../../../core/contract/effect.ts'
import type { Band, ForecastLevel, Quantity } from '../../../../core/contract/forecast.ts'
import { rejectedRate } from '../../../../core/history/range.ts'
import type { LevelSeries, Series } from '../../../../core/history/series.ts'
import { valueAxis } from '../../../../core/text/axis.ts'
import { watchedUntil } from '../../../../core/twin/effect.ts'
import { isBanded, judge } from '../../../../core/twin/judge.ts'
import { judgedSentence, QUANTITY_LABELS } from '../../../../core/twin/present.ts'
import { linePath, xOfTime, yOfValue, type Plot, type TimeDomain } from '../../../../core/text/plot.ts'
import { Drawing, levelStyle, PlotAxes, useSize } from '../../../charts/plot.tsx'
import { onAnswer } from '../../../state/answer.ts'
import { client } from '../../../state/client.ts'
import { useConnected } from '../../../state/connection.ts'
import { format } from '../../../theme/format.ts'
import styles from './effect.module.css'

/** Drawn before the edit. */
const BEFORE_MS = 300_000
const HEIGHT = 112
const MOST_POINTS = 200
const READ_MS = 5_000

/** Where a quantity is in the history of a level. */
const DRAWN: readonly (readonly [Quantity, (level: LevelSeries, index: number) => number | null])[] = [
  ['waitP50', ({ columns }, index) => columns.waitP50[index] ?? null],
  ['waitP99', ({ columns }, index) => columns.waitP99[index] ?? null],
  ['rejectedPerSecond', rejectedRate],
  ['seats', ({ columns }, index) => columns.executing[index] ?? null],
  ['current', ({ columns }, index) => columns.current[index] ?? null],
]

/** Each quantity of the edited levels around the edit: the measured line, and the band of the forecast after it. */
export function EffectCharts({ effect, edited }: { readonly effect: Effect; readonly edited: readonly string[] }) {
  const { atMs, measured, forecast } = effect
  const series = useEffectSeries(effect)
  const domain = useMemo(() => ({ from: atMs - BEFORE_MS, to: watchedUntil(atMs) }), [atMs])
  const judged = forecast === undefined || measured === undefined ? [] : judge(forecast, measured.levels)
  if (series === undefined) return null
  return (
    <div className={styles['charts']}>
      {edited.flatMap((name) => {
        const level = series.levels.find((one) => one.name === name)
        const isGone = measured?.levels.every((one) => one.level !== name) === true
        if (level === undefined) return [<p key={name}>{`${name}: no history around the edit.`}</p>]
        return DRAWN.map(([quantity, read]) => {
          const one = judged.find((each) => each.level === name && each.quantity === quantity)
          const foretold = forecast?.levels.find((each) => each.level === name)
          const said = one !== undefined && isBanded(one) ? sentenceText(judgedSentence(one), format) : ''
          return (
            <EffectChart
              key={`${name} ${quantity}`}
              title={`${name}: ${QUANTITY_LABELS[quantity].toLowerCase()}`}
              said={isGone ? 'deleted' : foretold?.bands[quantity] === undefined ? bandless(foretold, quantity) : said}
              band={foretold?.bands[quantity]}
              points={series.times.map((at, index) => ({ at, value: read(level, index) }))}
              {...{ level: name, isTime: quantity === 'waitP50' || quantity === 'waitP99', domain, atMs }}
            />
          )
        })
      })}
    </div>
  )
}

/** Why no band is drawn. */
function bandless(foretold: ForecastLevel | undefined, quantity: Quantity): string {
  const unsure = foretold?.unsure?.[quantity]
  if (unsure === undefined) return foretold?.note ?? 'no forecast'
  return `no band, because ${unsure.why}${unsure.to === undefined ? '' : `; ${unsure.to}`}`
}

/** The history around the edit, read again while it is measured. */
function useEffectSeries({ atMs, server, ended }: Effect): Series | undefined {
  const connection = useConnected()?.id
  const [series, setSeries] = useState<Series>()
  useEffect(() => {
    if (connection === undefined) return undefined
    const range = { from: atMs - BEFORE_MS, to: watchedUntil(atMs), maxPoints: MOST_POINTS }
    // Without a history the table remains.
    return onAnswer(
      () => client().call('history.series', { connection, server, ...range }),
      setSeries,
      ended === undefined ? { everyMs: READ_MS } : {},
    )
  }, [connection, server, atMs, ended])
  return series
}

interface ChartProps {
  readonly title: string
  readonly said: string
  readonly level: string
  readonly band: Band | undefined
  readonly points: readonly { readonly at: number; readonly value: number | null }[]
  /** Seconds, drawn as milliseconds where all of it is below one. */
  readonly isTime: boolean
  readonly domain: TimeDomain
  readonly atMs: number
}

function EffectChart({ title, said, level, band, points, isTime, domain, atMs }: ChartProps) {
  const [box, { width }] = useSize()
  const plot: Plot = { width, height: HEIGHT, left: 44, right: 8, top: 8, bottom: 20 }
  const highest = points.reduce((most, { value }) => Math.max(most, value ?? 0), band?.high ?? 0)
  const isShort = isTime && highest < 1
  const scale = isShort ? 1_000 : 1
  const unit = isTime ? (isShort ? 'ms' : 's') : ''
  const axis = valueAxis(highest * scale, 2)
  const x = (at: number): number => xOfTime(plot, domain, at)
  const y = (value: number): number => yOfValue(plot, axis.max, value * scale)
  const settled = atMs + SETTLE_MS
  const base = plot.height - plot.bottom
  return (
    <figure className={styles['chart']} style={levelStyle(level)}>
      <figcaption>
        <b>{unit === '' ? title : `${title}, ${unit}`}</b> <span>{said}</span>
      </figcaption>
      <div ref={box} style={{ height: HEIGHT }}>
        {width > 0 && (
          <Drawing width={width} height={HEIGHT} label={`${title} before and after the edit. ${said}`}>
            <PlotAxes plot={plot} domain={domain} axis={axis} />
            <rect
              className="fill-band"
              x={x(atMs)}
              width={x(settled) - x(atMs)}
              y={plot.top}
              height={base - plot.top}
            />
            {band !== undefined && (
              <rect
                className={styles['band']}
                x={x(settled)}
                width={x(domain.to) - x(settled)}
                y={y(band.high)}
                height={Math.max(2, y(band.low) - y(band.high))}
              />
            )}
            <path
              className="fill-none stroke-level stroke-1-5"
              d={linePath(points.map(({ at, value }) => ({ x: x(at), y: value === null ? undefined : y(value) })))}
            />
            <line className="stroke-text" x1={x(atMs)} x2={x(atMs)} y1={plot.top} y2={base} />
          </Drawing>
        )}
      </div>
    </figure>
  )
}
