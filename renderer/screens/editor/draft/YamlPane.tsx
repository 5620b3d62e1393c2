import { lazy, Suspense } from 'react'
import { refKey, withText } from '../../../../core/draft/draft.ts'
import type { ObjectRef } from '../../../../core/guard/finding.ts'
import { Loading } from '../../../components/States.tsx'
import { changeDraft, redoDraft, undoDraft } from '../../../state/draft.ts'
import type { UnderstoodEntry } from '../../../state/draft.logic.ts'
import styles from './object.module.css'

const YamlEditor = lazy(() => import('./yaml/YamlEditor.tsx'))

/** The object as YAML. */
export function YamlPane(props: {
  readonly of: ObjectRef
  readonly text: string
  readonly read: UnderstoodEntry | undefined
  readonly levels: readonly string[]
  readonly readOnly: boolean
  readonly goTo: { readonly field: string } | undefined
}) {
  const { of, text, read, levels, readOnly, goTo } = props
  return (
    <div className={styles['text']}>
      <Suspense fallback={<Loading waitingFor="the editor" />}>
        <YamlEditor
          key={refKey(of)}
          label={`YAML of ${of.name}`}
          kind={of.kind}
          text={text}
          findings={read?.findings ?? NONE}
          document={read?.document}
          levels={levels}
          readOnly={readOnly}
          goTo={goTo}
          onChange={(next) =>
            changeDraft((entries, objects) => withText(entries, objects, of, next), `${refKey(of)} text`)
          }
          onUndo={undoDraft}
          onRedo={redoDraft}
        />
      </Suspense>
    </div>
  )
}

const NONE: UnderstoodEntry['findings'] = []
