import type { ServerFrame } from '../../../core/frame/frame.ts'
import { nominalSurplus } from '../../../core/impact/serverLimit.ts'
import { Note } from '../../components/Note.tsx'
import { format } from '../../theme/format.ts'
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

/** What the numbers of this server leave out or add: families that it does not show, series of deleted levels. */
export function MissingNotice({ server }: { readonly server: ServerFrame }) {
  const missing = server.missing.filter(({ family }) => DRAWN.has(family))
  const deleted = server.deleted ?? []
  const surplus = nominalSurplus(server)
  if (missing.length === 0 && deleted.length === 0 && surplus === 0) return null
  return (
    <div className={styles['notices']}>
      <Note kind="info">
        {deleted.length > 0 && (
          <p>
            {`${deleted.join(', ')} ${deleted.length === 1 ? 'was' : 'were'} deleted. The server exports the last series of a deleted level until it restarts; the console counts them nowhere.`}
          </p>
        )}
        {surplus > 0 && (
          <p>
            {`The nominal limits add up to ${format.seats(surplus)} seats more than this server has, so sums of seats are too large. It exports the series of a level that was deleted, or the page was read during a change. Which level it is takes the right to list PriorityLevelConfigurations.`}
          </p>
        )}
        {missing.map(({ family, note }) => (
          <p key={family}>
            <code>{family}</code> {note}
          </p>
        ))}
      </Note>
    </div>
  )
}
