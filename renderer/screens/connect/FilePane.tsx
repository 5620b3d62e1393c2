import { useRef, useState } from 'react'
import type { SourceSpec } from '../../../core/contract/source.ts'
import { Button } from '../../components/Button.tsx'
import { Field, inputClass } from '../../components/Field.tsx'
import { Pane } from '../../components/Pane.tsx'
import { readFiles } from './files.ts'
import styles from './Connect.module.css'

/** Open, choose a folder, or paste. */
export function FilePane(props: {
  readonly busy: boolean
  readonly onOpen: (spec: () => Promise<SourceSpec>) => void
}) {
  const { busy, onOpen } = props
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const open = (list: FileList | null): void => {
    if (list === null || list.length === 0) return
    const chosen = Array.from(list)
    onOpen(async () => ({ kind: 'files', files: await readFiles(chosen) }))
  }
  return (
    <Pane title="File">
      <div className={styles['form']}>
        <div className={styles['drop']}>
          <p className={styles['note']}>
            A /metrics page, debug dumps, or a folder of captures, gzip or not. Drop it anywhere on the window. Files
            are read on this machine and sent nowhere.
          </p>
          <div className={styles['buttons']}>
            <Button primary disabled={busy} onClick={() => files.current?.click()}>
              {busy ? 'Opening…' : 'Choose files'}
            </Button>
            <Button disabled={busy} onClick={() => chooseFolder(folder.current)}>
              Choose a folder
            </Button>
          </div>
          <input
            ref={files}
            type="file"
            multiple
            hidden
            aria-label="Files to open"
            onChange={({ target }) => open(target.files)}
          />
          <input
            ref={folder}
            type="file"
            multiple
            hidden
            aria-label="Folder to open"
            onChange={({ target }) => open(target.files)}
          />
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

/** React has no attribute for choosing folders; the property is set before the dialog opens. */
function chooseFolder(input: HTMLInputElement | null): void {
  if (input === null) return
  input.webkitdirectory = true
  input.click()
}
