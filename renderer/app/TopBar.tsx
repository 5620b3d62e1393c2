import { lazy, Suspense, useState } from 'react'
import type { SimulationControl, Stride } from '../../core/contract/simulation.ts'
import { classes } from '../components/classes.ts'
import { Icon } from '../components/Icon.tsx'
import { Popover } from '../components/Popover.tsx'
import { StrideSelect } from '../components/StrideSelect.tsx'
import { useIsExample } from '../state/firstRun.ts'
import { openScreen } from '../state/route.ts'
import { usePastPart } from '../state/past.ts'
import { useTimePart } from '../state/time.ts'
import { useViewPart, useView } from '../state/view.ts'
import { openOverlay, sayFailure, setOverlay, shellStore } from '../state/shell.ts'
import { useConnected, useConnection } from '../state/connection.ts'
import { useSimulationState, controlSimulation } from '../state/simulation.ts'
import { useEnforces } from '../state/sourceState.ts'
import { Tip } from '../components/Term.tsx'
import type { TimeWindow } from '../state/time.logic.ts'
import { format } from '../theme/format.ts'
import { run } from './commands.ts'
import { SourceSwitcher } from './SourceSwitcher.tsx'
import styles from './TopBar.module.css'
import { announcementOf, badgeOf, type BadgeTone, samplelessBadge } from './shell.data.ts'

const MAC = /mac/i.test(navigator.platform)

/** What is shown, from when, and how current it is. */
export function TopBar() {
  const paused = useTimePart((time) => time.paused)
  const fixedRange = useTimePart(({ window }) => window.kind === 'absolute')
  const mode = useViewPart((view) => view.mode)
  const example = useIsExample()
  // What is over has no live to go back to.
  const isOver = useConnected()?.still
  const still = mode === 'none' || mode === 'still' || mode === 'connecting'
  return (
    <header className="across shrink-x line-below placed on-surface" data-pane="" tabIndex={-1}>
      <div className={styles['row']}>
        <div className={styles['brand']}>
          <Mark />
          <span>APF Console</span>
        </div>
        <SourceSwitcher />
        {example && (
          <button
            type="button"
            className={classes(styles['control'], 'rigid', styles['connect'])}
            onClick={() => openScreen('connection')}
          >
            <Icon name="connection" size={13} />
            <span>Connect your cluster</span>
          </button>
        )}
        <div className="grow shrink-x" />
        {fixedRange && !isOver && !still && (
          <button type="button" className={classes(styles['control'], 'rigid')} onClick={() => run({ kind: 'live' })}>
            Back to live
          </button>
        )}
        <TimeRange />
        <Transport />
        <ModeBadge />
        <button
          type="button"
          className={classes(styles['control'], 'rigid')}
          aria-pressed={paused}
          aria-keyshortcuts="Space"
          disabled={still && !paused}
          onClick={() => run({ kind: 'pause' })}
        >
          <Icon name={paused ? 'play' : 'pause'} size={12} />
          {paused ? 'Resume' : 'Pause'}
        </button>
        <button
          type="button"
          className={classes(styles['control'], 'rigid')}
          aria-keyshortcuts={MAC ? 'Meta+K' : 'Control+K'}
          onClick={() => openOverlay('palette')}
        >
          <Icon name="search" size={13} />
          Go to <span className={classes(styles['kbd'], styles['optional'])}>{MAC ? '⌘ K' : 'Ctrl K'}</span>
        </button>
      </div>
      <div className={styles['mode']}>
        <ModeLine />
      </div>
    </header>
  )
}

/** The mark: a ledger of seats, with the post of a limit. */
function Mark() {
  return (
    <svg width="20" height="18" viewBox="0 0 20 18" fill="currentColor" aria-hidden="true" focusable="false">
      <rect x="0" y="2" width="12" height="3.5" />
      <rect x="0" y="7.3" width="15" height="3.5" />
      <rect x="0" y="12.6" width="8" height="3.5" opacity="0.55" />
      <rect x="16.5" y="1" width="2" height="16" />
    </svg>
  )
}

/** Shows the state of the data on the screen: live, held, old, or none. */
function ModeBadge() {
  const view = useView()
  const { link, connection } = useConnection()
  const servers = connection?.servers ?? []
  const instant = usePastPart(({ moment }) => moment?.at)
  const first = usePastPart(({ extent }) => extent?.first)
  const isRun = connection?.source.kind === 'run'
  const shownRun =
    isRun && instant !== undefined ? { name: connection.source.name, ms: instant - (first ?? 0) } : undefined
  const simulation = useSimulationState()
  const enforces = useEnforces()
  const sampleless = samplelessBadge(connection, link, view.mode, enforces)
  const { tone, word, detail } =
    sampleless ??
    badgeOf({ ...view, instant, run: shownRun, algorithm: connection?.algorithm, enforces }, link, simulation, servers)
  return (
    <>
      <div className={classes(styles['badge'], styles[tone])} data-mode={view.mode}>
        <Shape tone={tone} />
        <span>{word}</span>
        {detail !== undefined && <small>{detail}</small>}
      </div>
      <div role="status" className="sr-only">
        {sampleless === undefined
          ? announcementOf(view.mode, link, servers)
          : `${sampleless.word}, ${sampleless.detail ?? ''}`}
      </div>
    </>
  )
}

/** A line under the top bar in the colour of every mode but live; that of a proxy that limits requests lasts as long. */
function ModeLine() {
  const view = useView()
  const { link, connection } = useConnection()
  const servers = connection?.servers ?? []
  const shownRun = connection?.source.kind === 'run' ? { name: connection.source.name, ms: 0 } : undefined
  const enforces = useEnforces()
  const { tone } =
    samplelessBadge(connection, link, view.mode) ?? badgeOf({ ...view, run: shownRun }, link, undefined, servers)
  return <div className={classes(styles['line'], styles[enforces && link ? 'enforcing' : tone])} aria-hidden="true" />
}

function Shape({ tone }: { readonly tone: BadgeTone }) {
  if (tone === 'none' || tone === 'connecting') return null
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true" focusable="false">
      {(tone === 'live' || tone === 'enforcing') && <circle cx="5" cy="5" r="4" fill="currentColor" />}
      {tone === 'paused' && <path d="M3 1v8M7 1v8" stroke="currentColor" strokeWidth="2" />}
      {(tone === 'stale' || tone === 'offline' || tone === 'past') && (
        <circle cx="5" cy="5" r="4.2" fill="none" stroke="currentColor" strokeWidth="1.4" />
      )}
      {tone === 'replay' && <path d="M2.5 1l6 4-6 4z" fill="currentColor" />}
      {tone === 'simulated' && (
        <path d="M5 9.5V5.5M5 5.5 1.5 1M5 5.5 8.5 1" fill="none" stroke="currentColor" strokeWidth="1.8" />
      )}
      {tone === 'past' && <path d="M5 2.6V5l1.7 1.2" fill="none" stroke="currentColor" strokeWidth="1.2" />}
      {tone === 'still' && <rect x="1.5" y="1.5" width="7" height="7" fill="currentColor" />}
    </svg>
  )
}

/** The speeds on offer. */
export const SPEEDS: readonly number[] = [0.1, 0.5, 1, 2, 10, 100, 1_000]

const STOPPED = 'stopped'

/**
 * Speed, stop and single events of the simulation. Hidden while another source or the past is shown, because the
 * simulation runs in the present.
 */
function Transport() {
  const state = useSimulationState()
  const isPast = useViewPart(({ mode }) => mode === 'past')
  const [stride, setStride] = useState<Stride>('event')
  if (state === undefined || isPast) return null
  const { speed, paused, ended } = state
  const control = (change: SimulationControl): void => void controlSimulation(change).catch(sayFailure)
  const speeds = SPEEDS.includes(speed) ? SPEEDS : [...SPEEDS, speed].toSorted((a, b) => a - b)
  return (
    <div role="group" aria-label="Simulated server" className={styles['group']}>
      <Tip text="Simulation speed. Applies to everyone connected to this simulation; Pause only freezes your view.">
        <select
          className={styles['speed']}
          aria-label="Simulation speed"
          value={paused ? STOPPED : String(speed)}
          disabled={ended}
          onChange={({ target: { value } }) =>
            control(value === STOPPED ? { paused: true } : { speed: Number(value), paused: false })
          }
        >
          <option value={STOPPED}>stopped</option>
          {speeds.map((one) => (
            <option key={one} value={String(one)}>
              ×{one}
            </option>
          ))}
        </select>
      </Tip>
      <StrideSelect
        label="Step of the simulation"
        value={stride}
        disabled={ended}
        className={classes(styles['speed'], styles['stride'])}
        onChange={setStride}
      />
      <Tip text="Advances the simulation by one step and stops it there.">
        <button
          type="button"
          className={classes(styles['button'], styles['last'])}
          aria-label={`Advance the simulation by one ${stride}`}
          disabled={ended}
          onClick={() => control({ step: 1, stride })}
        >
          <Icon name="step" size={12} />
        </button>
      </Tip>
    </div>
  )
}

function label(window: TimeWindow): string {
  return window.kind === 'relative'
    ? `Last ${format.span(window.seconds)}`
    : `${format.time(window.from)} – ${format.time(window.to)}`
}

const RangeForm = lazy(async () => ({ default: (await import('./RangeForm.tsx')).RangeForm }))

/** The range that every chart shows: presets, two instants, and the range as text. */
function TimeRange() {
  const window = useTimePart((time) => time.window)
  const open = shellStore(({ overlay }) => overlay === 'range')
  return (
    <Popover
      open={open}
      onOpenChange={(next) => setOverlay('range', next)}
      label="Time range"
      align="end"
      className={styles['popover']}
      content={
        <Suspense>
          <RangeForm window={window} />
        </Suspense>
      }
    >
      <button type="button" className={classes(styles['control'], 'rigid')} aria-label={`Time range: ${label(window)}`}>
        {label(window)}
        <Icon name="chevron" size={12} />
      </button>
    </Popover>
  )
}
