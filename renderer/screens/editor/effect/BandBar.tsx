import type { ForecastLevel, Quantity } from '../../../../core/contract/forecast.ts'
import styles from './effect.module.css'

const WIDTH = 72
const HEIGHT = 9
/** Waits are drawn between these, in seconds, by their logarithm. */
const WAITS = [1e-4, 20] as const

const isWait = (quantity: Quantity): boolean => quantity === 'waitP50' || quantity === 'waitP99'

/** The largest value of a quantity that is drawn, for a scale that all levels share. */
export const largestInBands = (levels: readonly ForecastLevel[], quantity: Quantity): number =>
  Math.max(0, ...levels.flatMap(({ now, bands }) => [now?.[quantity] ?? 0, bands[quantity]?.high ?? 0]))

function placeOf(quantity: Quantity, value: number, largest: number): number {
  const [least, most] = WAITS
  const part = isWait(quantity)
    ? Math.log(Math.max(value, least) / least) / Math.log(most / least)
    : value / Math.max(largest, 1e-9)
  return 1 + Math.min(1, Math.max(0, part)) * (WIDTH - 2)
}

/** What is as a post, the forecast as a dot in its interval; the cell above says the same in numbers. */
export function BandBar(props: {
  readonly level: ForecastLevel | undefined
  readonly quantity: Quantity
  readonly largest: number
}) {
  const { level, quantity, largest } = props
  const band = level?.bands[quantity]
  if (band === undefined) return null
  const now = level?.now?.[quantity]
  const x = (value: number): number => placeOf(quantity, value, largest)
  return (
    <svg className={styles['bandBar']} width={WIDTH} height={HEIGHT} aria-hidden="true" focusable="false">
      <line className="stroke-strong" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      <rect
        className="fill-text-3"
        x={x(band.low)}
        width={Math.max(1, x(band.high) - x(band.low))}
        y={2.5}
        height={4}
      />
      <circle cx={x(band.point)} cy={HEIGHT / 2} r={2.5} />
      {now !== undefined && <line className={styles['bandNow']} x1={x(now)} x2={x(now)} y2={HEIGHT} />}
    </svg>
  )
}
