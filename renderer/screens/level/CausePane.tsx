import { sentenceText } from '../../../core/answer/answer.ts'
import type { Finding } from '../../../core/contract/diagnosis.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { explainLimit } from '../../../core/verdict/explainLimit.ts'
import { Button, Buttons } from '../../components/Button.tsx'
import { LOW, useMedia } from '../../components/hooks.ts'
import { Pane } from '../../components/Pane.tsx'
import { Sentences } from '../../components/States.tsx'
import { TryFix } from '../../components/TryFix.tsx'
import { useHasScreen } from '../../state/limits.ts'
import { openScreen } from '../../state/route.ts'
import { format } from '../../theme/format.ts'

export interface CausePaneProps {
  readonly server: ServerFrame
  readonly level: string
  readonly finding: Finding | undefined
}

/** Evidence that fits beside the seats; Diagnosis has all of it. */
const MOST_EVIDENCE = 3

/** The first cause of what is wrong with the level, and its remedy; while nothing is, why its limit is what it is. */
export function CausePane({ server, level, finding }: CausePaneProps) {
  const diagnoses = useHasScreen('diagnosis')
  const low = useMedia(LOW)
  if (finding === undefined) {
    const { title, evidence } = explainLimit(server, level) ?? { title: [], evidence: [] }
    return (
      <Pane title="Why this limit">
        <div className="stack gap-6 pad-x pad-b-10 leading-142">
          <Sentences of={[title, ...evidence].map((sentence) => sentenceText(sentence, format))} />
        </div>
      </Pane>
    )
  }
  const { title, confidence, text, evidenceFor, remedy } = finding
  return (
    <Pane title="Cause and remedy" note={confidence}>
      <div className="stack gap-6 pad-x pad-b-10 leading-142">
        <p>
          <b>{title}.</b> {text}
        </p>
        <Sentences of={evidenceFor.slice(0, low ? 1 : MOST_EVIDENCE)} className="faint" />
        <p>
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
