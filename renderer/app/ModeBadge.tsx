import { classes } from '../components/classes.ts'
import { useConnection } from '../state/connection.ts'
import { useSimulationState } from '../state/simulation.ts'
import { useView } from '../state/view.ts'
import { announcementOf, badgeOf, type BadgeTone } from './modeBadge.data.ts'
import styles from './ModeBadge.module.css'

/** Says what the data on the screen is: live, held, old, or none. */
export function ModeBadge() {
  const view = useView()
  const { link, connection } = useConnection()
  const servers = connection?.servers ?? []
  const { tone, word, detail } = badgeOf(view, link, useSimulationState(), servers)
  return (
    <>
      <div className={classes(styles['badge'], styles[tone])} data-mode={view.mode}>
        <Shape tone={tone} />
        <span>{word}</span>
        {detail !== undefined && <small>{detail}</small>}
      </div>
      <div role="status" className="sr-only">
        {announcementOf(view.mode, link, servers)}
      </div>
    </>
  )
}

/** A line under the top bar in the colour of every mode but live. */
export function ModeLine() {
  const view = useView()
  const { link, connection } = useConnection()
  const servers = connection?.servers ?? []
  const { tone } = badgeOf(view, link, undefined, servers)
  return <div className={classes(styles['line'], styles[tone])} aria-hidden="true" />
}

function Shape({ tone }: { readonly tone: BadgeTone }) {
  if (tone === 'none' || tone === 'connecting') return null
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true" focusable="false">
      {tone === 'live' && <circle cx="5" cy="5" r="4" fill="currentColor" />}
      {tone === 'paused' && <path d="M3 1v8M7 1v8" stroke="currentColor" strokeWidth="2" />}
      {(tone === 'stale' || tone === 'offline') && (
        <circle cx="5" cy="5" r="3.5" fill="none" stroke="currentColor" strokeWidth="1.6" />
      )}
      {tone === 'replay' && <path d="M2.5 1l6 4-6 4z" fill="currentColor" />}
      {tone === 'simulated' && (
        <path d="M5 9.5V5.5M5 5.5 1.5 1M5 5.5 8.5 1" fill="none" stroke="currentColor" strokeWidth="1.8" />
      )}
      {tone === 'still' && <rect x="1.5" y="1.5" width="7" height="7" fill="currentColor" />}
    </svg>
  )
}
