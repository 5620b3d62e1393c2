import { lazy, Suspense } from 'react'
import { useTheme } from '../app/useTheme.ts'
import { Patterns } from '../charts/plot.tsx'
import { ErrorBoundary } from '../components/States.tsx'
import { StatusBar } from '../app/StatusBar.tsx'
import { OverviewScreen } from '../screens/overview/index.tsx'
import { LevelScreen } from '../screens/level/index.tsx'
import { hrefOf, useRoute } from '../state/route.ts'
import styles from './Embedded.module.css'

const KeyHelp = lazy(async () => ({ default: (await import('../app/Help.tsx')).KeyHelp }))

const PAGES = [
  { name: 'overview', label: 'Overview', Screen: OverviewScreen },
  { name: 'level', label: 'Level', Screen: LevelScreen },
] as const

/** The two screens of the console inside a page of Headlamp, which owns the keys. */
export function Embedded() {
  useTheme()
  const { screen } = useRoute()
  const { name, label, Screen } = PAGES.find((page) => page.name === screen) ?? PAGES[0]
  return (
    <div className={styles['frame']}>
      <Patterns />
      <nav aria-label="Priority and Fairness" className="tabs pad-x line-below on-surface">
        {PAGES.map((page) => (
          <a key={page.name} href={hrefOf(page.name)} aria-current={page.name === name ? 'page' : undefined}>
            {page.label}
          </a>
        ))}
      </nav>
      {/* Headlamp’s page has a main landmark of its own. */}
      <section aria-label={label} tabIndex={-1} className="column shrink-y placed scroll focus-hidden">
        <ErrorBoundary key={name} title={label}>
          <Screen />
        </ErrorBoundary>
      </section>
      <StatusBar />
      <Suspense>
        <KeyHelp keys={false} />
      </Suspense>
    </div>
  )
}
