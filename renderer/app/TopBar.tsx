import { classes } from '../components/classes.ts'
import { Icon } from '../components/Icon.tsx'
import { useIsExample } from '../state/firstRun.ts'
import { openScreen } from '../state/route.ts'
import { useTimePart } from '../state/time.ts'
import { useViewPart } from '../state/view.ts'
import { openOverlay } from '../state/shell.ts'
import { run } from './commands.ts'
import { Mark } from './Mark.tsx'
import { ModeBadge, ModeLine } from './ModeBadge.tsx'
import { SourceSwitcher } from './SourceSwitcher.tsx'
import { TimeRange } from './TimeRange.tsx'
import { Transport } from './Transport.tsx'
import styles from './TopBar.module.css'

const MAC = /mac/i.test(navigator.platform)

/** What is shown, from when, and how current it is. */
export function TopBar() {
  const paused = useTimePart((time) => time.paused)
  const fixedRange = useTimePart(({ window }) => window.kind === 'absolute')
  const mode = useViewPart((view) => view.mode)
  const example = useIsExample()
  const still = mode === 'none' || mode === 'still' || mode === 'connecting'
  return (
    <header className={styles['top']} data-pane="" tabIndex={-1}>
      <div className={styles['row']}>
        <div className={styles['brand']}>
          <Mark />
          <span>APF Console</span>
        </div>
        <SourceSwitcher />
        {example && (
          <button
            type="button"
            className={classes(styles['control'], styles['fixed'], styles['connect'])}
            onClick={() => openScreen('connection')}
          >
            <Icon name="connection" size={13} />
            <span>Connect your cluster</span>
          </button>
        )}
        <div className={styles['spacer']} />
        {fixedRange && !still && (
          <button
            type="button"
            className={classes(styles['control'], styles['fixed'])}
            onClick={() => run({ kind: 'live' })}
          >
            Back to live
          </button>
        )}
        <TimeRange />
        <Transport />
        <ModeBadge />
        <button
          type="button"
          className={classes(styles['control'], styles['fixed'])}
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
          className={classes(styles['control'], styles['fixed'])}
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
