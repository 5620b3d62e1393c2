import { useEffect } from 'react'
import { client } from '../state/client.ts'
import { dismissRevert, keepEdit, revertStore, startReverts } from '../state/reverts.ts'
import { Button, Buttons } from './Button.tsx'
import { Note } from './States.tsx'
import styles from './States.module.css'

/** Edits of this console that somebody reverted or changed, announced above every screen. */
export function RevertNotes() {
  const reverts = revertStore((store) => store.reverts)
  const dismissed = revertStore((store) => store.dismissed)
  useEffect(() => startReverts(client()), [])
  return (
    <div role="status" aria-label="Reverted edits" className={styles['notes']}>
      {reverts
        .filter(({ id }) => !dismissed.includes(id))
        .map((revert) => (
          <Note key={revert.id} kind="bad">
            <p>{revert.text}</p>
            <Buttons>
              <Button small onClick={() => keepEdit(revert)}>
                Keep my edit
              </Button>
              <Button small onClick={() => dismissRevert(revert)}>
                Dismiss
              </Button>
            </Buttons>
          </Note>
        ))}
    </div>
  )
}
