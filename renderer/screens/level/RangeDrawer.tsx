import { memo, useEffect } from 'react'
import type { Series } from '../../../core/frame/series.ts'
import { clearRange, rangeStore, zoomToRange } from '../../charts/Crosshair.tsx'
import { summariseRange } from '../../charts/crosshair.data.ts'
import { Button } from '../../components/Button.tsx'
import { KeyNumbers } from '../../components/KeyNumbers.tsx'
import { format } from '../../theme/format.ts'
import styles from './RangeDrawer.module.css'

/** What happened in the level during the dragged range. */
export const RangeDrawer = memo(function RangeDrawer({ series, level }: { series: Series; level: string }) {
  const range = rangeStore((state) => state.range)
  // A range belongs to the charts of this screen: leaving it lets go.
  useEffect(() => clearRange, [])
  if (range === undefined) return null
  const sum = summariseRange(series, level, range)
  return (
    <section className={styles['drawer']} aria-label="Selected range">
      <div className={styles['bounds']}>
        <span className="mono">{`${format.time(range.from)} – ${format.time(range.to)}`}</span>
        <span className={styles['length']}>{`${format.span(sum.seconds)} selected, ${sum.samples} samples`}</span>
      </div>
      <KeyNumbers
        label={`${level} in the selected range`}
        items={[
          { label: 'executing, mean', value: format.seatsAverage(sum.executingMean), unit: 'seats' },
          { label: 'demand, largest', value: format.seats(sum.demandMax), unit: 'seats' },
          { label: 'dispatched', value: approximately(sum.dispatched) },
          {
            label: 'rejected',
            value: approximately(sum.rejected),
            tone: (sum.rejected ?? 0) >= 0.5 ? 'rejected' : undefined,
          },
        ]}
      />
      <div className={styles['actions']}>
        <Button onClick={zoomToRange}>Zoom to {format.span(sum.seconds)}</Button>
        <Button onClick={clearRange}>Let go</Button>
      </div>
    </section>
  )
})

/** Counts come from rates at samples, so they are near, not exact. */
const approximately = (value: number | undefined): string =>
  value === undefined || value === 0 ? format.fixed(value) : `≈ ${format.fixed(value)}`
