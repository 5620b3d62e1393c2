import type { Overlap } from '../../../../core/sharding/overlap.ts'
import { HandStrips } from '../../../charts/Hands.tsx'
import { levelStyle, NO_LEVEL_STYLE, useSize } from '../../../charts/plot.tsx'
import { Button } from '../../../components/Button.tsx'
import { ChartFrame } from '../../../components/ChartFrame.tsx'
import { flowName } from '../../../state/flows.logic.ts'
import { FLOWS_DRAWN, keyOf, overlapSentence } from './flows.data.ts'
import styles from './sharding.module.css'
import type { Flows } from './useFlows.ts'

export interface HandsPaneProps {
  readonly level: string | undefined
  readonly queues: number
  readonly flows: Flows
  readonly overlap: Overlap
  readonly chosen: string | undefined
  readonly onChoose: (key: string) => void
}

/** The queues that each flow is dealt, and where hands meet. */
export function HandsPane({ level, queues, flows, overlap, chosen, onChoose }: HandsPaneProps) {
  const [box, { width }] = useSize()
  const shown = overlap.flows.slice(0, FLOWS_DRAWN)
  const more = overlap.flows.length - shown.length
  const sentence = overlapSentence(overlap)
  const actions = (
    <Button small onClick={flows.take} disabled={flows.inDump === 0}>
      Flows of the newest dump
    </Button>
  )
  return (
    <ChartFrame
      title="Hands"
      note={sentence === '' ? 'as dealt by each flow’s hash' : sentence}
      actions={level === undefined ? undefined : actions}
      table={{
        columns: ['Flow', 'Hash', 'Hand', 'Own queues'],
        rows: overlap.flows.map(({ schema, distinguisher, hash, hand, own }) => [
          `${schema}/${distinguisher}`,
          hash.toString(),
          hand.join(' '),
          own.join(' '),
        ]),
      }}
      time="calculated"
      fileName={`hands-${level ?? 'free'}`}
      label={`Hands of ${shown.length} flows in ${queues} queues. ${sentence}`}
    >
      <div ref={box} className={styles['strips']} style={level === undefined ? NO_LEVEL_STYLE : levelStyle(level)}>
        {shown.length === 0 ? (
          <p className={styles['empty']}>
            {queues === 1
              ? 'With one queue there is nothing to deal: flows are not told apart.'
              : 'Type a flow below, or connect a source whose debug dumps show some.'}
          </p>
        ) : (
          width > 0 && (
            <HandStrips
              strips={shown.map((flow) => ({
                key: keyOf(flow),
                name: flowName(flow.distinguisher, flow.schema),
                hand: flow.hand,
              }))}
              queues={queues}
              holders={overlap.holders}
              chosen={chosen}
              onChoose={onChoose}
              width={width}
            />
          )
        )}
        {more > 0 && <p className={styles['empty']}>{`${more} more in the table below.`}</p>}
      </div>
    </ChartFrame>
  )
}
