import { Dialog } from 'radix-ui'
import { useEffect, useState } from 'react'
import { toProblem, type Problem } from '../../../../core/contract/errors.ts'
import type { SimulationObjects } from '../../../../core/contract/simulation.ts'
import dialog from '../../../app/Dialog.module.css'
import { Button } from '../../../components/Button.tsx'
import { Loading, ProblemNote } from '../../../components/States.tsx'
import { readObjects } from '../../../state/simulation.ts'
import { EditFields } from './EditFields.tsx'
import styles from './EditLevel.module.css'

export interface EditDialogProps {
  readonly connection: number
  readonly level: string
  /** Seats that the server distributes. */
  readonly serverLimit: number
  /** The edit is in force; says what happened. */
  readonly onDone: (sentence: string) => void
}

/** A plain editor of one level of the simulated server. */
export function EditDialog({ connection, level, serverLimit, onDone }: EditDialogProps) {
  const [objects, setObjects] = useState<SimulationObjects>()
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    let current = true
    readObjects(connection).then(
      (read) => current && setObjects(read),
      (thrown: unknown) => current && setProblem(toProblem(thrown)),
    )
    return () => {
      current = false
    }
  }, [connection])
  return (
    <Dialog.Portal>
      <Dialog.Overlay className={dialog['veil']} />
      <Dialog.Content className={dialog['dialog']}>
        <header className={dialog['head']}>
          <Dialog.Title>Edit {level}</Dialog.Title>
          <Dialog.Close asChild>
            <Button small className={dialog['close']}>
              Close
            </Button>
          </Dialog.Close>
        </header>
        <Dialog.Description className={styles['about']}>
          Changes the object on the simulated server. It is in force at once, also for requests that wait.
        </Dialog.Description>
        {problem !== undefined && (
          <div className={styles['body']}>
            <ProblemNote problem={problem} alert />
          </div>
        )}
        {problem === undefined && objects === undefined && <Loading waitingFor="the objects of the server" />}
        {objects !== undefined && (
          <EditFields
            connection={connection}
            level={level}
            objects={objects}
            serverLimit={serverLimit}
            onDone={onDone}
          />
        )}
      </Dialog.Content>
    </Dialog.Portal>
  )
}
