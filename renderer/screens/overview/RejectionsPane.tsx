import { theLast } from '../../../core/verdict/levelStatements.ts'
import { memo, useMemo, useState } from 'react'
import type { SourceSpec } from '../../../core/contract/source.ts'
import type { RejectReason } from '../../../core/frame/frame.ts'
import { REJECT_REASONS } from '../../../core/frame/reading.ts'
import { valueColumn, numberColumn, type DataColumn } from '../../components/dataColumns.ts'
import { DataTable } from '../../components/DataTable.tsx'
import { LevelChip, MiddleCut } from '../../components/LevelChip.tsx'
import { Pane } from '../../components/Pane.tsx'
import { Remedies } from '../../components/Remedies.tsx'
import type { Measured } from '../../components/Promql.tsx'
import { REASON_TEXT } from '../../../core/verdict/rejectReasons.ts'
import { Segment } from '../../components/Button.tsx'
import { useConnected } from '../../state/connection.ts'
import { format } from '../../theme/format.ts'
import { openLevel } from '../../state/route.ts'
import styles from './overview.module.css'
import { keepPlaces, rejectionKey, type RecentRejections, type RejectionRow } from '../../../core/verdict/levelRows.ts'

type Filter = RejectReason | 'all'
const FILTERS = Object.fromEntries(['all', ...REJECT_REASONS].map((value) => [value, value]))

/** Sources that show single requests. */
const REQUEST_SOURCES: ReadonlySet<SourceSpec['kind']> = new Set(['proxy', 'feed', 'simulation'])
const REQUESTS = 'Live requests shows the user and the flow of each request.'
const NO_REQUESTS =
  'Metrics do not identify flows, users or requests. Enable debug dumps, or use a proxy or an audit log.'

const RATES: Measured = { measures: 'rejected', each: ['priority_level', 'flow_schema', 'reason'] }

export interface RejectionsPaneProps {
  /** Of all shown servers; absent until two samples are known. */
  readonly recent: RecentRejections | undefined
  /** Short names of several servers by id, shown in each row; absent for a single server. */
  readonly servers?: ReadonlyMap<string, string>
  /** Servers without a recent sample. */
  readonly stale: ReadonlySet<string>
}

/** Requests answered 429, by schema and reason, with cause and remedy. */
export const RejectionsPane = memo(function RejectionsPane({ recent, servers, stale }: RejectionsPaneProps) {
  const [filter, setFilter] = useState<Filter>('all')
  const kind = useConnected()?.spec.kind
  const seesRequests = kind !== undefined && REQUEST_SOURCES.has(kind)
  const [places, setPlaces] = useState<readonly RejectionRow[]>([])
  const all = keepPlaces(places, recent?.rows ?? [])
  // Places are only added, or all removed, so comparing their number is enough.
  if (all.length !== places.length) setPlaces(all)
  const rows = all.filter(({ reason }) => filter === 'all' || reason === filter)
  const columns = useMemo(() => rejectionColumns(stale, servers), [stale, servers])
  const seconds = recent === undefined ? undefined : format.fixed(Math.round(recent.seconds))
  return (
    <Pane
      title="Rejections"
      unit="429"
      note={seconds === undefined ? 'by schema and reason' : `by schema and reason, last ${seconds} s`}
      className="sized"
      actions={<Segment label="Reason" value={filter} options={FILTERS} onChange={setFilter} />}
    >
      {rows.length === 0 ? (
        <p className="pad-x pad-t-4 pad-b-10 muted">{quiet(recent, filter)}</p>
      ) : (
        <div className={styles['rejections']}>
          <div>
            <DataTable
              caption="Rejections"
              columns={columns}
              rows={rows}
              rowKey={rejectionKey}
              onOpen={(row) => openLevel(row.server, row.level)}
              density="compact"
              csvName="rejections"
              promql={(column) =>
                column === 'rate' ? { ...RATES, ...(servers && { servers: [...servers.keys()] }) } : undefined
              }
              foot={seesRequests ? REQUESTS : NO_REQUESTS}
            />
          </div>
          <Meanings rows={rows} />
        </div>
      )}
    </Pane>
  )
})

function quiet(recent: RecentRejections | undefined, filter: Filter): string {
  if (recent === undefined) return 'Rejections are unknown until two samples count them.'
  const what = filter === 'all' ? 'No request was rejected' : `No request was rejected with reason ${filter}`
  return `${what} in ${theLast(format, [{ recent }])}.`
}

function rejectionColumns(
  stale: ReadonlySet<string>,
  servers: ReadonlyMap<string, string> | undefined,
): readonly DataColumn<RejectionRow>[] {
  const server: DataColumn<RejectionRow> = {
    id: 'server',
    width: 130,
    header: 'Server',
    value: (row) => row.server,
    cell: (row) => <span title={row.server}>{servers?.get(row.server) ?? row.server}</span>,
  }
  return [
    ...(servers === undefined ? [] : [server]),
    valueColumn('level', 'Level', (row) => row.level, {
      term: 'priority-level',
      cell: (row) => (
        <span className="inline-row gap-7">
          <LevelChip name={row.level} stale={stale.has(row.server)} decorative /> {row.level}
        </span>
      ),
    }),
    valueColumn('reason', 'Reason', (row) => row.reason, {
      width: 134,
      term: 'rejected',
      cell: (row) => (
        <span className={faint(row) ?? (row.reason === 'time-out' ? 'strong queued' : 'strong rejected')}>
          {row.reason}
        </span>
      ),
    }),
    valueColumn('schema', 'Flow schema', (row) => row.schema, {
      width: 160,
      term: 'flow-schema',
      cell: (row) => <MiddleCut text={row.schema} />,
    }),
    numberColumn('count', 'Requests', (row) => row.count, {
      width: 78,
      cell: (row) => <span className={faint(row)}>{row.count === 0 ? '0' : `+${format.seats(row.count)}`}</span>,
    }),
    numberColumn('rate', 'Rate', (row) => row.perSecond, {
      width: 84,
      cell: (row) => <span className={faint(row)}>{format.rate(row.perSecond)}</span>,
    }),
  ]
}

/** Rejected earlier, outside the window of the present. */
const faint = ({ count }: RejectionRow): string | undefined => (count === 0 ? 'faint' : undefined)

/** What the reasons mean, and the remedies of the levels that reject now. */
const Meanings = ({ rows }: { readonly rows: readonly RejectionRow[] }) => (
  <div className={styles['remedies']}>
    <dl>
      {Array.from(new Set(rows.map(({ reason }) => reason)), (reason) => (
        <div key={reason}>
          <dt>{reason}</dt>
          <dd>{REASON_TEXT[reason]}</dd>
        </div>
      ))}
    </dl>
    <Remedies levels={new Set(rows.flatMap(({ level, count }) => (count > 0 ? [level] : [])))} />
  </div>
)
