import type { EtcdClass } from '../../core/contract/etcd.ts'
import { QDISC_NAMES } from '../../core/qos/configuration.ts'
import { classes } from '../components/classes.ts'
import { Icon } from '../components/Icon.tsx'
import { MiddleCut } from '../components/LevelChip.tsx'
import { extentOf, isSpent, shortLevel, byTightness } from '../screens/etcd/levels.ts'
import { hrefOfPlace, useRoute } from '../state/route.ts'
import { usePastPart } from '../state/past.ts'
import { useEtcdState } from '../state/sourceState.ts'
import { format } from '../theme/format.ts'
import styles from './Sidebar.module.css'

// What the shell shows for an etcd in place of priority levels and samples.

/** The roster of the sidebar, or the status bar that shows whether the source responds: one chunk to load. */
export const EtcdPart = ({ good }: { readonly good?: boolean }) =>
  good === undefined ? <EtcdRoster /> : <EtcdStatus good={good} />

/** The classes of an etcd proxy, each with the group that is closest to its limit. */
function EtcdRoster() {
  const state = useEtcdState()
  const { screen, object } = useRoute()
  const instant = usePastPart(({ moment }) => moment?.at)
  if (state === undefined || state.classes.length === 0)
    return (
      <p className={styles['none']}>{state === undefined ? 'Classes appear here.' : 'There are no classes yet.'}</p>
    )
  return (
    <>
      <h2 className={styles['heading']}>
        {instant === undefined ? 'Classes' : `At ${format.time(instant)}`} <span>level now</span>
      </h2>
      <ul className={`${styles['roster']} ${styles['unmarked']} grow shrink-y scroll-y`}>
        {state.classes.map((one) => (
          <li key={one.name}>
            <ClassItem of={one} current={screen === 'etcd' && object === one.name} />
          </li>
        ))}
      </ul>
    </>
  )
}

function ClassItem({ of, current }: { readonly of: EtcdClass; readonly current: boolean }) {
  const group = byTightness(of)[0]
  if (group === undefined) return null
  const { level, text } = group
  const { value, of: most } = extentOf(level)
  const whose = group.group === '' ? '' : `${group.group}: `
  return (
    <a
      href={hrefOfPlace({ screen: 'etcd', object: of.name })}
      aria-current={current ? 'page' : undefined}
      title={`${of.name}, ${QDISC_NAMES[level.qdisc]}, ${of.summary}. ${whose}${text}${of.waiting > 0 ? `, ${format.counted(of.waiting, 'request')} waiting` : ''}.`}
      style={{ '--level': 'var(--text-2)' }}
    >
      <span className={styles['name']}>
        <MiddleCut text={of.name} />
      </span>
      <span
        className={classes(
          `${styles['count']} inline-row gap-3 nowrap figures muted`,
          (isSpent(level) || of.waiting > 0) && 'queued',
        )}
      >
        {shortLevel(level)}
      </span>
      <span className={styles['bar']} aria-hidden="true">
        <span
          className={styles['fill']}
          style={{ display: 'block', transform: `scaleX(${Math.max(0, Math.min(1, value / most))})` }}
        />
      </span>
    </a>
  )
}

/** The condition of an etcd proxy, and what can be changed from here. */
function EtcdStatus({ good }: { readonly good: boolean }) {
  const state = useEtcdState()
  const version = state?.storage?.version
  return (
    <footer className={styles['barBar']}>
      <span className="middle gap-6 rigid inline-flex">
        <span className={good ? 'good' : 'warn'}>
          <Icon name={good ? 'check' : 'warn'} size={12} />
        </span>
        <span className="sr-only">{good ? 'source responds' : 'source fails'}</span>
        <b>etcd proxy</b>
        {state?.since !== undefined && <> up {format.span((state.at - state.since) / 1_000)}</>}
      </span>
      {version !== undefined && (
        <span className="middle gap-6 rigid inline-flex">
          etcd <b>{version}</b>
        </span>
      )}
      {state?.decideMs !== undefined && (
        <span
          className={classes('middle gap-6 rigid inline-flex', styles['wide'])}
          title="Time to read and decide a request, median of the last 1,000"
        >
          decides in <b>{format.fixed(state.decideMs * 1_000)} µs</b>
        </span>
      )}
      {state !== undefined && (
        <span className="middle gap-6 rigid inline-flex">
          {state.revision === null ? (
            'rules from files'
          ) : (
            <>
              rules revision <b>{format.fixed(state.revision)}</b>
            </>
          )}
        </span>
      )}
      <span className={classes('push', styles['wide'])}>Separate from Priority and Fairness of the API server</span>
      {state !== undefined && (
        <span className={classes('middle gap-6 rigid inline-flex', state.editable && 'warn')}>
          <Icon name={state.editable ? 'editor' : 'lock'} size={12} />
          {state.editable ? 'editing on' : 'read-only'}
        </span>
      )}
    </footer>
  )
}
