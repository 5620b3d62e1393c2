import { useEffect, useState } from 'react'
import type { Connected, RecentSource, SourceSpec, FoundContext } from '../../../core/contract/source.ts'
import { unixMsOf } from '../../../core/units.ts'
import { holdsWords } from '../../../core/text/text.ts'
import { Icon } from '../../components/Icon.tsx'
import { MiddleCut } from '../../components/LevelChip.tsx'
import { onAnswer } from '../../state/answer.ts'
import { client } from '../../state/client.ts'
import { disconnectSource, showConnection, useConnection } from '../../state/connection.ts'
import { format } from '../../theme/format.ts'
import { classes } from '../../components/classes.ts'
import { inputClass } from '../../components/Field.tsx'
import { Pane } from '../../components/Pane.tsx'
import styles from './Connect.module.css'

/** Recent sources, each one click away. */
export function Recent({ onOpen }: { readonly onOpen: (spec: SourceSpec) => void }) {
  const [recent, setRecent] = useState<readonly RecentSource[]>([])
  useEffect(() => onAnswer(() => client().call('sources.recent', null), setRecent), [])
  const forget = (at: string): void =>
    void client()
      .call('sources.forget', { at })
      .then(setRecent, () => undefined)
  if (recent.length === 0) return null
  return (
    <Pane title="Recent">
      <ul className={styles['list']}>
        {recent.map(({ at, name, spec }) => (
          <SourceRow
            key={at}
            name={name}
            title={`Connect to ${name}, last used ${format.dateTime(unixMsOf(at))}`}
            onPick={() => onOpen(spec)}
            remove={`Remove ${name}`}
            onRemove={() => forget(at)}
          />
        ))}
      </ul>
    </Pane>
  )
}

/** The connected sources if there are several: each can be shown and disconnected. */
export function ConnectedList() {
  const { connections, connection } = useConnection()
  if (connections.length < 2) return null
  return (
    <div className="pad-b-8 line-below">
      <Pane title="Connected sources">
        <ul className={styles['list']}>
          {connections.map((one) => (
            <SourceRow
              key={one.id}
              name={one.source.name}
              title={one.source.via}
              picked={one.id === connection?.id}
              onPick={() => showConnection(one.id)}
              remove={`Disconnect ${one.source.name}`}
              onRemove={() => leaveSource(one)}
            />
          ))}
        </ul>
      </Pane>
    </div>
  )
}

/** A source that cannot be disconnected now is already gone. */
export const leaveSource = ({ id }: Connected): void => void disconnectSource(id).catch(() => undefined)

interface SourceRowProps {
  readonly name: string
  readonly title: string
  readonly picked?: boolean
  readonly onPick: () => void
  /** Label of the remove button. */
  readonly remove: string
  readonly onRemove: () => void
}

const SourceRow = ({ name, title, picked, onPick, remove, onRemove }: SourceRowProps) => (
  <li className={styles['row']}>
    <button type="button" className={styles['pick']} title={title} aria-pressed={picked} onClick={onPick}>
      <span className="mono shrink-x cut">
        <MiddleCut text={name} title={title} />
      </span>
    </button>
    <button type="button" className="icon-button" aria-label={remove} onClick={onRemove}>
      <Icon name="cross" size={11} />
    </button>
  </li>
)

export type Kind = 'simulation' | 'direct' | 'prometheus' | 'proxy' | 'feed' | 'etcd' | 'file' | 'demo'

const KINDS: readonly (readonly [kind: Kind, title: string, text: string])[] = [
  ['simulation', 'Simulation', 'A simulated API server. No cluster required; editable.'],
  ['direct', 'Direct to kube-apiserver', 'Metrics and debug dumps of each server. No Prometheus needed.'],
  ['prometheus', 'Prometheus', 'Metrics and history from Prometheus, Thanos, Mimir or VictoriaMetrics.'],
  ['proxy', 'Live proxy', 'Runs real requests through flow control, in front of a server. Editable.'],
  ['feed', 'Audit or log feed', 'Each request to a server, from its audit log, audit webhook or -v=3 log.'],
  ['etcd', 'etcd proxy', 'Rules and requests of an etcd-proxy or a simulated etcd. Editable.'],
  ['file', 'Files', 'A /metrics page, captures, a log or a recording. Drop it anywhere.'],
  ['demo', 'Recorded demo', 'A short recording of a real server under load. No cluster required.'],
]

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
          <b className="block large strong">{title}</b>
          <span className="block small leading-140 muted">{text}</span>
        </button>
      ))}
    </div>
  )
}

/** The number of contexts that fit at a glance. */
const MANY = 8

/** Contexts whose name, server or user contain every word; the current one comes first, as the main side sorts them. */
function matching(found: readonly FoundContext[], search: string): readonly FoundContext[] {
  const holds = holdsWords(search)
  return found.filter(({ context, server, user }) => holds(`${context} ${server} ${user}`))
}

export function FoundContexts(props: {
  readonly found: readonly FoundContext[] | undefined
  readonly chosen: string | undefined
  readonly onChoose: (context: FoundContext) => void
}) {
  const { found, chosen, onChoose } = props
  const [search, setSearch] = useState('')
  const shown = found === undefined ? [] : matching(found, search)
  return (
    <Pane title="Found on this machine">
      {(found?.length ?? 0) > MANY && (
        <div className="stack pad-x pad-t-4 pad-b-6">
          <input
            className={inputClass}
            type="search"
            aria-label="Search contexts"
            placeholder={`Search ${found?.length ?? 0} contexts`}
            spellCheck={false}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        </div>
      )}
      <ul className={classes(styles['list'], shown.length > MANY && styles['long'])}>
        {shown.map((context) => (
          <li key={`${context.file} ${context.context}`} className={styles['row']}>
            <button
              type="button"
              className={styles['pick']}
              aria-pressed={chosen === context.context || (chosen === '' && context.current)}
              title={context.problem ?? context.server}
              onClick={() => onChoose(context)}
            >
              <span className="mono shrink-x cut">
                <MiddleCut text={context.context} title={context.problem ?? context.server} />
              </span>
              <span className={classes('nowrap faint', context.problem !== undefined && 'warn')}>
                {context.problem !== undefined ? 'unusable' : context.current ? 'current' : 'kubeconfig'}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p className="pad-x pad-y-6 tiny leading-140 faint">
        {found?.length === 0
          ? 'No kubeconfig was found. Enter one under “Direct to kube-apiserver”.'
          : shown.length === 0 && search !== ''
            ? 'No context, server or user matches.'
            : 'No address is contacted until you select it.'}
      </p>
    </Pane>
  )
}
