import { Dialog } from 'radix-ui'
import { toProblem } from '../../../../core/contract/errors.ts'
import { closeOverlay, openOverlay, say, setOverlay, shellStore } from '../../../app/shellStore.ts'
import { Button } from '../../../components/Button.tsx'
import { undoEdit, useLastEdit, useSimulation, type Edit } from '../../../state/simulation.ts'
import { EditDialog } from './EditDialog.tsx'

/** The ways to edit a level of the simulated server and to undo that; nothing for other sources. */
export function EditLevel({ level }: { readonly level: string }) {
  const simulation = useSimulation()
  const open = shellStore(({ overlay }) => overlay === 'edit')
  const last = useLastEdit()
  if (simulation?.spec.kind !== 'simulation') return null
  const { maxRequestsInFlight, maxMutatingRequestsInFlight } = simulation.spec
  return (
    <>
      {last !== undefined && <Button onClick={() => undo(last)}>Undo edit of {last.of}</Button>}
      <Dialog.Root open={open} onOpenChange={(next) => setOverlay('edit', next)}>
        <Dialog.Trigger asChild>
          <Button onClick={() => openOverlay('edit')}>Edit this level</Button>
        </Dialog.Trigger>
        {open && (
          <EditDialog
            connection={simulation.id}
            level={level}
            serverLimit={maxRequestsInFlight + maxMutatingRequestsInFlight}
            onDone={(sentence) => {
              closeOverlay('edit')
              say(sentence)
            }}
          />
        )}
      </Dialog.Root>
    </>
  )
}

function undo(edit: Edit): void {
  undoEdit(edit).then(
    () => say(`The edit of ${edit.of} is undone.`),
    (thrown: unknown) => say(toProblem(thrown).message),
  )
}
