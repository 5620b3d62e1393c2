import type { ReactNode } from 'react'
import { EXEMPT } from '../../../core/config/objects.ts'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { agrees, draftDiffers } from '../../../core/live/liveFilter.ts'
import { differencesOf } from '../../../core/live/agreement.ts'
import type { DataColumn } from '../../components/dataColumns.ts'
import { Icon } from '../../components/Icon.tsx'
import { LevelChip, MiddleCut } from '../../components/LevelChip.tsx'
import { classes } from '../../components/classes.ts'
import { NOT_APPLICABLE, UNKNOWN } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'
import { flowName } from '../../../core/frame/flow.ts'
import styles from './stream.module.css'

/** What determines the default columns. */
export interface Room {
  /** The window is narrow. */
  readonly narrow: boolean
  /** There is a server apart from the engine, which may report its own values for a request. */
  readonly server: boolean
}

const always = (): boolean => true
const onlyChosen = (): boolean => false

/** One column of the request stream; widths are fixed, so that nothing moves sideways while rows pass. */
export interface StreamColumn extends DataColumn<LiveRequest> {
  /** The meaning of the header, in the list of columns and on hover. */
  readonly title: string
  /** Whether it is shown until the user chooses otherwise. */
  readonly usual: (room: Room) => boolean
}

const Mono = ({ text, title }: { readonly text: string; readonly title?: string }) => (
  <span className="mono" title={title ?? text}>
    {text === '' ? UNKNOWN : <MiddleCut text={text} title={title ?? text} />}
  </span>
)

/** A width on which engine and server differ is marked in either column. */
const widthLook = ({ seats, server }: LiveRequest): string | undefined =>
  server?.initialSeats !== undefined && server.initialSeats !== seats.initial ? styles['differs'] : undefined

function waited({ level, state, waitMs, status, reason }: LiveRequest): ReactNode {
  if (state === 'waiting') return <span className="queued">waits</span>
  // Where the engine only observes, the server's own answer is in the next column.
  if (state === 'rejected' && status !== 429) {
    return (
      <span className="rejected" title={`Rejected by the engine: ${reason ?? 'rejected'}`}>
        rejected
      </span>
    )
  }
  if (level === EXEMPT || state === 'bypassed' || state === 'crowded-out') return NOT_APPLICABLE
  return waitMs === 0 ? '0' : format.ms(waitMs)
}

function ran({ state, runMs }: LiveRequest): ReactNode {
  if (state === 'executing') return <span className="faint">runs</span>
  return format.ms(runMs)
}

const TITLES: Partial<Record<LiveRequest['state'], string>> = {
  failed: 'The server did not respond',
  'crowded-out': 'Rejected by the proxy: the headers of other requests fill its memory budget',
  cancelled: 'The client gave up',
}

function Status({ row }: { readonly row: LiveRequest }) {
  const { status, state, reason } = row
  const bad = state === 'failed' || (status ?? 0) >= 400
  return (
    <span className={classes(bad && 'rejected')} title={reason ?? TITLES[state]}>
      {status ?? (state === 'cancelled' || state === 'failed' ? state : UNKNOWN)}
    </span>
  )
}

function Agree({ row }: { readonly row: LiveRequest }) {
  const same = agrees(row)
  if (same === undefined) return <span className="faint">{UNKNOWN}</span>
  if (same)
    return (
      <span className={styles['same']} role="img" aria-label="agrees">
        <Icon name="check" size={12} />
      </span>
    )
  const [[what] = ['']] = differencesOf(row)
  return (
    <span className={styles['differs']} title={what}>
      <Icon name="warn" size={12} /> {/^(final )?width/.test(what) ? 'width' : (what.split(' ', 1)[0] ?? '')}
    </span>
  )
}

const streamColumn = (
  id: string,
  header: string,
  title: string,
  cell: (row: LiveRequest) => ReactNode,
  more: Partial<StreamColumn> = {},
): StreamColumn => ({ id, header, title, cell, usual: always, ...more })
const rightColumn: typeof streamColumn = (id, header, title, cell, more) =>
  streamColumn(id, header, title, cell, { align: 'right', ...more })

export const STREAM_COLUMNS: readonly StreamColumn[] = [
  streamColumn(
    'time',
    'Time',
    'Arrival time',
    (row) => <span className="mono">{format.time(row.at, { millis: true })}</span>,
    { width: 108 },
  ),
  streamColumn(
    'flow',
    'Flow',
    'Flow distinguisher: the sender as flow control distinguishes it',
    (row) => <Mono text={flowOf(row)} title={`${row.user}, flow schema ${row.schema}`} />,
    { term: 'flow', width: 142 },
  ),
  streamColumn('user', 'User', 'User name', (row) => <Mono text={row.user} />, { width: 190, usual: onlyChosen }),
  streamColumn('request', 'Request', 'Verb and resource', (row) => <Mono text={requestOf(row)} title={row.url} />),
  streamColumn('namespace', 'Namespace', 'Namespace', (row) => <Mono text={row.namespace} />, {
    width: 92,
    usual: ({ narrow }) => !narrow,
  }),
  streamColumn('level', 'Level', 'Priority level', (row) => <LevelChip name={row.level} />, {
    term: 'priority-level',
    width: 40,
  }),
  streamColumn('schema', 'Flow schema', 'Flow schema', (row) => <Mono text={row.schema} />, {
    term: 'flow-schema',
    width: 140,
    usual: onlyChosen,
  }),
  rightColumn('queue', 'Queue', 'Queue', (row) => row.queue ?? UNKNOWN, { width: 46 }),
  rightColumn(
    'est',
    'Est.',
    'Seats estimated by the engine: the initial stage, and the final stage if there is one',
    (row) => (
      <span className={widthLook(row)}>
        {row.seats.final > 0 ? `${row.seats.initial}+${row.seats.final}` : row.seats.initial}
      </span>
    ),
    { term: 'width', width: 48 },
  ),
  rightColumn(
    'real',
    'Real',
    'Seats reported by the server',
    (row) => <span className={widthLook(row)}>{row.server?.initialSeats ?? UNKNOWN}</span>,
    { term: 'width', width: 38, usual: ({ narrow, server }) => server && !narrow },
  ),
  rightColumn('waited', 'Waited', 'In its queue, until it was dispatched or rejected', waited, {
    term: 'wait',
    width: 60,
  }),
  rightColumn('ran', 'Ran', 'From its dispatch to the end of the answer', ran, { width: 58 }),
  rightColumn(
    'lingers',
    'Lingers',
    'How long its final seats are held after the answer',
    (row) => format.ms(row.lingerMs),
    { term: 'final-seats', width: 58, usual: ({ narrow, server }) => !server && !narrow },
  ),
  rightColumn('status', 'Status', 'HTTP status of the answer', (row) => <Status row={row} />, { width: 48 }),
  streamColumn('state', 'State', 'Where it is, or how it ended', (row) => row.state, { width: 76, usual: onlyChosen }),
  streamColumn('reason', 'Reason', 'Why it was rejected', (row) => row.reason ?? UNKNOWN, {
    term: 'rejected',
    width: 116,
    usual: onlyChosen,
  }),
  streamColumn('agree', 'Agree', 'Whether server and engine agree', (row) => <Agree row={row} />, {
    width: 60,
    usual: ({ server }) => server,
  }),
  streamColumn('draft', 'Draft', 'Decision of the draft, where it runs beside', (row) => <Draft row={row} />, {
    width: 76,
    usual: onlyChosen,
  }),
]

function Draft({ row }: { readonly row: LiveRequest }) {
  const differs = draftDiffers(row)
  if (row.candidate?.state === 'behind') return <span className="faint">not yet</span>
  if (differs === undefined) return <span className="faint">{UNKNOWN}</span>
  return differs ? <span className={styles['differs']}>{row.candidate?.state}</span> : 'same'
}

const isShown = ({ id, usual }: StreamColumn, chosen: readonly string[], room: Room): boolean =>
  chosen.includes(id) || (usual(room) && !chosen.includes(`-${id}`))

/** The shown columns: the default ones and the chosen ones, without the hidden ones. */
export const shownColumns = (chosen: readonly string[], room: Room): readonly StreamColumn[] =>
  STREAM_COLUMNS.filter((column) => isShown(column, chosen, room))

/** The choice with one column shown or hidden. */
export function withColumn(
  chosen: readonly string[],
  column: StreamColumn,
  shown: boolean,
  room: Room,
): readonly string[] {
  const { id } = column
  const others = chosen.filter((name) => name !== id && name !== `-${id}`)
  if (shown === isShown(column, others, room)) return others
  return [...others, shown ? id : `-${id}`]
}

/** Prefix that a feed without users gives to a sender; the part after it distinguishes senders. */
const UNKNOWN_USER = 'unknown user: '

/** The common name of a flow, with its distinguishing part first. */
export function shortFlowName(flow: string, schema: string): string {
  const name = flowName(flow, schema)
  return name.startsWith(UNKNOWN_USER) ? `${name.slice(UNKNOWN_USER.length)} (user unknown)` : name
}

/**
 * The flow of a request; for exempt requests, and those without a schema, the user: nothing distinguishes flows there.
 */
export const flowOf = ({ level, flow, schema, user }: LiveRequest): string =>
  shortFlowName((level === EXEMPT || schema === '') && flow === '' ? user : flow, schema)

/** `LIST pods`, `GET /healthz`. */
export function requestOf({ verb, resource, name, url }: LiveRequest): string {
  const what = resource === '' ? (url.split('?', 1)[0] ?? '') : name === '' ? resource : `${resource} ${name}`
  return `${verb.toUpperCase()} ${what}`
}

/**
 * Clock of the rows, Unix milliseconds: the user's, unless the rows are from another time or `stands` is set. A silent
 * source reports nothing about its last minute, and a simulation, whose clients never rest, falls behind where the
 * machine is too slow for it.
 */
export function clockOf(newestAt: number | undefined, now: number, stands: boolean): number {
  return newestAt !== undefined && (stands || Math.abs(now - newestAt) > OTHER_TIME_MS) ? newestAt : now
}

const OTHER_TIME_MS = 300_000

/**
 * Seconds of the last `longest` that the rows cover: a stream that has just started is no less busy because of the time
 * before. At least one, so that a single request does not read as a burst.
 */
export function coveredSeconds(oldestAt: number | undefined, now: number, longest: number): number {
  const known = oldestAt === undefined ? 0 : (now - oldestAt) / 1_000
  return Math.max(1, Math.min(longest, known))
}
