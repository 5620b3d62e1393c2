import { useState } from 'react'
import { Button, FilesButton } from '../../../components/Button.tsx'
import { Field, inputClass } from '../../../components/Field.tsx'
import { readFiles } from '../../../components/files.ts'
import { Pane } from '../../../components/Pane.tsx'
import { ProblemNote } from '../../../components/States.tsx'
import { useContexts } from '../../../state/contexts.ts'
import { referenceName } from './drift.text.ts'
import type { ReferenceChoice } from './useReference.ts'
import styles from './drift.module.css'

const NONE = ''

/** Chooses what the objects are compared with. */
export function ReferencePane({ choice, builtIn }: { readonly choice: ReferenceChoice; readonly builtIn: string }) {
  const { reference, busy, problem, notes, compareWith, compareWithBuiltIn } = choice
  const { found = [] } = useContexts('')
  const [chosen, setChosen] = useState(NONE)
  const context = found.find(({ file, context: name }) => `${file} ${name}` === chosen)
  const takeFiles = (picked: readonly File[]): void =>
    compareWith(async () => ({ kind: 'files', files: await readFiles(picked) }))
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
        <FilesButton disabled={busy} label="Manifests to compare with" onFiles={takeFiles}>
          Manifest files
        </FilesButton>
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
