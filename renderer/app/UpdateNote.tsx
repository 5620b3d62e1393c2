import { useEffect } from 'react'
import { Button } from '../components/Button.tsx'
import { useSettings } from '../state/settings.ts'
import { client } from '../state/client.ts'
import { startUpdates, updateStore } from '../state/update.ts'
import styles from './UpdateNote.module.css'

/** A quiet note about a newer version, until it is dismissed; the link opens the page about it. */
export function UpdateNote() {
  const update = updateStore((state) => state.update)
  const [{ dismissed, updateFrom }, change] = useSettings()
  // No update check unless an address is set.
  useEffect(() => (updateFrom === '' ? undefined : startUpdates(client())), [updateFrom])
  if (update?.state !== 'newer') return null
  const note = `update ${update.version}`
  if (dismissed.includes(note)) return null
  return (
    <aside aria-label="Update" className={styles['note']}>
      <span>
        APF Console {update.version} is out:{' '}
        <a href={update.url} target="_blank" rel="noreferrer">
          {update.url}
        </a>
      </span>
      <Button small onClick={() => change({ dismissed: [...dismissed, note] })}>
        Dismiss
      </Button>
    </aside>
  )
}
