import { useState } from 'react'
import { Button } from '../components/Button.tsx'
import { ProblemNote } from '../components/States.tsx'
import { useNotices } from '../state/notices.ts'
import styles from './Notices.module.css'

/** What the console cannot read or keep on its machine, above every screen until it is put right or dismissed. */
export function Notices() {
  const notices = useNotices()
  const [dismissed, setDismissed] = useState<readonly string[]>([])
  const shown = notices.filter(({ message }) => !dismissed.includes(message))
  return (
    <div role="status" aria-label="Notices" className={styles['notices']}>
      {shown.map((problem) => (
        <ProblemNote
          key={problem.message}
          problem={problem}
          action={
            <p>
              <Button small onClick={() => setDismissed([...dismissed, problem.message])}>
                Dismiss
              </Button>
            </p>
          }
        />
      ))}
    </div>
  )
}
