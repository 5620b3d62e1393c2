import type { LiveRequest } from '../../../core/contract/live.ts'
import { filterText } from '../../../core/filter/filter.ts'
import type { RejectReason } from '../../../core/frame/frame.ts'
import { addressOfVerb } from '../../../core/classify/requestFields.ts'
import { EXEMPT } from '../../../core/config/objects.ts'
import type { RequestSample } from '../../../core/contract/objects.ts'
import { Button } from '../../components/Button.tsx'
import { Icon } from '../../components/Icon.tsx'
import { LevelName } from '../../components/LevelChip.tsx'
import type { DataColumn } from '../../components/dataColumns.ts'
import { Pane } from '../../components/Pane.tsx'
import { PlainTable } from '../../components/PlainTable.tsx'
import { classes } from '../../components/classes.ts'
import { openRequest } from '../../state/request.ts'
import { openScreen } from '../../state/route.ts'
import { UNKNOWN } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'
import { levelColor } from '../../state/levels.ts'
import { FILTER_TEXT, REASON_TEXT } from '../../../core/verdict/rejectReasons.ts'
import { Term } from '../../components/Term.tsx'
import { addToFilter } from './query.ts'
import { requestOf, flowOf } from './columns.tsx'
import { useHasLevels } from '../../state/view.ts'
import styles from './live.module.css'

export interface RequestPaneProps {
  readonly row: LiveRequest
  readonly pinned: boolean
  /** Whether there is a server apart from the engine. */
  readonly server: boolean
  readonly onPin: () => void
  readonly onClose: () => void
}

/** One request: its result, how its time was spent, and the results of server and draft. */
export function RequestPane({ row, pinned, server, onPin, onClose }: RequestPaneProps) {
  const { level, schema, user, groups, url, status, reason, retryAfter, candidate } = row
  return (
    <Pane
      title={requestOf(row)}
      className={styles['request']}
      actions={
        <>
          <Button small aria-pressed={pinned} onClick={onPin}>
            {pinned ? 'Unpin' : 'Pin'}
          </Button>
          <Button small aria-label="Close the request" onClick={onClose}>
            <Icon name="cross" size={12} />
          </Button>
        </>
      }
    >
      <div className="stack gap-8 pad-x pad-b-10">
        <p className="leading-145 muted">{storyOf(row)}</p>
        <Times row={row} />
        {reason !== undefined && <WhyRejected reason={reason} />}
        <dl className={styles['facts']}>
          <dt>arrived</dt>
          <dd className="mono">{format.time(row.at, { millis: true })}</dd>
          <dt>request</dt>
          <dd className="mono breaks">
            {row.verb} {url}
          </dd>
          <dt>user</dt>
          <dd className="mono breaks">{user}</dd>
          <dt>groups</dt>
          <dd className="mono breaks">
            {groups.length === 0 ? UNKNOWN : groups.map((group) => <div key={group}>{group}</div>)}
          </dd>
          <dt>level</dt>
          <dd>
            <LevelName name={level} />
          </dd>
          <dt>flow schema</dt>
          <dd className="mono">{schema}</dd>
          {row.queue !== undefined && (
            <>
              <dt>queue</dt>
              <dd>{row.queue}</dd>
            </>
          )}
          <dt>seats</dt>
          <dd>
            {row.seats.initial}
            {row.seats.final > 0 && `, then ${row.seats.final} after the answer`}
          </dd>
          <dt>answer</dt>
          <dd className={classes(row.state === 'rejected' && 'rejected')}>
            {status ?? UNKNOWN} {row.state}
            {reason !== undefined && `, ${reason}`}
            {retryAfter !== undefined && <span className="nowrap">, Retry-After {format.fixed(retryAfter)} s</span>}
          </dd>
        </dl>
        {server && <ServerWords row={row} />}
        {candidate?.state === 'behind' && (
          <p className="leading-145 muted">Draft: not decided yet, because the draft is behind.</p>
        )}
        {candidate !== undefined && candidate.state !== 'behind' && (
          <p className="leading-145 muted">
            Draft: {candidate.state} in <span className="mono">{candidate.level}</span> by{' '}
            <span className="mono">{candidate.schema}</span>
            {candidate.waitMs !== undefined && `, waited ${format.ms(candidate.waitMs)}`}
            {candidate.reason !== undefined && `, ${candidate.reason}`}.
          </p>
        )}
        <div className="flex wrap gap-6">
          <Button small onClick={() => openRequest(sampleOf(row))}>
            Why this schema
          </Button>
          {row.flow !== '' && (
            <Button small onClick={() => addToFilter(filterText('flow', row.flow))}>
              Only this flow
            </Button>
          )}
          {level !== '' && (
            <Button small onClick={() => openScreen('level', level)}>
              Open {level}
            </Button>
          )}
        </div>
      </div>
    </Pane>
  )
}

/** Waiting time, execution and lingering on one bar; the parts are labelled, not only coloured. */
function Times({ row }: { readonly row: LiveRequest }) {
  const parts = timeParts(row)
  if (parts.every(({ ms }) => ms === 0)) return null
  const label = parts.map(({ name, ms }) => `${name} ${format.ms(ms)}`).join(', ')
  return (
    <div className="stack gap-4">
      <div className={styles['timeBar']} role="img" aria-label={label}>
        {parts.map(({ name, share }) => (
          <i
            key={name}
            className={styles[name]}
            style={{ flexGrow: share, ...(name === 'execution' && { background: levelColor(row.level) }) }}
          />
        ))}
      </div>
      <p className="flex wrap gap-2 columns-12 small faint" aria-hidden="true">
        {parts.map(({ name, ms }) => (
          <span key={name}>
            {name} <b className="medium ink">{format.ms(ms)}</b>
          </span>
        ))}
      </p>
    </div>
  )
}

function ServerWords({ row }: { readonly row: LiveRequest }) {
  const said = saidByServer(row)
  if (said.length === 0) return <p className="faint">The server reported nothing about this request.</p>
  return (
    <PlainTable
      caption="Engine and server compared"
      className={classes(styles['small'], styles['said'])}
      columns={SAID}
      rows={said}
      rowKey={({ what }) => what}
      rowLook={({ same }) => (same ? undefined : 'warn')}
    />
  )
}

const SAID: readonly DataColumn<Said>[] = [
  { id: 'what', header: 'Reported', rowHeader: true, cell: ({ what }) => what },
  { id: 'engine', header: 'Engine', cell: ({ engine }) => engine },
  {
    id: 'server',
    header: 'Server',
    cell: ({ server, same }) => (
      <>
        {server} {!same && <Icon name="warn" size={12} />}
        {!same && <span className="sr-only">differs</span>}
      </>
    ),
  },
]

/** What a reason means; the remedy follows from the diagnosis, where there are levels. */
export function WhyRejected({ reason }: { readonly reason: RejectReason }) {
  const hasLevels = useHasLevels()
  return (
    <p className="small leading-142 muted">
      <Term id={reason}>{reason}</Term> {hasLevels ? REASON_TEXT[reason] : FILTER_TEXT}
    </p>
  )
}

interface TimePart {
  readonly name: 'queue' | 'execution' | 'lingering'
  /** Milliseconds. */
  readonly ms: number
  /** Part of the whole, 0 to 1. */
  readonly share: number
}

/** How the time of a request was spent, as far as it is known; nothing while it waits. */
export function timeParts({ waitMs, runMs, lingerMs }: LiveRequest): readonly TimePart[] {
  const known = [
    { name: 'queue', ms: waitMs },
    { name: 'execution', ms: runMs },
    { name: 'lingering', ms: lingerMs },
  ] as const
  const total = known.reduce((sum, { ms = 0 }) => sum + ms, 0)
  return known.flatMap(({ name, ms }) => (ms === undefined ? [] : [{ name, ms, share: total === 0 ? 0 : ms / total }]))
}

/** The request in the form of the page One request. */
export function sampleOf({ user, groups, verb, url }: LiveRequest): RequestSample {
  const { method, url: address } = addressOfVerb(verb, url)
  return { user, groups: [...groups], method, url: address }
}

const seats = (count: number): string => format.counted(count, 'seat')

/** The result of the request, in a sentence or two. */
export function storyOf(row: LiveRequest): string {
  const { state, level, schema, queue, waitMs } = row
  const flow = `Flow ${flowOf(row)} of ${schema}`
  if (level === EXEMPT) return `${schema} is exempt: the request takes seats of no level and never waits.`
  const width = seats(Math.max(row.seats.initial, row.seats.final))
  const where = queue === undefined ? level : `queue ${queue} of ${level}`
  switch (state) {
    case 'waiting':
      return `${flow} waits in ${where} for ${width}.`
    case 'executing':
      return `${flow} holds ${width} of ${level}${waitMs === undefined ? '' : ` after ${format.ms(waitMs)} in ${where}`}.`
    case 'served':
      return `${flow} held ${width} of ${level}${waitMs === undefined || waitMs === 0 ? ' without waiting' : ` after ${format.ms(waitMs)} in ${where}`}.`
    case 'rejected':
      return `${flow} was rejected at ${where}${waitMs === undefined || waitMs === 0 ? ' at once' : ` after ${format.ms(waitMs)}`}.`
    case 'crowded-out':
      return 'The proxy rejected it before the engine or the server received it: the headers of waiting and running requests fill 64 MB. Look for a client that sends very long requests.'
    case 'cancelled':
      return `The client gave up${waitMs === undefined ? '' : ` after ${format.ms(waitMs)} in ${where}`}.`
    case 'failed':
      return 'The server did not respond; the seats were released.'
    case 'bypassed':
      return 'Long-running and not a watch: flow control does not limit it, and it takes no seat.'
  }
}

interface Said {
  readonly what: string
  readonly engine: string
  readonly server: string
  readonly same: boolean
}

/** The values that the server itself reported, beside those of the engine; nothing that it did not report. */
export function saidByServer({ level, schema, seats: own, waitMs, server }: LiveRequest): readonly Said[] {
  if (server === undefined) return []
  const pairs: readonly (readonly [string, string | number, string | number | undefined])[] = [
    ['flow schema', schema, server.schema],
    ['priority level', level, server.level],
    ['seats', own.initial, server.initialSeats],
    ['final seats', own.final, server.finalSeats],
  ]
  const said = pairs.flatMap(([what, engine, other]) =>
    other === undefined ? [] : [{ what, engine: String(engine), server: String(other), same: engine === other }],
  )
  if (server.waitMs === undefined) return said
  // Its wait depends on traffic that is not visible here: it is shown, but is not a disagreement.
  return [...said, { what: 'waited', engine: format.ms(waitMs), server: format.ms(server.waitMs), same: true }]
}
