import { lazy, Suspense } from 'react'
import { plural } from '../../core/text/format.ts'
import { classes } from '../components/classes.ts'
import { Icon } from '../components/Icon.tsx'
import { LevelChip, MiddleCut } from '../components/LevelChip.tsx'
import { hrefOf, hrefOfPage, useRoute } from '../state/route.ts'
import { usePastPart } from '../state/past.ts'
import { useSelection } from '../state/selection.ts'
import { useSettings } from '../state/settings.ts'
import { useAlerts } from '../state/sourceState.ts'
import { instantOf, useTimePart } from '../state/time.ts'
import { useHasLevels, useView } from '../state/view.ts'
import { readsClusters, useConnection } from '../state/connection.ts'
import { format } from '../theme/format.ts'
import { levelOrder } from '../../core/text/levelSlots.ts'
import { levelColor } from '../state/levels.ts'
import { rosterRows, sums, type RosterRow } from './shell.data.ts'
import { screensFor } from './screens.tsx'
import styles from './Sidebar.module.css'

const MANY = 12
export const EtcdPart = lazy(async () => ({ default: (await import('./EtcdShell.tsx')).EtcdPart }))

/** Screens and the roster of levels: visible from everywhere. */
export function Sidebar() {
  const [{ levelSlots }] = useSettings()
  const { screen, level: shown, page } = useRoute()
  const view = useView()
  const hasLevels = useHasLevels()
  const { server, derivedServer, mode } = view
  const { connection: connected } = useConnection()
  const instant = usePastPart(({ moment }) => moment?.at)
  // Links carry server and range, so they change with them.
  useSelection()
  useTimePart(({ window }) => window)
  const rows = rosterRows(server, derivedServer, levelOrder(levelSlots))
  const total = sums(server)
  const look = classes('column shrink-y sized pad-t-6 line-right on-surface', mode === 'stale' && styles['stale'])
  return (
    <nav aria-label="Screens and priority levels" className={look} data-pane="" tabIndex={-1}>
      <ul className={styles['nav']}>
        {screensFor(connected?.etcd === true).map(({ name, label, key, icon, pages }) => (
          <li key={name}>
            <a
              href={hrefOf(name, name === 'level' ? (shown ?? rows[0]?.name) : undefined)}
              aria-current={screen === name ? (pages === undefined ? 'page' : 'true') : undefined}
              aria-keyshortcuts={key}
              title={label}
            >
              <Icon name={icon} size={15} />
              <span className={styles['label']}>{label}</span>
              {name === 'alerts' && <Firing />}
              <span className={styles['key']} aria-hidden="true">
                {key}
              </span>
            </a>
            {screen === name && pages !== undefined && (
              <ul className={styles['pages']}>
                {pages.map((one) => (
                  <li key={one.name}>
                    <a href={hrefOfPage(name, one.name)} aria-current={page === one.name ? 'page' : undefined}>
                      {one.label}
                    </a>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
      {connected?.etcd === true ? (
        <Suspense>
          <EtcdPart />
        </Suspense>
      ) : rows.length === 0 ? (
        <p className={styles['none']}>
          {connected === undefined
            ? 'Priority levels appear here once a source is connected.'
            : readsClusters(connected)
              ? 'Priority levels appear here once you open a server of the Fleet screen.'
              : hasLevels
                ? 'Priority levels appear here with the first sample.'
                : 'This source has no priority levels.'}
        </p>
      ) : (
        <>
          <h2 className={styles['heading']}>
            {instant === undefined ? 'Priority levels' : `At ${format.time(instant)}`} <span>executing / limit</span>
          </h2>
          <ul className={classes(`${styles['roster']} grow shrink-y scroll-y`, rows.length > MANY && styles['many'])}>
            {rows.map((row) => (
              <li key={row.name}>
                <RosterItem row={row} current={screen === 'level' && shown === row.name} stale={mode === 'stale'} />
              </li>
            ))}
          </ul>
        </>
      )}
      {total !== undefined && rows.length > 0 && (
        <p className={styles['foot']}>
          {format.seats(total.executing)} of {format.seats(total.seats)} seats executing
          <br />
          {format.seats(total.lent)} lent, {format.seats(total.borrowed)} borrowed
        </p>
      )}
    </nav>
  )
}

/** How many alert rules of the shown source fire; a sign about the present, which the past does not carry. */
function Firing() {
  const { alerts = [] } = useAlerts() ?? {}
  const isPast = useTimePart((time) => instantOf(time) !== undefined)
  const firing = alerts.filter(({ silenced }) => !silenced)
  if (isPast || firing.length === 0) return null
  const rules = new Set(firing.map(({ rule }) => rule)).size
  const isCritical = firing.some(({ severity }) => severity === 'critical')
  return (
    <span className={classes(styles['firing'], isCritical && 'rejected')}>
      <span aria-hidden="true">{rules}</span>
      <span className="sr-only">{`, ${rules} ${plural(rules, 'fires', 'fire')}`}</span>
    </span>
  )
}

function RosterItem({
  row,
  current,
  stale,
}: {
  readonly row: RosterRow
  readonly current: boolean
  readonly stale: boolean
}) {
  const { name, executing, limit, share, trouble } = row
  const count = limit === undefined ? format.seats(executing) : `${format.seats(executing)}/${format.seats(limit)}`
  return (
    <a
      href={hrefOf('level', name)}
      aria-current={current ? 'page' : undefined}
      title={`${name}: ${count} seats executing${trouble === undefined ? '' : `, ${trouble}`}`}
      style={{ '--level': levelColor(name) }}
    >
      <span className={styles['chip']}>
        <LevelChip name={name} stale={stale} decorative />
      </span>
      <span className={styles['name']}>
        <MiddleCut text={name} />
      </span>
      <span
        className={classes(
          `${styles['count']} inline-row gap-3 nowrap figures muted`,
          trouble !== undefined && (trouble === 'rejecting' ? 'rejected' : 'queued'),
        )}
      >
        {trouble !== undefined && <Icon name={trouble === 'rejecting' ? 'cross' : 'queue'} size={11} />}
        {count}
        {trouble !== undefined && <span className="sr-only">, {trouble}</span>}
      </span>
      {limit !== undefined && (
        <span className={styles['bar']} aria-hidden="true">
          <span className={styles['fill']} style={{ display: 'block', transform: `scaleX(${share})` }} />
        </span>
      )}
    </a>
  )
}
