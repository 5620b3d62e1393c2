import type { EtcdState } from '../../../core/contract/etcd.ts'
import { Pane } from '../../components/Pane.tsx'
import { classes } from '../../components/classes.ts'
import { format } from '../../theme/format.ts'
import styles from './etcd.module.css'

/** etcd itself rejects proposals above this gap. */
const MOST_GAP = 5_000
const NEARLY_FULL = 0.9
const QUOTA_NOTES = {
  status: undefined,
  metrics: 'The quota is read from the metrics page of the member.',
  default: 'The member does not report its quota; 2 GiB is assumed.',
} as const

/** Database, quota and what is not limited. */
export function MemberPane({
  storage,
  watches,
  url,
  upstream,
}: Pick<EtcdState, 'storage' | 'watches' | 'url' | 'upstream'>) {
  return (
    <Pane title="Member" note={`${url} → ${upstream}`}>
      <dl className={`${styles['meters']} column gap-8 pad-x pad-t-4 pad-b-12`}>
        {storage !== null && (
          <>
            <Meter
              label="Quota used"
              part={storage.usedBytes / storage.quotaBytes}
              text={`${format.percent(storage.usedBytes / storage.quotaBytes)} of ${format.bytes(storage.quotaBytes)}`}
            />
            <Meter
              label="Quota allocated"
              part={storage.allocatedBytes / storage.quotaBytes}
              text={`${format.percent(storage.allocatedBytes / storage.quotaBytes)}, alarm at 100 %`}
            />
            <Meter
              label="Commit − apply"
              part={storage.gap / MOST_GAP}
              text={`${format.fixed(storage.gap)} of ${format.fixed(MOST_GAP)}`}
            />
          </>
        )}
        <div>
          <dt>Watches</dt>
          <dd className={styles['plain']}>{format.fixed(watches)}, not limited</dd>
        </div>
      </dl>
      {storage !== null && QUOTA_NOTES[storage.quotaFrom] !== undefined && (
        <p className={styles['small']}>{QUOTA_NOTES[storage.quotaFrom]}</p>
      )}
    </Pane>
  )
}

function Meter({ label, part, text }: { readonly label: string; readonly part: number; readonly text: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <span className={styles['meter']} aria-hidden="true">
          <span
            className={classes(styles['amount'], part >= NEARLY_FULL && styles['full'])}
            style={{ transform: `scaleX(${Math.max(0, Math.min(1, part))})` }}
          />
        </span>
        <span>{text}</span>
      </dd>
    </div>
  )
}
