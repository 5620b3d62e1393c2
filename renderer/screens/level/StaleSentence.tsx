import { Button } from '../../components/Button.tsx'
import { Note } from '../../components/Note.tsx'
import { client } from '../../state/client.ts'
import { useHealth } from '../../state/health.ts'
import { useViewPart } from '../../state/view.ts'
import { format } from '../../theme/format.ts'
import styles from './LevelScreen.module.css'

/** No sample has come for a while: how long, what is shown instead, when the next try is, and a try at once. */
export function StaleSentence({ server, at }: { readonly server: string; readonly at: number }) {
  const seconds = useViewPart((view) => Math.round(view.ageMs / 1_000))
  const next = useHealth(server)?.nextTryAt
  const tryNow = (): void => {
    client()
      .call('sources.tryNow', { server })
      // The badge and the connection screen show what comes of it.
      .catch(() => undefined)
  }
  return (
    <div className={styles['sentence']}>
      <Note kind="warn">
        {`No sample from ${server} for ${format.age(seconds * 1_000)}. Showing the last values from ${format.time(at)}.`}
        {next !== undefined && ` Next try at ${format.time(Date.parse(next))}.`}{' '}
        <Button small onClick={tryNow}>
          Try now
        </Button>
      </Note>
    </div>
  )
}
