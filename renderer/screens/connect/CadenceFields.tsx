import type { Cadence } from '../../../core/contract/source.ts'
import { Field, inputClass } from '../../components/Field.tsx'
import { DUMP_INTERVALS, INTERVALS, intervalText } from './form.logic.ts'
import styles from './Connect.module.css'

/** How often metrics and debug dumps are read. */
export function CadenceFields(props: Cadence & { readonly onChange: (cadence: Cadence) => void }) {
  const { intervalMs, dumpsEveryMs, onChange } = props
  return (
    <div className={styles['pair']}>
      <Field label="Metrics every">
        {(attributes) => (
          <select
            {...attributes}
            className={inputClass}
            value={String(intervalMs)}
            onChange={({ target }) => onChange({ intervalMs: Number(target.value), dumpsEveryMs })}
          >
            {choices(INTERVALS, intervalMs).map((ms) => (
              <option key={ms} value={String(ms)}>
                {intervalText(ms)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Debug dumps every">
        {(attributes) => (
          <select
            {...attributes}
            className={inputClass}
            value={String(dumpsEveryMs)}
            onChange={({ target }) =>
              onChange({ intervalMs, dumpsEveryMs: target.value === 'null' ? null : Number(target.value) })
            }
          >
            {choices(DUMP_INTERVALS, dumpsEveryMs).map((ms) => (
              <option key={ms} value={String(ms)}>
                {intervalText(ms)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  )
}

/** The usual choices, with the present one among them whatever it is. */
const choices = <T extends number | null>(usual: readonly T[], present: T): readonly T[] =>
  usual.includes(present) ? usual : [present, ...usual]
