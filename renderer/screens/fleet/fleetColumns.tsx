import type { ReactNode } from 'react'
import { driftText } from '../../../core/fleet/configuration.ts'
import type { ClusterRow, FleetState } from '../../../core/fleet/fleet.ts'
import type { FleetLine } from '../../../core/fleet/lines.ts'
import { valueColumn, numberColumn, type DataColumn } from '../../components/dataColumns.ts'
import { Icon } from '../../components/Icon.tsx'
import { LevelChip, LevelName, MiddleCut, StateTag } from '../../components/LevelChip.tsx'
import { classes } from '../../components/classes.ts'
import { UNKNOWN } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'
import { LevelBars, shownServer, Trend } from './FleetBars.tsx'
import styles from './fleet.module.css'

export interface FleetColumnsOptions {
  /** Narrow windows omit columns that repeat what is shown elsewhere. */
  readonly narrow: boolean
  readonly open: ReadonlySet<string>
  readonly onToggle: (key: string) => void
  /** Age of a sample, milliseconds. */
  readonly ageOf: (at: number) => number
}

/** Columns of the fleet; the id of a sortable column is the name of its sorting. */
export function fleetColumns({ narrow, open, onToggle, ageOf }: FleetColumnsOptions): readonly DataColumn<FleetLine>[] {
  return [
    valueColumn('name', 'Cluster', nameOf, {
      cell: (line) => <Name line={line} open={open.has(line.key)} onToggle={onToggle} />,
    }),
    numberColumn('servers', 'Servers', serversOf, {
      width: 62,
      text: (value) => (value === undefined ? '' : format.fixed(value)),
    }),
    valueColumn('worst', 'Worst level', ({ state }) => state, {
      title: 'Of a cluster, the worst level of its worst server',
      width: 168,
      cell: (line) => <Worst line={line} />,
    }),
    valueColumn('saturation', 'Levels', ({ saturation }) => saturation, {
      title:
        'Executing seats of the limit, in the order EX NH SY LE WH WL GD CA, then all other levels; of a cluster, its worst server. Sorts by the busiest level.',
      width: 116,
      cell: (line) => <Levels line={line} />,
    }),
    ...(narrow
      ? []
      : [
          {
            id: 'trend',
            header: '10 min',
            title: 'Saturation of the busiest level over the last 10 min; of a cluster, of its worst server',
            width: 84,
            cell: (line: FleetLine) =>
              line.kind === 'cluster' || line.kind === 'server' ? <Trend trend={shownServer(line)?.trend ?? []} /> : '',
          },
        ]),
    numberColumn('rejected', 'Rejected', ({ rejected }) => rejected, {
      term: 'rejected',
      title: 'Requests rejected per second over about 10 s; a sum over levels and servers',
      width: 84,
      cell: ({ rejected }) => <Amount value={rejected} text={zeroOr(rejected, format.rate)} look="rejecting" />,
    }),
    numberColumn('queued', 'Queued', ({ queued }) => queued, {
      term: 'queued',
      title: 'Requests that wait in the newest sample; a sum over levels and servers',
      width: 70,
      cell: ({ queued }) => <Amount value={queued} text={format.fixed(queued)} look="queueing" />,
    }),
    numberColumn('wait', 'Wait p99', ({ waitP99 }) => waitP99, {
      term: 'quantile',
      title: 'The longest over all levels, over about 30 s',
      width: 78,
      text: (value) => format.quantile(value, undefined),
    }),
    valueColumn('drift', 'Drift', (line) => (line.kind === 'cluster' ? driftOf(line) : undefined), {
      title: 'Objects that differ from the reference configuration',
      width: 118,
      cell: (line) => (line.kind === 'cluster' ? <Drift cluster={line} /> : ''),
    }),
    valueColumn('version', 'Version', versionOf, {
      width: 84,
      cell: (line) => <span className="mono">{versionOf(line)?.replace(/^v/, '') ?? ''}</span>,
    }),
    ...(narrow
      ? []
      : [
          valueColumn(
            'source',
            'Source',
            (line: FleetLine) => (line.kind === 'cluster' ? line.source.via : undefined),
            {
              width: 120,
              cell: (line: FleetLine) => (line.kind === 'cluster' ? line.source.via : ''),
              sortable: false,
            },
          ),
        ]),
    {
      id: 'age',
      header: 'Age',
      title: 'Age of the newest sample; for a cluster, of its worst server',
      align: 'right',
      width: 62,
      cell: (line) => ageText(line, ageOf),
    },
  ]
}

function nameOf(line: FleetLine): string {
  switch (line.kind) {
    case 'group':
      return line.name
    case 'cluster':
      return line.source.name
    case 'server':
      return line.server
    case 'level':
      return line.level
  }
}

function serversOf(line: FleetLine): number | undefined {
  if (line.kind === 'group') return line.clusters.reduce((sum, { servers }) => sum + servers.length, 0)
  return line.kind === 'cluster' ? line.servers.length : undefined
}

function versionOf(line: FleetLine): string | undefined {
  if (line.kind === 'server') return line.version
  if (line.kind !== 'cluster') return undefined
  return line.versions.length > 1 ? `${line.versions.length} versions` : line.versions[0]
}

const driftOf = ({ source: { drift } }: ClusterRow): string | undefined => drift && driftText(drift)

function Drift({ cluster }: { readonly cluster: ClusterRow }) {
  const text = driftOf(cluster)
  if (text === undefined) return UNKNOWN
  return <span className={text === 'none' ? 'faint' : 'queued'}>{text}</span>
}

function ageText(line: FleetLine, ageOf: (at: number) => number): string {
  if (line.kind !== 'cluster' && line.kind !== 'server') return ''
  const at = shownServer(line)?.at
  // A simulation and a file have a clock of their own.
  return at === undefined || line.source.still ? UNKNOWN : format.age(ageOf(at))
}

const zeroOr = (value: number | undefined, text: (value: number) => string): string =>
  value === undefined ? UNKNOWN : value === 0 ? '0' : text(value)

function Amount(props: {
  readonly value: number | undefined
  readonly text: string
  readonly look: 'rejecting' | 'queueing'
}) {
  const { value, text, look } = props
  if (value === undefined || value <= 0) return <span className="faint">{text}</span>
  return <span className={look === 'rejecting' ? 'strong rejected' : 'queued'}>{text}</span>
}

const DEPTH = { group: 0, cluster: 0, server: 1, level: 2 } as const
const CLASS_OF_DEPTH = ['depth0', 'depth1', 'depth2'] as const

function Name(props: {
  readonly line: FleetLine
  readonly open: boolean
  readonly onToggle: (key: string) => void
}): ReactNode {
  const { line, open, onToggle } = props
  const look = classes('row gap-4 shrink-x', styles[CLASS_OF_DEPTH[DEPTH[line.kind]]])
  if (line.kind === 'group') return <b>{line.name}</b>
  if (line.kind === 'level') {
    return (
      <span className={look}>
        <LevelName name={line.level} stale={isOld(line.state)} />
      </span>
    )
  }
  const name = nameOf(line)
  return (
    <span className={look}>
      <button
        type="button"
        tabIndex={-1}
        className={styles['toggle']}
        aria-expanded={open}
        aria-label={`${open ? 'Close' : 'Open'} ${name}`}
        onClick={() => onToggle(line.key)}
      >
        <span className={open ? undefined : styles['closed']}>
          <Icon name="chevron" size={12} />
        </span>
      </button>
      <span className={line.kind === 'server' ? 'mono shrink-x ellipsis' : 'shrink-x ellipsis'}>
        <MiddleCut text={name} />
      </span>
    </span>
  )
}

const isOld = (state: FleetState): boolean => state === 'stale' || state === 'failing'

function Worst({ line }: { readonly line: FleetLine }) {
  if (line.kind === 'group' || line.kind === 'level') return <StateTag kind={line.state} />
  const worst = shownServer(line)?.worst
  // Only this row shows the error; the rest of the screen is not affected.
  const hasServers = line.kind === 'server' || line.servers.length > 0
  if (line.problem !== undefined && (isOld(line.state) || !hasServers)) {
    return (
      <span className="block ellipsis small muted" title={line.problem.message}>
        <StateTag kind={line.state} /> {line.problem.message}
      </span>
    )
  }
  return (
    <span className="inline-row gap-8">
      {worst !== undefined && <LevelChip name={worst.level} stale={isOld(line.state)} />}
      <StateTag kind={line.state} />
    </span>
  )
}

function Levels({ line }: { readonly line: FleetLine }) {
  switch (line.kind) {
    case 'group':
      return ''
    case 'level':
      return `${format.seats(line.executing)}${line.limit === undefined ? '' : ` / ${format.seats(line.limit)}`}`
    case 'cluster':
    case 'server':
      return <LevelBars levels={shownServer(line)?.levels ?? []} />
  }
}
