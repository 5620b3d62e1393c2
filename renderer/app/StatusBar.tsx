import { Suspense } from 'react'
import { REALLOCATION_MS } from '../../core/frame/derive.ts'
import { classes } from '../components/classes.ts'
import { Icon } from '../components/Icon.tsx'
import { NoteMark } from '../components/NowLine.tsx'
import { Term } from '../components/Term.tsx'
import { useNow } from '../components/hooks.ts'
import { useConnection } from '../state/connection.ts'
import { useObjects } from '../state/objects.ts'
import { usePastPart } from '../state/past.ts'
import { nowAt, useHasLevels, useView } from '../state/view.ts'
import { UNKNOWN } from '../../core/text/format.ts'
import { statusFacts, untilReallocation } from './shell.data.ts'
import { EtcdPart } from './Sidebar.tsx'
import styles from './Sidebar.module.css'

/** The condition of the source, and the time of the next reallocation. */
export function StatusBar() {
  const { connection } = useConnection()
  const { server, derivedServer, mode } = useView()
  const hasLevels = useHasLevels()
  const health = usePastPart(({ moment }) => moment?.health) ?? connection?.servers ?? []
  const facts = statusFacts(connection, { server, derivedServer, mode, health })
  const isPast = mode === 'past'
  if (facts === undefined) {
    return (
      <footer className={styles['barBar']}>
        <span>No source connected</span>
        <span className="push">Everything on this screen runs on this machine</span>
      </footer>
    )
  }
  if (connection?.etcd === true) {
    return (
      <Suspense fallback={<footer className={styles['barBar']} />}>
        <EtcdPart good={facts.good} />
      </Suspense>
    )
  }
  return (
    <footer className={styles['barBar']}>
      <span className="middle gap-6 rigid inline-flex">
        <span className={facts.good ? 'good' : 'warn'}>
          <Icon name={facts.good ? 'check' : 'warn'} size={12} />
        </span>
        <span className="sr-only">
          {isPast
            ? facts.good
              ? 'source responded'
              : 'source failed'
            : facts.good
              ? 'source responds'
              : 'source fails'}
        </span>
        <b>{facts.cadence}</b>
      </span>
      {facts.families !== undefined && <span className="middle gap-6 rigid inline-flex">{facts.families}</span>}
      {facts.version !== undefined && (
        <span className="middle gap-6 rigid inline-flex">
          {isPast && connection?.source.kind !== 'run' ? 'server then' : 'server'} <b>{facts.version}</b>
        </span>
      )}
      {facts.dumps !== undefined && (
        <span className={classes('middle gap-6 rigid inline-flex', styles['wide'])}>
          <Term id="debug-dump">debug dumps</Term> <b>{facts.dumps}</b>
        </span>
      )}
      <span className="push" />
      <NoteMark note="reallocation" />
      {hasLevels && mode !== 'still' && !isPast && <Countdown />}
      <EditingState />
    </footer>
  )
}

/** Whether anything can be changed from here. */
function EditingState() {
  const state = useObjects()
  const on = state?.editing.state === 'on'
  return (
    <span
      className={classes('middle gap-6 rigid inline-flex', on ? 'warn' : styles['wide'])}
      title={
        on
          ? `Editing of ${state.target} is on.`
          : state?.editing.state === 'impossible'
            ? state.editing.why
            : 'Editing is off. Turn it on to change objects.'
      }
    >
      <Icon name={on ? 'editor' : 'lock'} size={12} />
      {on ? 'editing on' : 'read-only'}
    </span>
  )
}

/** A ring that closes until the next reallocation; ≈ because its phase is inferred from scrapes. */
function Countdown() {
  const { derivedServer, mode, frame, server } = useView()
  const now = useNow(mode === 'live')
  const shownNow = nowAt({ frame, server }, now)
  const left = mode === 'live' ? untilReallocation(derivedServer, shownNow) : undefined
  const around = 2 * Math.PI * 5
  return (
    <span className={classes('middle gap-6 rigid inline-flex', styles['countdown'])}>
      <svg className={styles['ring']} width="13" height="13" viewBox="0 0 13 13" aria-hidden="true" focusable="false">
        <circle className={styles['track']} cx="6.5" cy="6.5" r="5" />
        <circle
          className={styles['arc']}
          cx="6.5"
          cy="6.5"
          r="5"
          strokeDasharray={`${left === undefined ? 0 : around * (1 - left / REALLOCATION_MS)} ${around}`}
        />
      </svg>
      <Term id="reallocation">next reallocation</Term> in{' '}
      <b>{left === undefined ? UNKNOWN : `≈ ${Math.ceil(left / 1_000)} s`}</b>
    </span>
  )
}
