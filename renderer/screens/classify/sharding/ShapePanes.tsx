import { useMemo } from 'react'
import {
  MAX_ENTROPY_BITS,
  requiredEntropyBits,
  largestHand,
  mostWaitingPerFlow,
} from '../../../../core/config/shape.ts'
import { bestHand, hands } from '../../../../core/sharding/collision.ts'
import { fallingFactorial, setsOf } from '../../../../core/sharding/digits.ts'
import { oddsOf } from '../../../../core/sharding/overlap.ts'
import { oddsTable } from '../../../../core/sharding/present.ts'
import type { FlowSchema, Queuing } from '../../../../core/config/objects.ts'
import { Button } from '../../../components/Button.tsx'
import { SelectField, TextField } from '../../../components/Field.tsx'
import { Term } from '../../../components/Term.tsx'
import { AnswerGrid } from '../../../components/answer/Answer.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { HandOdds } from '../../../charts/Hands.tsx'
import { useSize } from '../../../charts/plot.tsx'
import { ChartFrame } from '../../../components/ChartFrame.tsx'
import { format } from '../../../theme/format.ts'
import styles from '../shared/classify.module.css'
import { SHAPE_FIELDS, type QueueingLevel, type ReadShape, type ShapeField, type ShapeForm } from './shape.data.ts'

const LABELS: Readonly<Record<ShapeField, string>> = {
  queues: 'Queues',
  handSize: 'Hand size',
  queueLengthLimit: 'Queue length',
}

export interface Sharding {
  /** The levels to choose from. */
  readonly levels: readonly QueueingLevel[]
  /** Whether they are those of the connected source, or the built-in ones. */
  readonly known: boolean
  /** The level whose flows are shown. */
  readonly level: QueueingLevel | undefined
  /** The flow schemas that belong to the levels. */
  readonly schemas: readonly FlowSchema[]
  readonly chooseLevel: (key: string) => void
  readonly form: ShapeForm
  /** Whether the form differs from the level. */
  readonly changed: boolean
  readonly set: (field: ShapeField, text: string) => void
  /** Tries another shape, or returns to that of the level. */
  readonly attempt: (shape: Partial<Queuing> | undefined) => void
  readonly read: ReadShape
}

/** Queues and hand size: those of a level, or others that the reader tries. */
export function ShapePane({ sharding }: { readonly sharding: Sharding }) {
  const { levels, known, level, chooseLevel, form, changed, set, attempt, read } = sharding
  const { queuing } = read.ok ? read : { queuing: undefined }
  return (
    <Pane title="Shape" note={known ? undefined : 'of the built-in levels'}>
      <div className="stack gap-8 pad-x pad-b-10">
        <SelectField
          label="Level"
          hint={changed ? <>Differs from the shape of {level?.name}.</> : undefined}
          value={level?.key ?? ''}
          options={levels.map(({ key, name, drafted }) => [key, drafted ? `${name} in the draft` : name])}
          onChange={chooseLevel}
        />
        <div className={styles['fields']}>
          {SHAPE_FIELDS.map((field) => (
            <TextField
              key={field}
              kind="number"
              label={LABELS[field]}
              error={read.ok ? undefined : read.errors[field]}
              value={form[field]}
              onChange={(text) => set(field, text)}
            />
          ))}
        </div>
        <Button small className={styles['back']} onClick={() => attempt(undefined)} disabled={!changed}>
          Reset to {level === undefined ? 'the default shape' : level.name}
        </Button>
        {queuing !== undefined && (
          <dl className={styles['shapeFacts']}>
            <dt>
              <Term id="entropy-bits">Entropy bits</Term>
            </dt>
            <dd>{`${requiredEntropyBits(queuing.queues, queuing.handSize)} of ${MAX_ENTROPY_BITS}`}</dd>
            <dt>Largest hand for as many queues</dt>
            <dd>{largestHand(queuing.queues)}</dd>
            <dt>Hands</dt>
            <dd>{format.digits(fallingFactorial(queuing.queues, queuing.handSize))}</dd>
            <dt>Sets of queues</dt>
            <dd>{format.digits(setsOf(queuing.queues, queuing.handSize))}</dd>
            <dt>Waiting per flow, at most</dt>
            <dd>{`${format.fixed(mostWaitingPerFlow(queuing))} requests`}</dd>
          </dl>
        )}
      </div>
    </Pane>
  )
}

/** The chance that this many elephants cover a mouse. */
export function OddsPane(props: {
  readonly queuing: Queuing
  readonly counts: readonly number[]
  readonly elephants: number
}) {
  const { queuing, counts, elephants } = props
  const table = useMemo(() => oddsTable(oddsOf(queuing, counts)), [queuing, counts])
  return (
    <Pane title={table.title} note={table.note}>
      <AnswerGrid table={table} selected={counts.indexOf(elephants)} density="compact" />
      <p className="pad-x pad-t-8 pad-b-12 small leading-145 faint">
        Covered: elephants hold every queue of the mouse’s hand, so that it waits behind one of them. Touched: they hold
        at least one, which does not delay the mouse while another is clean.
      </p>
    </Pane>
  )
}

const HEIGHT = 214

/** The chance by hand size, for the number of queues of the shape. */
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
  const bestText =
    best && `best against ${format.fixed(elephants)}: ${best.handSize}, ${format.probability(best.covered)}`
  return (
    <ChartFrame
      title="Hand covered, by hand size"
      unit="probability"
      note={bestText}
      table={{
        columns: ['Hand size', ...counts.map((count) => format.counted(count, 'elephant'))],
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
