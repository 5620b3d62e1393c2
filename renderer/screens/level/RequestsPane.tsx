import { memo, useId, useMemo, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { compileFilter, parseFilter, type Token } from '../../../core/filter/filter.ts'
import { DataTable, type DataColumn } from '../../components/DataTable.tsx'
import { Pane } from '../../components/Pane.tsx'
import { classes } from '../../components/classes.ts'
import { isPaneKey } from '../../components/paneKeys.ts'
import { NARROW, useMedia } from '../../components/useMedia.ts'
import { format } from '../../theme/format.ts'
import styles from './Panes.module.css'
import { REQUEST_VOCABULARY } from './requestFilter.data.ts'
import type { RequestRow } from './requests.data.ts'

export interface RequestsPaneProps {
  readonly level: string
  readonly rows: readonly RequestRow[]
  readonly filter: string
  readonly onFilter: (text: string) => void
  readonly origin: ReactNode
  readonly height: number
}

/** Single requests of the level in one dump, with a filter of tokens. */
export const RequestsPane = memo(function RequestsPane(props: RequestsPaneProps) {
  const { level, rows, filter, onFilter, origin, height } = props
  const hintId = useId()
  const narrow = useMedia(NARROW)
  const tokens = useMemo(() => parseFilter(filter, REQUEST_VOCABULARY), [filter])
  const shown = useMemo(() => rows.filter(compileFilter(tokens, REQUEST_VOCABULARY)), [rows, tokens])
  const waiting = rows.filter((row) => row.state === 'waiting').length
  const hidden = rows.length - shown.length
  const input = useRef<HTMLInputElement>(null)
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isPaneKey(event, 'f')) return
    event.preventDefault()
    event.stopPropagation()
    input.current?.focus()
  }
  return (
    <Pane
      title="Requests"
      onKeyDown={onKeyDown}
      note={`${format.fixed(waiting)} queued, ${format.fixed(rows.length - waiting)} executing`}
      actions={
        <input
          ref={input}
          type="search"
          className={styles['filter']}
          value={filter}
          placeholder="flow: verb: ns: queue: wait>5s"
          aria-label={`Filter requests of ${level}`}
          aria-describedby={hintId}
          aria-keyshortcuts="f"
          spellCheck={false}
          onChange={(event) => onFilter(event.target.value)}
        />
      }
    >
      <p id={hintId} className={styles['hint']}>
        <Hint tokens={tokens} hidden={hidden} origin={origin} />
      </p>
      <div className={styles['tableBox']} style={{ height: height - 19 }}>
        <DataTable
          caption={`Requests of ${level}`}
          columns={narrow ? NARROW_COLUMNS : COLUMNS}
          rows={shown}
          rowKey={(row) => row.key}
          density="compact"
          csvName={`requests-${level}`}
          empty={
            hidden > 0
              ? `No request passes this filter; ${format.fixed(hidden)} are hidden.`
              : 'No request of this level waits or executes in this dump.'
          }
        />
      </div>
    </Pane>
  )
})

function Hint({ tokens, hidden, origin }: { tokens: readonly Token[]; hidden: number; origin: ReactNode }) {
  const wrong = tokens.find((token) => token.kind === 'unknown')
  if (wrong !== undefined) return <span className={styles['hintBad']}>{`${wrong.text}: ${wrong.why}`}</span>
  return (
    <>
      {hidden > 0 && `${format.fixed(hidden)} hidden by the filter. `}
      {origin}
    </>
  )
}

const COLUMNS: readonly DataColumn<RequestRow>[] = [
  {
    id: 'state',
    header: 'State',
    value: (row) => (row.state === 'waiting' ? `queue ${row.queue}` : 'executing'),
    cell: (row) =>
      row.state === 'waiting' ? (
        <span
          className={styles['queued']}
          title={`place ${row.position + 1} in its queue`}
        >{`queue ${row.queue}`}</span>
      ) : (
        <span title={row.queue < 0 ? 'without a queue' : `from queue ${row.queue}`}>executing</span>
      ),
  },
  {
    id: 'request',
    header: 'Request',
    value: (row) => `${row.verb} ${row.target}`,
    cell: (row) => (
      <span className="mono" title={row.path}>
        {`${row.verb.toUpperCase()} ${row.target}`}
      </span>
    ),
  },
  {
    id: 'namespace',
    header: 'Namespace',
    value: (row) => row.namespace,
    cell: (row) => <span className="mono">{row.namespace === '' ? '–' : row.namespace}</span>,
  },
  {
    id: 'user',
    header: 'User',
    value: (row) => row.user,
    cell: (row) => (
      <span className="mono" title={`flow ${row.flow}, flow schema ${row.schema}`}>
        {row.user.replace(/^system:serviceaccount:/, '')}
      </span>
    ),
  },
  { id: 'seats', header: 'Seats', term: 'seat', align: 'right', value: (row) => row.seats },
  {
    id: 'waited',
    header: 'Waited',
    term: 'wait',
    align: 'right',
    value: (row) => Number(row.waited.toFixed(6)),
    cell: (row) => format.seconds(row.waited),
  },
  {
    id: 'running',
    header: 'Running',
    align: 'right',
    value: (row) => (row.running === undefined ? undefined : Number(row.running.toFixed(6))),
    cell: (row) => (
      <span className={classes(row.running === undefined && styles['quiet'])}>
        {row.running === undefined ? 'pending' : format.seconds(row.running)}
      </span>
    ),
  },
]

/** Half of a narrow window has no room for users; the flow of the chosen row names them. */
const NARROW_COLUMNS = COLUMNS.filter((column) => column.id !== 'user')
