import { create } from 'zustand'
import { pagesOf, type PageName, type ScreenName } from '../../core/contract/screens.ts'
import type { Connected } from '../../core/contract/source.ts'
import { shownLine } from '../../core/text/text.ts'
import { connectionStore, hasSeveral, showConnection } from './connection.ts'
import { formatHash, parseHash, type Route } from './route.logic.ts'
import { selectionStore } from './selection.ts'
import { say } from './shell.ts'
import { timeStore } from './time.ts'

/** The place of the page in the console; server and range are kept by their own stores. */
export type Place = Pick<Route, 'screen' | 'level' | 'page' | 'object' | 'rangeProblem'>

const routeStore = create<Place>(() => ({ screen: 'overview' }))

export const useRoute = (): Place => routeStore()
/** Calls back with each new place from now on. */
export const onPlace = (listener: (place: Place) => void): (() => void) => routeStore.subscribe(listener)
export const routeNow = (): Place => routeStore.getState()

/** The address of a screen with the present server and range, for links; `level` is for the Level screen. */
export const hrefOf = (screen: ScreenName, level?: string): string =>
  hrefOfPlace({ screen, ...(level === undefined ? {} : { level }) })

/** The address of a page, and of its subject. */
export const hrefOfPage = (screen: ScreenName, page: PageName, object?: string): string =>
  hrefOfPlace({ screen, page, ...(object === undefined ? {} : { object }) })

/** The address of any place: a class of an etcd proxy. */
export function hrefOfPlace(place: Place): string {
  const { connections, connection } = connectionStore.getState()
  const { server } = selectionStore.getState()
  const { window, chosen } = timeStore.getState()
  const usual = window.kind === 'relative' && window.seconds === 600
  return formatHash({
    ...place,
    ...(connections.length > 1 && connection !== undefined ? { source: connection.source.name } : {}),
    ...(server === undefined ? {} : { server }),
    ...(usual ? {} : { range: window }),
    ...(chosen === undefined ? {} : { at: chosen }),
  })
}

let go = (hash: string): void => {
  location.hash = hash
  // The browser reports it only after what waits, keys included: two strokes for a second page would both find the first
  // screen, and what is typed right after a choice would go into the field of the former page.
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Replaces navigation, links included, for a page that may not navigate. */
export function goBy(replacement: (hash: string) => void): void {
  go = replacement
}

/** Goes to any place: a class of an etcd proxy. */
export function openPlace(place: Place): void {
  go(hrefOfPlace(place))
}

/** Goes to a screen; `level` is the level that the Level screen is about. */
export function openScreen(screen: ScreenName, level?: string): void {
  go(hrefOf(screen, level))
}

/**
 * Makes a connection and opens the screen that shows it: `then`, or the first one of its kind. A user who opened another
 * screen meanwhile stays there. Rejects as `make` does.
 */
export async function openMade(make: () => Promise<Connected>, then?: ScreenName): Promise<Connected> {
  const { screen } = routeNow()
  const made = await make()
  if (routeNow().screen === screen) openScreen(then ?? (made.etcd === true ? 'etcd' : 'overview'))
  return made
}

export function openLevel(server: string, level: string): void {
  const { setServer, setLevel } = selectionStore.getState()
  setServer(server)
  setLevel(level)
  openScreen('level', level)
}

/** Goes to single requests with a filter: `resource:pods`. */
export function openLive(filter: string): void {
  openPlace({ screen: 'live', object: filter })
}

/** Goes to a level with a filter of its requests: `flow:inventory:crawler`, `queue:17`. */
export function openInLevel(level: string, filter: string): void {
  openPlace({ screen: 'level', level, object: filter })
}

/** The address that was last read or written. */
let current = ''

/** Writes the address of what is already shown. */
function writeAddress(hash: string): void {
  if (hash !== location.hash) history.replaceState(null, '', hash)
  current = location.hash
}

/** Clears the object when the user selects something else on the same screen. */
export function forgetObject(): void {
  const { object, ...place } = routeStore.getState()
  if (object === undefined) return
  routeStore.setState(place, true)
  writeAddress(hrefOfPlace(place))
}

export function openPage(screen: ScreenName, page: PageName, object?: string): void {
  go(hrefOfPage(screen, page, object))
}

/** Goes to a screen or, when it is already shown, to the next of its pages. */
export function openScreenOrNextPage(screen: ScreenName): void {
  const { screen: shown, page } = routeStore.getState()
  const pages = pagesOf(screen)
  const next = pages[(pages.findIndex((one) => one === page) + 1) % pages.length]
  if (shown === screen && next !== undefined) openPage(screen, next)
  else openScreen(screen)
}

/** The address of another level does not carry the filter of the previous one. */
function placeOn(place: Place, level: string | undefined): Place {
  if (place.screen !== 'level' || level === undefined || level === place.level) return place
  const { object: _, ...rest } = place
  return { ...(place.level === undefined ? place : rest), level }
}

/**
 * Where the page was opened without an address, several sources, or several clusters of one, are first shown side by
 * side.
 */
function openFleetOfSeveral(): () => void {
  const stop = connectionStore.subscribe(({ known, connections }) => {
    if (!known) return
    stop()
    if (hasSeveral(connections) && routeStore.getState().screen === 'overview') openScreen('fleet')
  })
  return stop
}

function showSource(name: string): void {
  const { connections, connection } = connectionStore.getState()
  if (connection?.source.name === name) return
  const named = connections.find(({ source }) => source.name === name)
  if (named === undefined) say(`This address is about ${shownLine(name)}, which is not connected.`)
  else showConnection(named.id)
}

/** Interval between two addresses while the instant moves. */
const WRITE_MS = 250

/** Keeps the address of the page, the route and the stores in step. Returns the function that ends it. */
export function startRoutes(): () => void {
  /** The source in an address that was read before the connections were known. */
  let asked: string | undefined
  const read = (): void => {
    current = location.hash
    const { source, server, range, at, ...place } = parseHash(location.hash)
    if (connectionStore.getState().known && source !== undefined) showSource(source)
    else asked = source
    const { level } = place
    routeStore.setState(place, true)
    if (level !== undefined) selectionStore.getState().setLevel(level)
    if (server !== undefined) selectionStore.getState().setServer(server)
    if (range !== undefined) timeStore.getState().show(range)
    // An address has milliseconds; an instant of a run is finer.
    const { chosen, goTo } = timeStore.getState()
    if (at !== undefined && (chosen === undefined || at !== Math.trunc(chosen))) goTo(at)
  }
  const write = (): void => {
    // A new address in the browser is about to be read.
    if (asked !== undefined || location.hash !== current) return
    const place = routeStore.getState()
    const level = selectionStore.getState().level ?? place.level
    const shown = placeOn(place, level)
    routeStore.setState(shown, true)
    writeAddress(hrefOfPlace(shown))
  }
  // An address written at each step of a pointer would exceed the limit of browsers.
  let written: ReturnType<typeof setTimeout> | undefined
  const later = (): void => {
    written ??= setTimeout(() => {
      written = undefined
      write()
    }, WRITE_MS)
  }
  /** An address that the page wrote itself contains nothing new. */
  const follow = (): void => {
    if (location.hash !== current) read()
  }
  const unaddressed = location.hash === ''
  read()
  addEventListener('hashchange', follow)
  const stops = [
    unaddressed ? openFleetOfSeveral() : () => undefined,
    connectionStore.subscribe(({ known, connections, connection }, old) => {
      if (known && asked !== undefined) {
        const source = asked
        asked = undefined
        showSource(source)
      } else if (connection?.id !== old.connection?.id || connections.length !== old.connections.length) later()
    }),
    selectionStore.subscribe(write),
    timeStore.subscribe(({ window, chosen }, old) => {
      if (window !== old.window) write()
      else if (chosen !== old.chosen) later()
    }),
  ]
  return () => {
    removeEventListener('hashchange', follow)
    clearTimeout(written)
    for (const stop of stops) stop()
  }
}
