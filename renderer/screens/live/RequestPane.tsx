import type { LiveRequest } from '../../../core/contract/live.ts'
import { filterText } from '../../../core/filter/filter.ts'
import { Button } from '../../components/Button.tsx'
import { Icon } from '../../components/Icon.tsx'
import { LevelName } from '../../components/LevelChip.tsx'
import type { DataColumn } from '../../components/dataColumns.ts'
import { Pane } from '../../components/Pane.tsx'
import { PlainTable } from '../../components/PlainTable.tsx'
import { classes } from '../../components/classes.ts'
import { openRequest } from '../../state/request.ts'
import { openScreen } from '../../state/route.ts'
import { format, UNKNOWN } from '../../theme/format.ts'
import { levelColor } from '../../state/levels.ts'
import { addToFilter } from './query.ts'
import { Remedy } from './Remedy.tsx'
import { saidByServer, sampleOf, storyOf, timeParts, type Said } from './request.data.ts'
import { requestOf } from './row.ts'
import styles from './live.module.css'

export interface RequestPaneProps {
  readonly row: LiveRequest
  readonly pinned: boolean
  /** Whether there is a server apart from the engine. */
  readonly server: boolean
  readonly onPin: () => void
  readonly onClose: () => void
}

/** One request: what became of it, where its time went, what server and draft say. */
export function RequestPane({ row, pinned, server, onPin, onClose }: RequestPaneProps) {
  const { level, schema, user, groups, url, status, reason, retryAfter, shadow } = row
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
      <div className={styles['pad']}>
        <p className={styles['story']}>{storyOf(row)}</p>
        <Times row={row} />
        {reason !== undefined && <Remedy reason={reason} />}
        <dl className={styles['facts']}>
          <dt>arrived</dt>
          <dd className="mono">{format.time(row.at, { millis: true })}</dd>
          <dt>request</dt>
          <dd className={classes('mono', styles['breaks'])}>
            {row.verb} {url}
          </dd>
          <dt>user</dt>
          <dd className={classes('mono', styles['breaks'])}>{user}</dd>
          <dt>groups</dt>
          <dd className={classes('mono', styles['breaks'])}>
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
          <dd className={classes(row.state === 'rejected' && styles['rejected'])}>
            {status ?? UNKNOWN} {row.state}
            {reason !== undefined && `, ${reason}`}
            {retryAfter !== undefined && (
              <span className={styles['whole']}>, Retry-After {format.fixed(retryAfter)} s</span>
            )}
          </dd>
        </dl>
        {server && <ServerWords row={row} />}
        {shadow?.state === 'behind' && (
          <p className={styles['story']}>Draft: not decided yet, because the draft is behind.</p>
        )}
        {shadow !== undefined && shadow.state !== 'behind' && (
          <p className={styles['story']}>
            Draft: {shadow.state} in <span className="mono">{shadow.level}</span> by{' '}
            <span className="mono">{shadow.schema}</span>
            {shadow.waitMs !== undefined && `, waited ${format.ms(shadow.waitMs)}`}
            {shadow.reason !== undefined && `, ${shadow.reason}`}.
          </p>
        )}
        <div className={styles['actions']}>
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

/** Waiting time, execution and lingering on one bar; the parts are named, not only coloured. */
function Times({ row }: { readonly row: LiveRequest }) {
  const parts = timeParts(row)
  if (parts.every(({ ms }) => ms === 0)) return null
  const label = parts.map(({ name, ms }) => `${name} ${format.ms(ms)}`).join(', ')
  return (
    <div className={styles['times']}>
      <div className={styles['timeBar']} role="img" aria-label={label}>
        {parts.map(({ name, share }) => (
          <i
            key={name}
            className={styles[name]}
            style={{ flexGrow: share, ...(name === 'execution' && { background: levelColor(row.level) }) }}
          />
        ))}
      </div>
      <p aria-hidden="true">
        {parts.map(({ name, ms }) => (
          <span key={name}>
            {name} <b>{format.ms(ms)}</b>
          </span>
        ))}
      </p>
    </div>
  )
}

function ServerWords({ row }: { readonly row: LiveRequest }) {
  const said = saidByServer(row)
  if (said.length === 0) return <p className={styles['quiet']}>The server reported nothing about this request.</p>
  return (
    <PlainTable
      caption="Engine and server compared"
      className={classes(styles['small'], styles['said'])}
      columns={SAID}
      rows={said}
      rowKey={({ what }) => what}
      rowLook={({ same }) => (same ? undefined : styles['differs'])}
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
