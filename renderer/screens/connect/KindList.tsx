import styles from './Connect.module.css'

export type Kind = 'simulation' | 'direct' | 'proxy' | 'feed' | 'file' | 'demo'

const KINDS: readonly (readonly [kind: Kind, title: string, text: string])[] = [
  ['simulation', 'Simulation', 'A simulated API server with the same flow control. No cluster required; editable.'],
  ['direct', 'Direct to kube-apiserver', 'Metrics and debug dumps of each server. No Prometheus needed.'],
  ['proxy', 'Live proxy', 'Runs real requests through flow control on this machine, in front of a server. Editable.'],
  ['feed', 'Audit or log feed', 'What a server did, request by request, from its audit log, webhook or -v=3 log.'],
  ['file', 'Files', 'A /metrics page, a folder of captures, or a log. Drop it anywhere on the window.'],
  ['demo', 'Recorded demo', 'A short recording of a real server under load. No cluster required.'],
]

/** The kinds of source. */
export function KindList({ kind, onChange }: { readonly kind: Kind; readonly onChange: (kind: Kind) => void }) {
  return (
    <div role="group" aria-label="Kind of source">
      {KINDS.map(([name, title, text]) => (
        <button
          key={name}
          type="button"
          className={styles['kind']}
          aria-current={name === kind ? 'true' : undefined}
          onClick={() => onChange(name)}
        >
          <b>{title}</b>
          <span>{text}</span>
        </button>
      ))}
    </div>
  )
}
