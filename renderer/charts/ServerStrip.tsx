import { classes } from '../components/classes.ts'
import { format } from '../theme/format.ts'
import type { ServerLoad, ServerStrip as Strip } from './serverStrip.data.ts'
import styles from './serverStrip.module.css'

export interface ServerStripProps {
  readonly strip: Strip
  readonly selected: string | undefined
  /** Servers whose last sample is old. */
  readonly stale: ReadonlySet<string>
  readonly onSelect: (server: string) => void
}

/** Executing of nominal seats per server; choosing one makes it the subject of all screens. */
export function ServerStrip({ strip, selected, stale, onSelect }: ServerStripProps) {
  const widest = Math.max(1, ...strip.loads.map(({ nominal, executing }) => Math.max(nominal ?? 0, executing ?? 0)))
  return (
    <ul className={styles['strip']} aria-label="Executing seats per server">
      {strip.loads.map((load) => (
        <li key={load.id}>
          <button
            type="button"
            className={classes(
              styles['server'],
              load.id === selected && styles['selected'],
              stale.has(load.id) && styles['stale'],
            )}
            aria-pressed={load.id === selected}
            onClick={() => onSelect(load.id)}
          >
            <span className={styles['name']}>{load.id}</span>
            <Meter load={load} widest={widest} />
            <span className={styles['numbers']}>
              {stale.has(load.id) && <span>stale </span>}
              {format.seats(load.executing)} / {format.seats(load.nominal)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

const share = (seats: number, widest: number) => `${Math.min(100, (seats / widest) * 100)}%`

const Meter = ({ load, widest }: { readonly load: ServerLoad; readonly widest: number }) => (
  <svg className={styles['meter']} height={10} aria-hidden="true" focusable="false">
    <rect className={styles['ground']} width={share(load.nominal ?? 0, widest)} height={10} />
    <rect className={styles['fill']} width={share(load.executing ?? 0, widest)} height={10} />
  </svg>
)
