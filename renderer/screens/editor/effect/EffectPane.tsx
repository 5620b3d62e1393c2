import { sentenceText } from '../../../../core/answer/answer.ts'
import type { Effect, EffectsState } from '../../../../core/contract/effect.ts'
import { presentEffect } from '../../../../core/twin/present.ts'
import { AnswerTable } from '../../../components/answer/Answer.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Sentences } from '../../../components/States.tsx'
import { format } from '../../../theme/format.ts'
import styles from './effect.module.css'

/** The effect of an applied edit: every level before and after it, and the forecast next to the measured values. */
export function EffectPane(props: { readonly effect: Effect; readonly watched: EffectsState['watched'] }) {
  const { title, evidence, tables } = presentEffect(props.effect, props.watched)
  return (
    <Pane title="Effect" note={<span role="status">{sentenceText(title, format)}</span>}>
      <Sentences of={evidence.map((sentence) => sentenceText(sentence, format))} className={styles['notes']} />
      {tables.map((table) => (
        <div key={table.title}>
          <p className={styles['notes']}>{`${table.title}: ${table.note}`}</p>
          <AnswerTable table={table} stacked scrolls />
        </div>
      ))}
    </Pane>
  )
}
