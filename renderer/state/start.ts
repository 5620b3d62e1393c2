import type { Client } from '../../core/contract/contract.ts'
import { NO_NOTES } from '../../core/contract/defaults.ts'
import { unixMsOf } from '../../core/units.ts'
import { connectionStore, followConnection, tellConnections } from './connection.ts'
import { notesStore } from './notes.ts'
import { startNotices } from './notices.ts'
import { NO_OBJECTS, objectsStore } from './objects.ts'
import { pastStore } from './past.ts'
import { selectionStore } from './selection.ts'
import { seriesFeed, type SeriesWish } from './series.ts'
import { loadSettings, rememberLevels, settingsNow, settingsStore } from './settings.ts'
import { simulationStore } from './simulation.ts'
import { anchorTime, instantOf, timeStore } from './time.ts'
import { windowToText } from './time.logic.ts'
import { chosen, NO_ARRIVALS, receive, release, type Arrival, type Arrivals } from './view.logic.ts'
import { viewOf, viewStore } from './view.ts'

/** The parts of the page that the state uses. */
export interface PageEnvironment {
  now(): number
  hidden(): boolean
  /** Calls back before the next paint, once. */
  beforePaint(callback: () => void): void
  onVisible(callback: () => void): () => void
  every(ms: number, callback: () => void): () => void
}

const browser: PageEnvironment = {
  now: () => Date.now(),
  hidden: () => document.hidden,
  beforePaint: (callback) => void requestAnimationFrame(callback),
  onVisible: (callback) => {
    document.addEventListener('visibilitychange', callback)
    return () => document.removeEventListener('visibilitychange', callback)
  },
  every: (ms, callback) => {
    const timer = setInterval(callback, ms)
    return () => clearInterval(timer)
  },
}

/**
 * Connects the stores to the other side. Frames are kept outside React; the stores change at most once a paint, and not
 * at all while the page is hidden. Returns the function that ends it.
 */
export function startState(client: Client, page: PageEnvironment = browser): () => void {
  let arrivals: Arrivals = NO_ARRIVALS
  let scheduled = false
  let ended = false
  let painted = 0
  let heardAt = 0
  const feed = seriesFeed(client)

  const paint = (): void => {
    scheduled = false
    if (ended || page.hidden()) return
    const now = page.now()
    painted = now
    if (arrivals.shown !== undefined) rememberLevels(levelNames(arrivals.shown))
    const view = viewOf(arrivals, heardAt, now)
    const { paused } = timeStore.getState()
    if (view.server !== undefined && !paused && view.mode !== 'past') {
      const clock = view.mode === 'stale' && view.frame?.source.kind !== 'simulation'
      anchorTime(clock ? now : unixMsOf(view.server.at))
    }
    viewStore.setState(view, true)
    // At a time without samples the series still show the selected server.
    const server = view.server ?? chosen(arrivals.shown?.frame.servers ?? [], selectionStore.getState().server)
    feed.show(wishOf(arrivals.shown, server?.id), now)
  }
  const schedule = (): void => {
    if (scheduled) return
    scheduled = true
    page.beforePaint(paint)
  }

  /** Shows one connection until the returned function is called. */
  const listen = (connection: number | undefined): (() => void) => {
    arrivals = NO_ARRIVALS
    objectsStore.setState({}, true)
    simulationStore.setState({}, true)
    notesStore.setState(NO_NOTES)
    schedule()
    if (connection === undefined) return () => undefined
    const of = { connection }
    const stops = [
      client.subscribe('frames', of, (event) => {
        arrivals = receive(arrivals, event, timeStore.getState().paused)
        if (arrivals.newest === event) {
          heardAt = page.now()
          feed.hear(event, selectionStore.getState().server)
        }
        schedule()
      }),
      client.subscribe('objects', of, (state) => objectsStore.setState({ state })),
      client.subscribe('notes', of, (state) => notesStore.setState(state)),
      client.subscribe('simulation', of, (state) => {
        simulationStore.setState({ state })
        schedule()
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  const stops = [
    startNotices(client),
    client.onLink((link) => connectionStore.setState({ link })),
    client.subscribe('connections', null, (connections) => {
      tellConnections(connections)
      if (connections.length === 0) objectsStore.setState({ state: NO_OBJECTS })
      schedule()
    }),
    followConnection(listen),
    startLater(client, DRAFT),
    // Before the late parts, so that data of a part that ends is not painted again. Painted at once: components that
    // read both stores render an instant once.
    pastStore.subscribe(paint),
    startLater(client, PAST),
    startLater(client, RUNS),
    startLater(client, ALERT_NOTICES),
    timeStore.subscribe(({ paused, window }, old) => {
      if (old.paused && !paused) arrivals = release(arrivals)
      if (old.paused !== paused || old.window !== window) schedule()
    }),
    selectionStore.subscribe(schedule),
    page.onVisible(schedule),
    page.every(1_000, () => {
      if (page.now() - painted >= 900) schedule()
    }),
  ]
  void loadSettings()
    .then(() => {
      if (ended) return
      const { window, past, setRange } = timeStore.getState()
      const { rangeSeconds } = settingsNow()
      // The range of an address takes precedence over the last used one.
      const asked = past.length > 0
      if (!asked && window.kind === 'relative' && rangeSeconds !== window.seconds) setRange(rangeSeconds)
      return schedule()
    })
    // Without the stored settings the page uses the defaults.
    .catch(() => undefined)
  return () => {
    ended = true
    for (const stop of stops) stop()
    feed.show(undefined, page.now())
  }
}

/** A part of the state whose code loads after the first screen. */
interface LatePart {
  readonly isWanted: () => boolean
  /** Calls back whenever it may have become needed. */
  readonly wake: (listener: () => void) => () => void
  readonly load: () => Promise<(client: Client) => () => void>
}

/** Starts it once it is needed. */
function startLater(client: Client, { isWanted, wake, load }: LatePart): () => void {
  let state: 'waiting' | 'coming' | 'ended' = 'waiting'
  let stop: (() => void) | undefined
  const come = async (): Promise<void> => {
    if (state !== 'waiting' || !isWanted()) return
    state = 'coming'
    try {
      const start = await load()
      if (state === 'coming') stop = start(client)
    } catch {
      // The side that serves the page may be unavailable for a moment: the next wake loads it again.
      if (state === 'coming') state = 'waiting'
    }
  }
  const forget = wake(() => void come())
  void come()
  return () => {
    state = 'ended'
    forget()
    stop?.()
  }
}

/** The draft parses YAML: it loads with the first objects that can be its base. */
const DRAFT: LatePart = {
  isWanted: () => objectsStore.getState().state !== undefined,
  wake: (listener) => objectsStore.subscribe(listener),
  load: async () => (await import('./draft.ts')).startDraft,
}

/** Most pages never show the past: its code loads with the first instant of it. */
const PAST: LatePart = {
  isWanted: () => instantOf(timeStore.getState()) !== undefined,
  wake: (listener) => timeStore.subscribe(listener),
  load: async () => (await import('./pastReader.ts')).startPast,
}

/** Runs and recordings are shown at an instant from the beginning, files in the range of their pages. */
const RUNS: LatePart = {
  isWanted: () => connectionStore.getState().connection?.still === true,
  wake: (listener) => connectionStore.subscribe(listener),
  load: async () => (await import('./runs.ts')).startRuns,
}

/** Only subscribes to the alerts of every source when notifications are enabled. */
const ALERT_NOTICES: LatePart = {
  isWanted: () => settingsNow().alertNotices !== 'off',
  wake: (listener) => settingsStore.subscribe(listener),
  load: async () => {
    const { notification, startAlertNotices } = await import('./alertNotices.ts')
    return (client) => startAlertNotices(client, notification, Date.now)
  },
}

const levelNames = (event: Arrival): string[] => [
  ...new Set(event.frame.servers.flatMap(({ levels }) => levels.map(({ name }) => name))),
]

function wishOf(shown: Arrival | undefined, server: string | undefined): SeriesWish | undefined {
  const { connection } = connectionStore.getState()
  const { connection: past, moment } = pastStore.getState()
  if (shown === undefined || server === undefined || connection === undefined) return undefined
  const { window, from, to, paused } = timeStore.getState()
  const recorded = moment === undefined || past === connection.id ? undefined : past
  return {
    key: `${shown.connection} ${recorded ?? ''} ${server} ${windowToText(window)}`,
    connection: shown.connection,
    past: recorded,
    server,
    from,
    to,
    follow: !paused && window.kind === 'relative',
  }
}
