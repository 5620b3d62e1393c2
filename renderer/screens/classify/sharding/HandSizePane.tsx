import { useMemo } from 'react'
import type { Queuing } from '../../../../core/config/objects.ts'
import { bestHand, hands } from '../../../../core/sharding/collision.ts'
import { HandOdds } from '../../../charts/Hands.tsx'
import { useSize } from '../../../charts/plot.tsx'
import { ChartFrame } from '../../../components/ChartFrame.tsx'
import { format } from '../../../theme/format.ts'
import { chance } from './shape.data.ts'

const HEIGHT = 214

/** The chance against the size of the hand, for as many queues as the shape has. */
export function HandSizePane(props: {
  readonly queuing: Queuing
  readonly counts: readonly number[]
  readonly elephants: number
  readonly target: number | undefined
}) {
  const { queuing, counts, elephants, target } = props
  const { queues, handSize } = queuing
  const [box, { width }] = useSize()
  const lines = useMemo(
    () => counts.map((count) => ({ elephants: count, points: hands(queues, count) })),
    [queues, counts],
  )
  const best = bestHand(queues, elephants)
  const bestText = best && `best against ${format.fixed(elephants)}: ${best.handSize}, ${chance(best.covered)}`
  return (
    <ChartFrame
      title="Hand covered, by hand size"
      unit="probability"
      note={bestText}
      table={{
        columns: ['Hand size', ...counts.map((count) => (count === 1 ? '1 elephant' : `${count} elephants`))],
        rows: (lines[0]?.points ?? []).map(({ handSize: size }, i) => [
          size,
          ...lines.map(({ points }) => points[i]?.covered),
        ]),
      }}
      time="calculated"
      fileName={`hands-of-${queues}-queues`}
      label={`Chance that a hand of ${queues} queues is covered, by hand size; now ${handSize}; ${bestText ?? ''}`}
    >
      <div ref={box} style={{ height: HEIGHT, minWidth: 0 }}>
        {width > 0 && (
          <HandOdds
            lines={lines}
            elephants={elephants}
            handSize={handSize}
            target={target}
            width={width}
            height={HEIGHT}
          />
        )}
      </div>
    </ChartFrame>
  )
}
