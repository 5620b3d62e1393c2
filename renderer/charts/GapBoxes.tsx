import { msOf, type Gap } from '../../core/history/gaps.ts'
import { format } from '../theme/format.ts'
import { plotHeight, xOfTime, type Plot, type TimeDomain } from '../../core/text/plot.ts'
import styles from './seats.module.css'

export interface GapBoxesProps {
  readonly gaps: readonly Gap[]
  readonly domain: TimeDomain
  readonly plot: Plot
}

/** Narrower boxes have no room for words or for their length; both are in the chart's sentence and at the cursor. */
const ROOM_FOR_WORDS = 112
const ROOM_FOR_LENGTH = 56

/** Stretches without a sample as empty boxes, labelled with their length where it fits. */
export function GapBoxes({ gaps, domain, plot }: GapBoxesProps) {
  const x = (at: number): number => xOfTime(plot, domain, Math.min(domain.to, Math.max(domain.from, at)))
  return gaps.map((gap) => {
    const [left, right] = [x(gap.from), x(gap.to)]
    return (
      <g key={gap.from}>
        <rect
          className={styles['gap']}
          x={left}
          width={Math.max(1, right - left)}
          y={plot.top}
          height={plotHeight(plot)}
        />
        {right - left >= ROOM_FOR_LENGTH && (
          <text x={(left + right) / 2} y={plot.top + plotHeight(plot) / 2} textAnchor="middle">
            {`${right - left >= ROOM_FOR_WORDS ? 'no samples, ' : ''}${format.age(msOf(gap))}`}
          </text>
        )}
      </g>
    )
  })
}
