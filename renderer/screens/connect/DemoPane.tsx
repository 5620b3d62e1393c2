import { Button } from '../../components/Button.tsx'
import { Pane } from '../../components/Pane.tsx'
import styles from './Connect.module.css'

/** What the demo is. */
export function DemoPane(props: {
  readonly busy: boolean
  /** The demo is what the console shows already. */
  readonly shown: boolean
  readonly onOpen: () => void
}) {
  const { busy, shown, onOpen } = props
  return (
    <Pane title="Recorded demo">
      <div className={styles['form']}>
        <p className={styles['note']}>
          A recording of a real API server while clients overload it: seats move between levels, queues fill, requests
          are rejected, and all of it recovers. It repeats, runs on this machine and needs no cluster.
        </p>
        <div className={styles['buttons']}>
          <Button primary={!shown} disabled={busy} onClick={onOpen}>
            {busy ? 'Opening…' : shown ? 'Restart the recording' : 'Play the recording'}
          </Button>
        </div>
      </div>
    </Pane>
  )
}
