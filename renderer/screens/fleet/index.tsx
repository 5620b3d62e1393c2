import { plural } from '../../../core/text/format.ts'
import { useMemo, useState } from 'react'
import { complaintOf } from '../../../core/filter/filter.ts'
import {
  countFleet,
  currentNumbers,
  fleetRows,
  worstOf,
  type ClusterRow,
  type FleetSource,
  type ServerRow,
} from '../../../core/fleet/fleet.ts'
import { FLEET_VOCABULARY, parseFleetSearch, type Grouping } from '../../../core/fleet/lines.ts'
import { presentFleet } from '../../../core/fleet/present.ts'
import { sentenceText } from '../../../core/answer/answer.ts'
import { FLEET_SHOWN, type FleetNumber } from '../../../core/prom/fleetNumbers.ts'
import type { Shown } from '../../../core/prom/measures.ts'
import { Button, Segment } from '../../components/Button.tsx'
import { monoInputClass, Select } from '../../components/Field.tsx'
import { KeyNumbers, NowLine, type KeyNumber } from '../../components/NowLine.tsx'
import { ExportMenu, type Measured } from '../../components/Promql.tsx'
import { NoCluster } from '../../components/NoCluster.tsx'
import { showConnection } from '../../state/connection.ts'
import { showServer, useFleet, type FleetReference } from '../../state/fleet.ts'
import { openLevel, openPage, openScreen } from '../../state/route.ts'
import { selectionStore } from '../../state/selection.ts'
import { format } from '../../theme/format.ts'
import { FleetStrip } from './FleetStrip.tsx'
import { FleetTable } from './FleetTable.tsx'
import styles from './fleet.module.css'

const GROUPS: Readonly<Record<Grouping, string>> = {
  none: 'None',
  state: 'State',
  version: 'Version',
  source: 'Source',
}

/** For every server that a Prometheus scrapes, at the present. */
const ofAll = (shown: Shown): Measured => ({ ...shown, servers: [], ranged: true })

const COPIES = (
  [
    ['executing', 'Executing'],
    ['limit', 'Limit'],
    ['nominal', 'Nominal'],
    ['queued', 'Queued'],
    ['rejected', 'Rejected'],
    ['dispatched', 'Dispatched'],
    ['waitP99', 'Wait p99'],
  ] as const satisfies readonly (readonly [FleetNumber, string])[]
).map(([number, name]) => ({ label: `Copy ${name} of each level as PromQL`, measured: ofAll(FLEET_SHOWN[number]) }))

/** All connected sources side by side: clusters, their servers, and the levels of each. */
export function FleetScreen() {
  const [reference, setReference] = useState<FleetReference>('built-in')
  const [search, setSearch] = useState('')
  const [group, setGroup] = useState<Grouping>('none')
  const { sources, now } = useFleet(reference)
  const clusters = useMemo(() => fleetRows(sources, now), [sources, now])
  if (sources.length === 0) {
    return (
      <NoCluster page="Fleet">The fleet lists every connected source with its servers and priority levels.</NoCluster>
    )
  }
  return (
    <div className={`${styles['screen']} column shrink-y tall children-rigid`}>
      <Summary clusters={clusters} />
      <FleetStrip clusters={clusters} onOpen={openServer} />
      <div className="row wrap gap-8 pad-x pad-y-6 line-below">
        <Search text={search} onChange={setSearch} />
        <span className={styles['label']}>Group</span>
        <Segment label="Group" value={group} options={GROUPS} onChange={setGroup} />
        <Reference sources={sources} reference={reference} onChange={setReference} />
        <ExportMenu of="Fleet" entries={[]} copies={COPIES} />
      </div>
      <FleetTable clusters={clusters} search={search} group={group} now={now} />
    </div>
  )
}

function Summary({ clusters }: { readonly clusters: readonly ClusterRow[] }) {
  const { title, evidence } = presentFleet(clusters)
  const worst = worstOf(clusters)
  const server = worst?.worst
  const level = server?.worst
  return (
    <>
      <NowLine
        steady
        title={sentenceText(title, format)}
        evidence={evidence.map((sentence) => sentenceText(sentence, format)).join(' ')}
        actions={
          worst !== undefined && (
            <>
              <Button
                onClick={() => {
                  showConnection(worst.source.id)
                  openPage('editor', 'drift')
                }}
              >
                Compare configurations
              </Button>
              {server !== undefined && level !== undefined && (
                <Button
                  primary
                  onClick={() => showServer(worst.source, server.server, () => openLevel(server.server, level.level))}
                >
                  Open {level.level}
                </Button>
              )}
            </>
          )
        }
      />
      <KeyNumbers label="Key numbers of the fleet" items={keyNumbers(clusters)} />
    </>
  )
}

function keyNumbers(clusters: readonly ClusterRow[]): readonly KeyNumber[] {
  const { clustersIn, serversIn } = countFleet(clusters)
  const { rejected, queued, waitP99 } = currentNumbers(clusters)
  const longest = clusters.find((cluster) => cluster.waitP99 !== undefined && cluster.waitP99 === waitP99)
  const compared = clusters.filter(({ source: { drift } }) => drift !== undefined)
  const differing = compared.filter(({ source: { drift } }) => drift !== undefined && drift.levels + drift.schemas > 0)
  const silent = serversIn('stale') + serversIn('failing') + serversIn('connecting')
  const inState = (state: 'rejecting' | 'queueing'): Pick<KeyNumber, 'value' | 'unit'> => ({
    value: format.fixed(clustersIn(state)),
    unit: ` ${plural(clustersIn(state), 'cluster', 'clusters')} · ${format.counted(serversIn(state), 'server')}`,
  })
  return [
    { label: 'rejecting', ...inState('rejecting'), tone: clustersIn('rejecting') > 0 ? 'rejected' : undefined },
    { label: 'queueing', ...inState('queueing'), tone: clustersIn('queueing') > 0 ? 'queued' : undefined },
    {
      label: 'rejected, sum',
      value: format.significant(rejected),
      unit: ' /s',
    },
    {
      label: 'queued, sum',
      value: format.fixed(queued),
      unit: ' requests',
    },
    {
      label: 'longest wait p99',
      value: format.quantile(waitP99, undefined),
      whose: longest?.source.name,
    },
    {
      label: 'drift from reference',
      value: compared.length === 0 ? format.fixed(undefined) : format.fixed(differing.length),
      unit: compared.length === 0 ? undefined : ` of ${format.counted(compared.length, 'cluster')}`,
    },
    { label: 'not current', value: format.fixed(silent), unit: plural(silent, ' server', ' servers') },
  ]
}

function openServer({ source, server }: ServerRow): void {
  showServer(source, server, () => {
    selectionStore.getState().setServer(server)
    openScreen('overview')
  })
}

function Search({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  const complaint = parseFleetSearch(text)
    .map((token) => complaintOf(token, FLEET_VOCABULARY))
    .find((why) => why !== undefined)
  return (
    <span className={styles['search']}>
      <input
        type="search"
        className={monoInputClass}
        aria-label="Search the fleet"
        aria-describedby="fleet-search"
        placeholder="name, state:rejecting level: wait>1s"
        spellCheck={false}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
      <span id="fleet-search" role="status" className="tiny warn">
        {complaint}
      </span>
    </span>
  )
}

function Reference(props: {
  readonly sources: readonly FleetSource[]
  readonly reference: FleetReference
  readonly onChange: (reference: FleetReference) => void
}) {
  const { sources, reference, onChange } = props
  return (
    <label className={`${styles['reference']} row gap-8 push nowrap muted`}>
      Compare with{' '}
      <Select
        value={String(reference)}
        options={[['built-in', 'built-in objects'], ...sources.map(({ id, name }) => [String(id), name] as const)]}
        onChange={(value) => onChange(value === 'built-in' ? 'built-in' : Number(value))}
      />
    </label>
  )
}
