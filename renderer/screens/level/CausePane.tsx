import { sentenceText } from '../../../core/answer/answer.ts'
import type { Finding } from '../../../core/contract/diagnosis.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { textWithVictims } from '../../../core/verdict/cause.ts'
import { explainLimit } from '../../../core/verdict/explainLimit.ts'
import { Button, Buttons } from '../../components/Button.tsx'
import { Pane } from '../../components/Pane.tsx'
import { Sentences } from '../../components/States.tsx'
import { TryFix } from '../../components/TryFix.tsx'
import { useDidStep } from '../../state/firstTask.ts'
import { useHasScreen } from '../../state/limits.ts'
import { openScreen } from '../../state/route.ts'
import { format } from '../../theme/format.ts'
import styles from './level.module.css'

export interface CausePaneProps {
  readonly server: ServerFrame
  readonly level: string
  readonly finding: Finding | undefined
}

/**
 * The first cause of what is wrong with the level, as much of its evidence as fits, and its remedy; while nothing is,
 * why its limit is what it is.
 */
export function CausePane({ server, level, finding }: CausePaneProps) {
  const diagnoses = useHasScreen('diagnosis')
  useDidStep('culprit', finding?.culprit !== undefined)
  if (finding === undefined) {
    const { title, evidence } = explainLimit(server, level) ?? { title: [], evidence: [] }
    return (
      <Pane title="Why this limit">
        <div className={styles['cause']}>
          <Sentences
            of={[title, ...evidence].map((sentence) => sentenceText(sentence, format))}
            className={styles['evidence']}
          />
        </div>
      </Pane>
    )
  }
  const { title, confidence, evidenceFor, remedy } = finding
  const text = textWithVictims(finding)
  return (
    <Pane title="Cause and remedy" note={confidence}>
      <div className={styles['cause']}>
        <p title={text}>
          <b>{title}.</b> {text}
        </p>
        <Sentences of={evidenceFor} className={`${styles['evidence']} faint`} />
        <p title={remedy.text}>
          <b>Remedy.</b> {remedy.text}
        </p>
        <Buttons>
          <TryFix remedy={remedy} />
          {diagnoses && (
            <Button small onClick={() => openScreen('diagnosis')}>
              All causes
            </Button>
          )}
        </Buttons>
      </div>
    </Pane>
  )
}
