import type { ServerHealth } from '../../../core/contract/source.ts'
import { ServerStrip } from '../../charts/ServerStrip.tsx'
import { serverStrip, type ServerLoad } from '../../charts/serverStrip.data.ts'
import { Pane } from '../../components/Pane.tsx'
import { Term } from '../../components/Term.tsx'
import { format } from '../../theme/format.ts'
import styles from './overview.module.css'

export interface ServersPaneProps {
  readonly loads: readonly ServerLoad[]
  readonly health: readonly ServerHealth[]
  readonly selected: string | undefined
  readonly stale: ReadonlySet<string>
  readonly onSelect: (server: string) => void
}

/** Executing of all seats per server; servers that never answered are named with the reason. */
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
