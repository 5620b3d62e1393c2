import type { ServerFrame } from '../../../core/frame/frame.ts'
import { Note } from '../../components/Note.tsx'
import styles from './overview.module.css'

/** Families that this screen draws from: what others lack is told where it is missed. */
const DRAWN: ReadonlySet<string> = new Set(
  [
    'current_limit_seats',
    'nominal_limit_seats',
    'lower_limit_seats',
    'upper_limit_seats',
    'current_executing_seats',
    'current_inqueue_requests',
    'current_inqueue_seats',
    'demand_seats_smoothed',
    'seat_fair_frac',
    'dispatched_requests_total',
    'rejected_requests_total',
    'request_wait_duration_seconds',
  ].map((name) => `apiserver_flowcontrol_${name}`),
)

/** A notice for each family that the server does not show: what is not known because of it. */
export function MissingNotice({ server }: { readonly server: ServerFrame }) {
  const missing = server.missing.filter(({ family }) => DRAWN.has(family))
  if (missing.length === 0) return null
  return (
    <div className={styles['notices']}>
      <Note kind="info">
        {missing.map(({ family, note }) => (
          <p key={family}>
            <code>{family}</code> {note}
          </p>
        ))}
      </Note>
    </div>
  )
}
