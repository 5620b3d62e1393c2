import { rounded } from '../../../core/text/format.ts'
import { memo, useId, useMemo, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { compileFilter, complaintOf, parseFilter, type Token, type Vocabulary } from '../../../core/filter/filter.ts'
import type { DumpRequest } from '../../../core/frame/dump.ts'
import { valueColumn, numberColumn, type DataColumn } from '../../components/dataColumns.ts'
import { DataTable } from '../../components/DataTable.tsx'
import { Pane } from '../../components/Pane.tsx'
import { classes, paneInputClass } from '../../components/classes.ts'
import { isPaneKey } from '../../components/keys.ts'
import { NARROW, useMedia } from '../../components/hooks.ts'
import { MiddleCut } from '../../components/LevelChip.tsx'
import { format } from '../../theme/format.ts'
import { flowName, isWaiting } from '../../../core/frame/flow.ts'
import { widthOf } from '../../state/flows.logic.ts'
import styles from './panes.module.css'

export interface RequestsPaneProps {
  readonly level: string
  readonly rows: readonly RequestRow[]
  readonly filter: string
  readonly onFilter: (text: string) => void
  readonly origin: ReactNode
  readonly height: number
}

/** Single requests of the level from one dump, with a filter of tokens. */
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
          className={classes(paneInputClass, 'mono', styles['filter'])}
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
      <p id={hintId} className="pad-x pad-b-4 tiny faint">
        <Hint tokens={tokens} hidden={hidden} origin={origin} />
      </p>
      <div className="column shrink-y" style={{ height: height - 19 }}>
        <DataTable
          caption={`Requests of ${level}`}
          columns={narrow ? NARROW_COLUMNS : COLUMNS}
          rows={shown}
          rowKey={(row) => row.key}
          density="compact"
          csvName={`requests-${level}`}
          empty={
            hidden > 0
              ? `No request matches this filter; ${format.fixed(hidden)} are hidden.`
              : 'No request of this level waits or executes in this dump.'
          }
        />
      </div>
    </Pane>
  )
})

function Hint({ tokens, hidden, origin }: { tokens: readonly Token[]; hidden: number; origin: ReactNode }) {
  const wrong = tokens.map((token) => complaintOf(token, REQUEST_VOCABULARY)).find((why) => why !== undefined)
  if (wrong !== undefined) return <span className="warn">{wrong}</span>
  return (
    <>
      {hidden > 0 && `${format.fixed(hidden)} hidden by the filter. `}
      {origin}
    </>
  )
}

const userTitle = ({ flow, schema }: RequestRow): string => `flow ${flow}, flow schema ${schema}`

const COLUMNS: readonly DataColumn<RequestRow>[] = [
  valueColumn(
    'state',
    'State',
    (row) => (row.state !== 'waiting' ? 'executing' : row.queue < 0 ? 'waiting' : `queue ${row.queue}`),
    {
      cell: (row) =>
        row.state === 'waiting' && row.queue < 0 ? (
          <span className="queued" title="the recording does not contain its queue">
            waiting
          </span>
        ) : row.state === 'waiting' ? (
          <span className="queued" title={`place ${row.position + 1} in its queue`}>{`queue ${row.queue}`}</span>
        ) : (
          <span title={row.queue < 0 ? 'without a queue' : `from queue ${row.queue}`}>executing</span>
        ),
    },
  ),
  valueColumn('request', 'Request', (row) => `${row.verb} ${row.target}`, {
    cell: (row) => (
      <span className={classes('mono', styles['request'])} title={row.path}>
        <MiddleCut text={`${row.verb.toUpperCase()} ${row.target}`} />
      </span>
    ),
  }),
  valueColumn('namespace', 'Namespace', (row) => row.namespace, {
    cell: (row) => <span className="mono">{row.namespace === '' ? '–' : row.namespace}</span>,
  }),
  valueColumn('user', 'User', (row) => row.user, {
    cell: (row) => (
      <span className="mono" title={userTitle(row)}>
        <MiddleCut text={row.user.replace(/^system:serviceaccount:/, '')} title={userTitle(row)} />
      </span>
    ),
  }),
  { id: 'seats', header: 'Seats', term: 'seat', align: 'right', value: (row) => row.seats },
  numberColumn('waited', 'Waited', (row) => rounded(row.waited, 6), {
    term: 'wait',
    cell: (row) => format.seconds(row.waited),
  }),
  valueColumn('running', 'Running', (row) => (row.running === undefined ? undefined : rounded(row.running, 6)), {
    align: 'right',
    cell: (row) => (
      <span className={classes(row.running === undefined && 'faint')}>
        {row.running === undefined ? 'pending' : format.seconds(row.running)}
      </span>
    ),
  }),
]

/** Half of a narrow window has no room for users; the flow of the chosen row shows them. */
const NARROW_COLUMNS = COLUMNS.filter((column) => column.id !== 'user')

export interface RequestRow {
  readonly key: string
  readonly state: 'waiting' | 'executing'
  /** Index of its queue, −1 without one. */
  readonly queue: number
  /** Place in the queue from 0, −1 when executing. */
  readonly position: number
  readonly verb: string
  /** The object of the request: resource, name, or path. */
  readonly target: string
  readonly path: string
  readonly namespace: string
  readonly user: string
  readonly flow: string
  readonly schema: string
  /** Seats. */
  readonly seats: number
  /** Seconds in the queue, so far or until it started. */
  readonly waited: number
  /** Seconds since it started; `undefined` while it waits. */
  readonly running: number | undefined
}

function targetOf(request: DumpRequest): string {
  if (request.resource === undefined || request.resource === '') return request.path ?? ''
  const kind =
    request.subresource === undefined || request.subresource === ''
      ? request.resource
      : `${request.resource}/${request.subresource}`
  return request.name === undefined || request.name === '' ? kind : `${kind} ${request.name}`
}

/** Requests of one level from one dump, longest waiting first, then longest running. */
export function requestRows(requests: readonly DumpRequest[], at: number): readonly RequestRow[] {
  const seen = new Map<string, number>()
  const rows = requests.map((request): RequestRow => {
    const waiting = isWaiting(request)
    // The dump has no request ids: arrival, flow and place distinguish requests, a running number distinguishes equal
    // ones.
    const base = `${request.arrivedAt} ${request.schema} ${request.flow} ${request.queue} ${request.path ?? ''}`
    const nth = seen.get(base) ?? 0
    seen.set(base, nth + 1)
    return {
      key: `${base} ${nth}`,
      state: waiting ? 'waiting' : 'executing',
      queue: request.queue,
      position: request.position,
      verb: request.verb ?? '',
      target: targetOf(request),
      path: request.path ?? '',
      namespace: request.namespace ?? '',
      user: request.user ?? '',
      flow: flowName(request.flow, request.schema),
      schema: request.schema,
      seats: widthOf(request),
      waited: Math.max(0, (request.startedAt ?? at) - request.arrivedAt) / 1_000,
      running: request.startedAt === undefined ? undefined : Math.max(0, at - request.startedAt) / 1_000,
    }
  })
  const rank = (row: RequestRow): number => (row.state === 'waiting' ? 0 : 1)
  return rows.toSorted(
    (a, b) => rank(a) - rank(b) || b.waited + (b.running ?? 0) - (a.waited + (a.running ?? 0)) || a.queue - b.queue,
  )
}

/** The filter keys for the requests of one level. */
export const REQUEST_VOCABULARY: Vocabulary<RequestRow> = {
  texts: {
    flow: { of: (row) => row.flow },
    schema: { of: (row) => row.schema },
    verb: { of: (row) => row.verb },
    ns: { of: (row) => row.namespace },
    user: { of: (row) => row.user },
    queue: { of: (row) => String(row.queue), whole: true },
    state: { of: (row) => row.state },
    resource: { of: (row) => row.target },
  },
  amounts: {
    wait: { of: (row) => row.waited * 1_000, unit: 'duration' },
    run: { of: (row) => (row.running === undefined ? undefined : row.running * 1_000), unit: 'duration' },
    seats: { of: (row) => row.seats, unit: 'count' },
  },
  free: (row) => [row.verb, row.target, row.path, row.namespace, row.user, row.flow, row.schema],
}
