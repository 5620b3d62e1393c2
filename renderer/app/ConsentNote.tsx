import { unixMsOf } from '../../core/units.ts'
import { Note } from '../components/Note.tsx'
import { useNow } from '../components/useNow.ts'
import { useWaitingConsent } from '../state/consent.ts'
import styles from './App.module.css'

const WHERE = { terminal: 'in the terminal where the console was started', window: 'in the message box' } as const

/** What the operator has to confirm where no page can: shown on every screen, because any of them may have asked. */
export function ConsentNote() {
  const waiting = useWaitingConsent()
  const now = useNow(waiting !== null)
  if (waiting === null) return null
  const seconds = Math.max(0, Math.ceil((unixMsOf(waiting.until) - now) / 1_000))
  return (
    <div className={styles['consent']} role="status">
      <Note kind="warn">
        <b>Confirm {WHERE[waiting.where]}.</b> A page of this console asks it to{' '}
        <span className="mono">{waiting.what}</span>. <span aria-hidden="true">{seconds} s left.</span>
      </Note>
    </div>
  )
}
