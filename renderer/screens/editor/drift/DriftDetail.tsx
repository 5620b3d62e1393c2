import type { DriftRow } from '../../../../core/drift/drift.ts'
import { withDeletion, withText } from '../../../../core/draft/draft.ts'
import { writeManifest } from '../../../../core/manifest/write.ts'
import { Button } from '../../../components/Button.tsx'
import { Note } from '../../../components/Note.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { scrollRegion } from '../../../components/scrollRegion.ts'
import { changeDraft } from '../../../state/draft.ts'
import { openPage } from '../../../state/route.ts'
import { DiffView } from '../draft/DiffView.tsx'
import styles from './drift.module.css'

/** One object: what differs, what the server will do, and the way back. */
export function DriftDetail({ row }: { readonly row: DriftRow }) {
  const { kind, name, reference, current, server } = row
  const takeOver = (): void => {
    changeDraft((entries, objects) =>
      reference === null
        ? withDeletion(entries, objects, row)
        : withText(entries, objects, row, writeManifest(kind, reference)),
    )
    openPage('editor', 'draft', `${kind}/${name}`)
  }
  return (
    <Pane
      title={name}
      note={kind}
      actions={
        <Button small onClick={takeOver}>
          {reference === null ? 'Draft a deletion' : 'Draft the original'}
        </Button>
      }
    >
      <div className={styles['detail']}>
        <Note kind={server.verdict === 'kept' ? 'info' : 'warn'}>{server.why}</Note>
        <div className={styles['diff']} {...scrollRegion(`What differs in ${name}`)}>
          <DiffView
            before={reference === null ? '' : writeManifest(kind, reference)}
            after={current === null ? '' : writeManifest(kind, current)}
          />
        </div>
      </div>
    </Pane>
  )
}
