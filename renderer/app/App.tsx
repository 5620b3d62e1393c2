import { lazy, Suspense, useEffect, type MouseEvent, useRef, useState } from 'react'
import { unixMsOf } from '../../core/units.ts'
import type { Consent } from '../../core/contract/source.ts'
import { client } from '../state/client.ts'
import { useConnected } from '../state/connection.ts'
import { classes } from '../components/classes.ts'
import { ErrorBoundary, Note, ProblemNote } from '../components/States.tsx'
import { useShownNotes } from '../state/firstRun.ts'
import { useRoute, hrefOfPage } from '../state/route.ts'
import type { ScreenName } from '../../core/contract/screens.ts'
import { useSettings } from '../state/settings.ts'
import { Patterns } from '../charts/plot.tsx'
import { say, shellStore, silence } from '../state/shell.ts'
import { instantOf, useTimePart } from '../state/time.ts'
import { useHasLevels, useViewPart } from '../state/view.ts'
import { useNow } from '../components/hooks.ts'
import { Button } from '../components/Button.tsx'
import { loadParts } from '../components/Opener.tsx'
import { useNotices } from '../state/notices.ts'
import { SCREEN_ENTRIES, type ScreenEntry } from './screens.tsx'
import { Sidebar } from './Sidebar.tsx'
import { StatusBar } from './StatusBar.tsx'
import { TopBar } from './TopBar.tsx'
import { useKeys, useMenu } from './commands.ts'
import { useTheme } from './useTheme.ts'
import states from '../components/States.module.css'
import styles from './App.module.css'
import { rosterRows } from './shell.data.ts'

/**
 * Requested at once and rendered when loaded, so that the first screen does not wait for it. Anything opened earlier
 * appears then.
 */
const Overlays = lazy(async () => {
  // A menu that is opened before they are loaded requests them again.
  loadParts().catch(() => undefined)
  return { default: (await import('./Overlays.tsx')).Overlays }
})

/** Shown until its notes are dismissed, once on each machine. */
const FirstRun = lazy(async () => ({ default: (await import('./FirstRun.tsx')).FirstRun }))
/** The task in which those end, until it is done. */
const FirstTask = lazy(async () => ({ default: (await import('./FirstRun.tsx')).FirstTask }))
const FilterScreen = lazy(async () => ({ default: (await import('./FilterScreen.tsx')).FilterScreen }))

/** Its code is that of the draft. */
const RevertNotes = lazy(async () => ({ default: (await import('../components/RevertNotes.tsx')).RevertNotes }))

/** Usually the present is shown, which needs no time bar. */
const TimeBar = lazy(async () => ({ default: (await import('./TimeBar.tsx')).TimeBar }))

/** The frame of every screen. */
export function App() {
  useTheme()
  useKeys()
  useMenu()
  const { screen, rangeProblem } = useRoute()
  useEffect(() => {
    if (rangeProblem !== undefined) say(`The range of this address cannot be shown. ${rangeProblem}`)
  }, [rangeProblem])
  const [{ sidebar, task }] = useSettings()
  const noted = useShownNotes().length > 0
  const connected = useConnected() !== undefined
  const sources = useShownSources()
  const past = useTimePart((time) => instantOf(time) !== undefined)
  const hasLevels = useHasLevels()
  const entry = SCREEN_ENTRIES.find(({ name }) => name === screen)
  return (
    <div className={classes(styles['app'], sidebar === 'rail' && styles['rail'], noted && styles['noted'])}>
      <a href="#main" className={styles['skip']} onClick={skip}>
        Skip to the content
      </a>
      <Patterns />
      <TopBar />
      <Sidebar />
      <main id="main" tabIndex={-1} data-pane="" className="column shrink-x shrink-y placed scroll focus-hidden">
        <Suspense>{past && connected && <TimeBar />}</Suspense>
        <ConsentNote />
        <Notices />
        <Suspense>
          <RevertNotes />
          {task !== 'none' && <FirstTask />}
        </Suspense>
        {entry !== undefined && (
          <>
            <div className={styles['pages']}>
              <PageTabs name={entry.name} label={entry.label} pages={entry.pages} />
            </div>
            {/* Nothing of one source is shown for another; the form that connects sources stays. */}
            <ErrorBoundary
              key={OF_NO_SOURCE.has(entry.name) ? entry.name : `${entry.name} ${sources}`}
              title={entry.label}
            >
              {/* A page has its heading while its code loads. */}
              <Suspense fallback={<h1 className="sr-only">{entry.label}</h1>}>
                {hasLevels ? <entry.Screen /> : <FilterScreen entry={entry} />}
              </Suspense>
            </ErrorBoundary>
          </>
        )}
      </main>
      {noted && (
        <Suspense>
          <FirstRun />
        </Suspense>
      )}
      <StatusBar />
      <Suspense>
        <Overlays />
      </Suspense>
      <Toast />
      <RejectionAnnouncer />
    </div>
  )
}

/**
 * Counts the sources that were shown before this one. The first source does not count: a screen that is already open
 * when it comes has shown nothing of another, and keeps what was typed.
 */
function useShownSources(): number {
  const id = useConnected()?.id
  const [shown, setShown] = useState({ id, before: 0 })
  if (shown.id === id) return shown.before
  const before = shown.before + (shown.id === undefined ? 0 : 1)
  setShown({ id, before })
  return before
}

/** Screens that show the same content for every source. */
const OF_NO_SOURCE: ReadonlySet<ScreenName> = new Set(['fleet', 'connection', 'recordings', 'settings'])

/** The address belongs to the screens: the skip link moves the focus and does not change the address. */
function skip(event: MouseEvent): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#main')?.focus()
}

const TOAST_MS = 6_000

/** The result of the last action, for six seconds. */
function Toast() {
  const toast = shellStore((state) => state.toast)
  useEffect(() => {
    if (toast === undefined) return undefined
    const timer = setTimeout(silence, TOAST_MS)
    return () => clearTimeout(timer)
  }, [toast])
  return <div role="status">{toast !== undefined && <p className={styles['toast']}>{toast}</p>}</div>
}

/** Announces to screen readers that a level rejects: the first time for each level of a server of a connection. */
export function RejectionAnnouncer() {
  const server = useViewPart((view) => view.server)
  const derivedServer = useViewPart((view) => view.derivedServer)
  const isPast = useViewPart((view) => view.mode === 'past')
  const connected = useConnected()
  const of = `${connected?.id ?? ''} ${server?.id ?? ''}`
  const about = useRef(of)
  const announced = useRef(new Set<string>())
  const [text, setText] = useState('')
  useEffect(() => {
    if (about.current !== of) {
      // An announcement about another cluster must not be read out as a fact about this one.
      about.current = of
      announced.current.clear()
      setText('')
    }
    // While the past is shown, nothing is announced as if it happened now.
    if (isPast) return
    for (const { name, trouble } of rosterRows(server, derivedServer, () => 0)) {
      if (trouble !== 'rejecting' || announced.current.has(name)) continue
      announced.current.add(name)
      setText(`${name} rejects requests.`)
    }
  }, [of, server, derivedServer, isPast])
  return (
    <div role="status" className="sr-only">
      {text}
    </div>
  )
}

/** What the operator has to confirm outside the page; `null` when there is nothing. */
function useWaitingConsent(): Consent['waiting'] {
  const [waiting, setWaiting] = useState<Consent['waiting']>(null)
  useEffect(() => client().subscribe('consent', null, (consent) => setWaiting(consent.waiting)), [])
  return waiting
}

const WHERE = { terminal: 'in the terminal where the console was started', window: 'in the message box' } as const

/**
 * What the operator has to confirm outside the page. Shown on every screen, because any of them may have triggered it.
 */
export function ConsentNote() {
  const waiting = useWaitingConsent()
  const now = useNow(waiting !== null)
  if (waiting === null) return null
  const seconds = Math.max(0, Math.ceil((unixMsOf(waiting.until) - now) / 1_000))
  return (
    <div className="pad-x pad-y-10" role="status">
      <Note kind="warn">
        <b>Confirm {WHERE[waiting.where]}.</b> A page of this console requests:{' '}
        <span className="mono">{waiting.what}</span>. <span aria-hidden="true">{seconds} s left.</span>
      </Note>
    </div>
  )
}

/** What the console cannot read or keep on its machine, above every screen until it is resolved or dismissed. */
export function Notices() {
  const notices = useNotices()
  const [dismissed, setDismissed] = useState<readonly string[]>([])
  const shown = notices.filter(({ message }) => !dismissed.includes(message))
  return (
    <div role="status" aria-label="Notices" className={states['notes']}>
      {shown.map((problem) => (
        <ProblemNote
          key={problem.message}
          problem={problem}
          action={
            <p>
              <Button small onClick={() => setDismissed([...dismissed, problem.message])}>
                Dismiss
              </Button>
            </p>
          }
        />
      ))}
    </div>
  )
}

/** The pages of a screen, where the sidebar is too narrow to list them. */
function PageTabs(props: Pick<ScreenEntry, 'name' | 'label'> & { readonly pages: ScreenEntry['pages'] }) {
  const { name, label, pages } = props
  const { page } = useRoute()
  if (pages === undefined) return null
  return (
    <nav aria-label={`Pages of ${label}`} className={styles['tabs']}>
      {pages.map((one) => (
        <a key={one.name} href={hrefOfPage(name, one.name)} aria-current={page === one.name ? 'page' : undefined}>
          {one.label}
        </a>
      ))}
    </nav>
  )
}
