import { useState } from 'react'
import { builtInObjects } from '../../../../core/config/builtIn.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import type { Problem } from '../../../../core/errors.ts'
import type { Elsewhere } from '../../../../core/contract/objects.ts'
import { referenceName, type Reference } from '../../../../core/drift/present.ts'
import { Button } from '../../../components/Button.tsx'
import { FilesButton } from '../../../components/FilesButton.tsx'
import { SelectField } from '../../../components/Field.tsx'
import { readFiles } from '../../../components/files.ts'
import { useTask } from '../../../components/hooks.ts'
import { Pane } from '../../../components/Pane.tsx'
import { ProblemNote } from '../../../components/States.tsx'
import { useContexts } from '../../../state/contexts.ts'
import { client } from '../../../state/client.ts'

const NONE = ''

export function ReferencePane({ choice, builtIn }: { readonly choice: ReferenceChoice; readonly builtIn: string }) {
  const { reference, busy, problem, notes, compareWith, compareWithBuiltIn } = choice
  const { found = [] } = useContexts('')
  const [chosen, setChosen] = useState(NONE)
  const context = found.find(({ file, context: name }) => `${file} ${name}` === chosen)
  const takeFiles = (picked: readonly File[]): void =>
    compareWith(async () => ({ kind: 'files', files: await readFiles(picked) }))
  return (
    <Pane title="Compared with">
      <div className="stack at-start gap-8 pad-x pad-b-12">
        <p className="ink">{busy ? 'Reading…' : referenceName(reference)}</p>
        {notes.map((note) => (
          <p key={note} className="prose muted">
            {note}
          </p>
        ))}
        {problem !== undefined && <ProblemNote problem={problem} alert />}
        <Button disabled={busy || reference.kind === 'built-in'} onClick={compareWithBuiltIn}>
          Built-in objects of {builtIn}
        </Button>
        <FilesButton asks="objects.elsewhere" disabled={busy} label="Manifests to compare with" onFiles={takeFiles}>
          Manifest files
        </FilesButton>
        {found.length > 0 && (
          <>
            <SelectField
              label="Another cluster"
              value={chosen}
              options={[
                [NONE, 'choose a context'],
                ...found.map(
                  ({ file, context: name, problem: why }) => [`${file} ${name}`, name, why !== undefined] as const,
                ),
              ]}
              onChange={setChosen}
            />
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

interface Other {
  readonly reference: Reference
  readonly objects: ObjectSet
  /** Read failures, in sentences. */
  readonly notes: readonly string[]
}

interface ReferenceChoice extends Other {
  readonly busy: boolean
  readonly problem?: Problem
  /** Compares with objects from elsewhere; the previous ones stay until those are read. */
  readonly compareWith: (from: () => Promise<Elsewhere>) => void
  readonly compareWithBuiltIn: () => void
}

/** The reference for the present objects: the built-in ones of their version unless the user selects others. */
export function useReference(version: string): ReferenceChoice {
  const [other, setOther] = useState<Other>()
  const [task, start, reset] = useTask<void>()
  const compareWith = (from: () => Promise<Elsewhere>): void =>
    void start(async () => {
      const { name, objects, notes } = await client().call('objects.elsewhere', { from: await from() })
      setOther({ reference: { kind: 'elsewhere', name }, objects, notes })
    })
  const compareWithBuiltIn = (): void => {
    setOther(undefined)
    reset()
  }
  const shown = other ?? {
    reference: { kind: 'built-in' as const, version },
    objects: builtInObjects(version),
    notes: [],
  }
  return {
    ...shown,
    busy: task.state === 'busy',
    ...(task.state === 'failed' && { problem: task.problem }),
    compareWith,
    compareWithBuiltIn,
  }
}
