import { useState } from 'react'
import type { SourceSpec } from '../../../core/contract/source.ts'
import { Button, FilesButton } from '../../components/Button.tsx'
import { Field, inputClass } from '../../components/Field.tsx'
import { readFiles } from '../../components/files.ts'
import { Pane } from '../../components/Pane.tsx'
import styles from './Connect.module.css'

/** Open, choose a folder, or paste. */
export function FilePane(props: {
  readonly busy: boolean
  readonly onOpen: (spec: () => Promise<SourceSpec>) => void
}) {
  const { busy, onOpen } = props
  const [text, setText] = useState('')
  const open = (chosen: readonly File[]): void =>
    onOpen(async () => ({ kind: 'files', files: await readFiles(chosen) }))
  return (
    <Pane title="Files">
      <div className={styles['form']}>
        <div className={styles['drop']}>
          <p className={styles['note']}>
            Drop files or a folder anywhere on this window, or choose them here: /metrics pages, debug dumps, manifests,
            audit and request logs, compressed with gzip or not. They are read on this machine, and the Overview opens.
          </p>
          <div className={styles['buttons']}>
            <FilesButton primary disabled={busy} label="Files to open" onFiles={open}>
              {busy ? 'Opening…' : 'Choose files'}
            </FilesButton>
            <FilesButton folder disabled={busy} label="Folder to open" onFiles={open}>
              Choose a folder
            </FilesButton>
          </div>
        </div>
        <Field label="Or paste a /metrics page or a dump">
          {(attributes) => (
            <textarea
              {...attributes}
              className={inputClass}
              rows={6}
              spellCheck={false}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        <div className={styles['buttons']}>
          <Button
            disabled={busy || text.trim() === ''}
            onClick={() => onOpen(async () => ({ kind: 'files', files: [{ name: 'pasted', text }] }))}
          >
            Open the pasted text
          </Button>
        </div>
      </div>
    </Pane>
  )
}
