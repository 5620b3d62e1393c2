import { ask } from '../../../state/connection.ts'
import { Button } from '../../../components/Button.tsx'
import { Note } from '../../../components/States.tsx'
import { useNow } from '../../../components/hooks.ts'
import { useObjects } from '../../../state/objects.ts'
import { retryText } from './verdict.text.ts'
import styles from './page.module.css'

/** Counts down to the next try of a request that the server's flow control rejected, and offers to give up. */
export function RetryNote() {
  const waiting = useObjects()?.waiting
  const now = useNow(waiting !== undefined)
  if (waiting === undefined) return null
  return (
    <div className={styles['retry']}>
      <Note kind="warn">
        <p role="timer">{retryText(waiting, now)}</p>
        <Button small onClick={() => void ask('objects.giveUp', {})}>
          Give up
        </Button>
      </Note>
    </div>
  )
}
