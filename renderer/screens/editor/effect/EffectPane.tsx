import { sentenceText } from '../../../../core/answer/answer.ts'
import type { Effect, EffectsState } from '../../../../core/contract/effect.ts'
import { presentEffect } from '../../../../core/twin/present.ts'
import { AnswerTable } from '../../../components/answer/Answer.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Sentences } from '../../../components/States.tsx'
import { useDidStep } from '../../../state/firstTask.ts'
import { format } from '../../../theme/format.ts'
import { EffectCharts } from './EffectCharts.tsx'
import styles from './effect.module.css'

/** The effect of an applied edit: drawn for the edited levels, then every level before and after it, and its forecast. */
export function EffectPane(props: {
  readonly effect: Effect
  readonly watched: EffectsState['watched']
  readonly edited: readonly string[]
}) {
  const { effect, watched, edited } = props
  const { title, evidence, tables } = presentEffect(effect, watched, edited)
  useDidStep('effect', effect.measured !== undefined)
  return (
    <Pane title="Effect" note={<span role="status">{sentenceText(title, format)}</span>}>
      <Sentences of={evidence.map((sentence) => sentenceText(sentence, format))} className={styles['notes']} />
      <EffectCharts effect={effect} edited={edited} />
      {tables.map((table) => (
        <div key={table.title}>
          <p className={styles['notes']}>{`${table.title}: ${table.note}`}</p>
          <AnswerTable table={table} stacked scrolls />
        </div>
      ))}
    </Pane>
  )
}
