import {
  MAX_ENTROPY_BITS,
  requiredEntropyBits,
  largestHand,
  mostWaitingPerFlow,
} from '../../../../core/config/shape.ts'
import { Button } from '../../../components/Button.tsx'
import { Field, inputClass } from '../../../components/Field.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Term } from '../../../components/Term.tsx'
import { format } from '../../../theme/format.ts'
import { SHAPE_FIELDS, type ShapeField } from './shape.data.ts'
import styles from './sharding.module.css'
import type { Sharding } from './useSharding.ts'

const LABELS: Readonly<Record<ShapeField, string>> = {
  queues: 'Queues',
  handSize: 'Hand size',
  queueLengthLimit: 'Queue length',
}

/** Queues and hands: those of a level, or others that the reader tries. */
export function ShapePane({ sharding }: { readonly sharding: Sharding }) {
  const { levels, known, level, chooseLevel, form, changed, set, attempt, read } = sharding
  const { queuing } = read.ok ? read : { queuing: undefined }
  return (
    <Pane title="Shape" note={known ? undefined : 'of the built-in levels'}>
      <div className={styles['form']}>
        <Field label="Level" hint={changed ? <>Another shape than that of {level?.name}.</> : undefined}>
          {(attributes) => (
            <select
              {...attributes}
              className={inputClass}
              value={level?.key ?? ''}
              onChange={({ target }) => chooseLevel(target.value)}
            >
              {levels.map(({ key, name, drafted }) => (
                <option key={key} value={key}>
                  {drafted ? `${name} in the draft` : name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div className={styles['fields']}>
          {SHAPE_FIELDS.map((field) => (
            <Field key={field} label={LABELS[field]} error={read.ok ? undefined : read.errors[field]}>
              {(attributes) => (
                <input
                  {...attributes}
                  className={inputClass}
                  inputMode="numeric"
                  autoComplete="off"
                  value={form[field]}
                  onChange={({ target }) => set(field, target.value)}
                />
              )}
            </Field>
          ))}
        </div>
        <Button small className={styles['back']} onClick={() => attempt(undefined)} disabled={!changed}>
          Back to {level === undefined ? 'the usual shape' : level.name}
        </Button>
        {queuing !== undefined && (
          <dl className={styles['facts']}>
            <dt>
              <Term id="entropy-bits">Entropy bits</Term>
            </dt>
            <dd>{`${requiredEntropyBits(queuing.queues, queuing.handSize)} of ${MAX_ENTROPY_BITS}`}</dd>
            <dt>Largest hand for as many queues</dt>
            <dd>{largestHand(queuing.queues)}</dd>
            <dt>One flow can have waiting</dt>
            <dd>{`${format.fixed(mostWaitingPerFlow(queuing))} requests`}</dd>
          </dl>
        )}
      </div>
    </Pane>
  )
}
