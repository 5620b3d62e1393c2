import { useRef, useState } from 'react'
import { Button } from '../../../components/Button.tsx'
import { Field, inputClass } from '../../../components/Field.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { ProblemNote } from '../../../components/States.tsx'
import { readFiles } from '../../connect/files.ts'
import { useContexts } from '../../connect/useContexts.ts'
import { referenceName } from './drift.text.ts'
import type { ReferenceChoice } from './useReference.ts'
import styles from './drift.module.css'

const NONE = ''

/** Chooses what the objects are compared with. */
export function ReferencePane({ choice, builtIn }: { readonly choice: ReferenceChoice; readonly builtIn: string }) {
  const { reference, busy, problem, notes, compareWith, compareWithBuiltIn } = choice
  const { found = [] } = useContexts('')
  const [chosen, setChosen] = useState(NONE)
  const files = useRef<HTMLInputElement>(null)
  const context = found.find(({ file, context: name }) => `${file} ${name}` === chosen)
  const takeFiles = (list: FileList | null): void => {
    if (list === null || list.length === 0) return
    const picked = Array.from(list)
    compareWith(async () => ({ kind: 'files', files: await readFiles(picked) }))
  }
  return (
    <Pane title="Compared with">
      <div className={styles['reference']}>
        <p className={styles['name']}>{busy ? 'Reading…' : referenceName(reference)}</p>
        {notes.map((note) => (
          <p key={note} className={styles['note']}>
            {note}
          </p>
        ))}
        {problem !== undefined && <ProblemNote problem={problem} alert />}
        <Button disabled={busy || reference.kind === 'built-in'} onClick={compareWithBuiltIn}>
          Built-in objects of {builtIn}
        </Button>
        <Button disabled={busy} onClick={() => files.current?.click()}>
          Manifest files
        </Button>
        <input
          ref={files}
          type="file"
          multiple
          hidden
          aria-label="Manifests to compare with"
          onChange={({ target }) => takeFiles(target.files)}
        />
        {found.length > 0 && (
          <>
            <Field label="Another cluster">
              {(attributes) => (
                <select
                  {...attributes}
                  className={inputClass}
                  value={chosen}
                  onChange={({ target }) => setChosen(target.value)}
                >
                  <option value={NONE}>choose a context</option>
                  {found.map(({ file, context: name, problem: why }) => (
                    <option key={`${file} ${name}`} value={`${file} ${name}`} disabled={why !== undefined}>
                      {name}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Button
              disabled={busy || context === undefined}
              onClick={() =>
                context !== undefined &&
                compareWith(() =>
                  Promise.resolve({
                    kind: 'cluster',
                    target: { kind: 'kubeconfig', file: context.file, context: context.context },
                  }),
                )
              }
            >
              Read that cluster
            </Button>
          </>
        )}
      </div>
    </Pane>
  )
}
