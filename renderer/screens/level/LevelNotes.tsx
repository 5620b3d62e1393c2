import type { LevelFrame, MissingFamily, ServerFrame } from '../../../core/frame/frame.ts'
import { Note } from '../../components/Note.tsx'
import { hrefOf } from '../../state/route.ts'
import { format } from '../../theme/format.ts'
import { staleDemand, type LevelKind } from './level.data.ts'
import styles from './LevelScreen.module.css'

/** What has to be said before the charts: remembered demand, no waiting room, families that are not there. */
export function LevelNotes({ server, level, kind }: { server: ServerFrame; level: LevelFrame; kind: LevelKind }) {
  const stale = staleDemand(server, level)
  const absent = server.missing.filter(({ family }) => CHART_FAMILIES.has(family))
  const upper = level.limits.upper
  return (
    <div className={styles['notes']}>
      {stale !== undefined && (
        <Note kind="warn">
          <b>{`${level.name} holds ${format.seats(level.limits.current)} seats and uses ${format.seats(level.seats.executing)}.`}</b>{' '}
          {`Its smoothed demand is still ${format.seatsAverage(stale.smoothed)} while the high watermark is ${format.seats(stale.highWatermark)}; it halves about every 5 min. `}
          <a href={hrefOf('level', stale.waiting.name)}>{stale.waiting.name}</a>
          {` waits with ${stale.waiting.requests === 1 ? '1 request' : `${format.fixed(stale.waiting.requests)} requests`} at ${format.seats(stale.waiting.limit)} seats.`}
        </Note>
      )}
      {kind === 'rejects' && (
        <Note kind="info">
          This level does not queue: a request that does not fit is answered 429 at once, reason concurrency-limit. A
          request wider than the limit still runs when nothing else does.
          {upper !== undefined &&
            upper > (level.limits.nominal ?? upper) &&
            ' Its small share is not a jail either: it may borrow on an idle server.'}
        </Note>
      )}
      {level.limits.current === 0 && kind !== 'exempt' && (
        <Note kind="warn">Its limit is 0 seats: every request waits until it times out, or is rejected at once.</Note>
      )}
      {absent.map((entry) => (
        <Missing key={entry.family} entry={entry} />
      ))}
    </div>
  )
}

/** Families whose absence empties part of a chart of this screen; panes of their own say it themselves. */
const CHART_FAMILIES: ReadonlySet<string> = new Set([
  'apiserver_flowcontrol_current_limit_seats',
  'apiserver_flowcontrol_nominal_limit_seats',
  'apiserver_flowcontrol_lower_limit_seats',
  'apiserver_flowcontrol_upper_limit_seats',
  'apiserver_flowcontrol_current_executing_seats',
  'apiserver_flowcontrol_current_inqueue_seats',
  'apiserver_flowcontrol_demand_seats_smoothed',
  'apiserver_flowcontrol_demand_seats_high_watermark',
  'apiserver_flowcontrol_rejected_requests_total',
])

const Missing = ({ entry }: { entry: MissingFamily }) => (
  <Note kind="warn">
    <span className="mono">{entry.family}</span> is not shown by this server. {entry.note}
  </Note>
)
