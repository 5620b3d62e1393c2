import type { ServerHealth } from '../../../core/contract/source.ts'
import { Pane } from '../../components/Pane.tsx'
import { Term } from '../../components/Term.tsx'
import { format } from '../../theme/format.ts'
import { classes } from '../../components/classes.ts'
import { serverStrip, type ServerLoad, type ServerStrip as Strip } from '../../../core/verdict/acrossRows.ts'
import styles from './overview.module.css'
import { MiddleCut } from '../../components/LevelChip.tsx'

export interface ServersPaneProps {
  readonly loads: readonly ServerLoad[]
  readonly health: readonly ServerHealth[]
  readonly selected: string | undefined
  readonly stale: ReadonlySet<string>
  readonly onSelect: (server: string) => void
}

/** Executing seats out of all seats per server; servers that never answered are listed with the reason. */
export function ServersPane({ loads, health, selected, stale, onSelect }: ServersPaneProps) {
  const strip = serverStrip(loads)
  const silent = health.filter(({ id }) => !loads.some((load) => load.id === id))
  return (
    <Pane
      title="Servers"
      unit="seats"
      note={
        strip.peakOverMean === undefined ? undefined : (
          <>
            <Term id="imbalance">peak</Term> {format.fixed(strip.peakOverMean, 2)} × mean
          </>
        )
      }
    >
      <ServerStrip strip={strip} selected={selected} stale={stale} onSelect={onSelect} />
      {silent.map(({ id, failures }) => (
        <p key={id} className={styles['silent']}>
          <code>{id}</code> {failures.at(-1)?.problem.message ?? 'has not answered yet.'}
        </p>
      ))}
    </Pane>
  )
}

interface ServerStripProps {
  readonly strip: Strip
  readonly selected: string | undefined
  /** Servers whose last sample is old. */
  readonly stale: ReadonlySet<string>
  readonly onSelect: (server: string) => void
}

/** Executing out of nominal seats per server; choosing a server shows it on all screens. */
function ServerStrip({ strip, selected, stale, onSelect }: ServerStripProps) {
  const widest = Math.max(1, ...strip.loads.map(({ nominal, executing }) => Math.max(nominal ?? 0, executing ?? 0)))
  return (
    <ul aria-label="Executing seats per server">
      {strip.loads.map((load) => (
        <li key={load.id}>
          <button
            type="button"
            className={classes(
              styles['server'],
              load.id === selected && styles['selected'],
              stale.has(load.id) && 'faint',
            )}
            aria-pressed={load.id === selected}
            onClick={() => onSelect(load.id)}
          >
            <span className="cut mono">
              <MiddleCut text={load.id} />
            </span>
            <Meter load={load} widest={widest} />
            <span className="nowrap right">
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
  <svg className="block wide" height={10} aria-hidden="true" focusable="false">
    <rect className="fill-raised" width={share(load.nominal ?? 0, widest)} height={10} />
    <rect className={styles['fill']} width={share(load.executing ?? 0, widest)} height={10} />
  </svg>
)
