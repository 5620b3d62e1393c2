import { useEffect } from 'react'
import { client } from '../state/client.ts'
import { showConnection, useConnected } from '../state/connection.ts'
import { dismissRevert, keepEdit, revertStore, startReverts } from '../state/reverts.ts'
import { useSettings } from '../state/settings.ts'
import { Button, Buttons } from './Button.tsx'
import { Note } from './States.tsx'
import styles from './States.module.css'

/** So that the screen keeps its place: the next one follows when one is dismissed. */
const MOST_NOTES = 3

/** Edits of this console that somebody reverted or changed, on any connected source, announced above every screen. */
export function RevertNotes() {
  const reverts = revertStore((store) => store.reverts)
  const [{ dismissed }] = useSettings()
  const shown = useConnected()?.id
  useEffect(() => startReverts(client()), [])
  return (
    <div role="status" aria-label="Reverted edits" className={styles['notes']}>
      {reverts
        .filter(({ id }) => !dismissed.includes(id))
        .slice(0, MOST_NOTES)
        .map((revert) => {
          const { id, connection, target, text } = revert
          return (
            <Note key={id} kind="bad">
              <p>{connection === shown ? text : `${target}: ${text}`}</p>
              <Buttons>
                {connection === shown ? (
                  <Button small onClick={() => keepEdit(revert)}>
                    Keep my edit
                  </Button>
                ) : (
                  <Button small onClick={() => showConnection(connection)}>
                    {`Show ${target}`}
                  </Button>
                )}
                <Button small onClick={() => dismissRevert(revert)}>
                  Dismiss
                </Button>
              </Buttons>
            </Note>
          )
        })}
    </div>
  )
}
