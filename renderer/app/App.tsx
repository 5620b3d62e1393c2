import { Suspense, useEffect, type MouseEvent } from 'react'
import { classes } from '../components/classes.ts'
import { ErrorBoundary } from '../components/ErrorBoundary.tsx'
import { useConnected } from '../state/connection.ts'
import { useShownNotes } from '../state/firstRun.ts'
import { useRoute } from '../state/route.ts'
import { useSettings } from '../state/settings.ts'
import { Patterns } from '../charts/plot.tsx'
import { say } from '../state/shell.ts'
import { RejectionAnnouncer, Toast } from './Announcer.tsx'
import { ConsentNote } from './ConsentNote.tsx'
import { DropTarget } from './DropTarget.tsx'
import { FirstRun } from './FirstRun.tsx'
import { KeyHelp } from './KeyHelp.tsx'
import { Notices } from './Notices.tsx'
import { PageTabs } from './PageTabs.tsx'
import { Palette } from './Palette.tsx'
import { SCREEN_ENTRIES } from './screens.tsx'
import { Sidebar } from './Sidebar.tsx'
import { StatusBar } from './StatusBar.tsx'
import { TopBar } from './TopBar.tsx'
import { useKeys } from './useKeys.ts'
import { useMenu } from './useMenu.ts'
import { useTheme } from './useTheme.ts'
import styles from './App.module.css'

/** The frame of every screen. */
export function App() {
  useTheme()
  useKeys()
  useMenu()
  const { screen, rangeProblem } = useRoute()
  useEffect(() => {
    if (rangeProblem !== undefined) say(`The range of this address cannot be shown. ${rangeProblem}`)
  }, [rangeProblem])
  const [{ sidebar }] = useSettings()
  const noted = useShownNotes().length > 0
  const connection = useConnected()?.id
  const entry = SCREEN_ENTRIES.find(({ name }) => name === screen)
  return (
    <div className={classes(styles['app'], sidebar === 'rail' && styles['rail'], noted && styles['noted'])}>
      <a href="#main" className={styles['skip']} onClick={skip}>
        Skip to the content
      </a>
      <Patterns />
      <TopBar />
      <Sidebar />
      <main id="main" tabIndex={-1} data-pane="" className={styles['main']}>
        <ConsentNote />
        <Notices />
        {entry !== undefined && (
          <>
            <div className={styles['pages']}>
              <PageTabs name={entry.name} label={entry.label} pages={entry.pages} />
            </div>
            {/* Nothing of one source is shown for another; the form that connects them stays. */}
            <ErrorBoundary
              key={entry.name === 'connection' ? entry.name : `${entry.name} ${connection}`}
              title={entry.label}
            >
              <Suspense>
                <entry.Screen />
              </Suspense>
            </ErrorBoundary>
          </>
        )}
      </main>
      {noted && <FirstRun />}
      <StatusBar />
      <Palette />
      <KeyHelp />
      <DropTarget />
      <Toast />
      <RejectionAnnouncer />
    </div>
  )
}

/** The address belongs to the screens: the skip link moves the focus and leaves it alone. */
function skip(event: MouseEvent): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#main')?.focus()
}
