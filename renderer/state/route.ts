import { create } from 'zustand'
import { formatHash, parseHash, type Route, type ScreenName } from './route.logic.ts'
import { selectionStore } from './selection.ts'
import { timeStore } from './time.ts'

const routeStore = create<Pick<Route, 'screen' | 'level'>>(() => ({ screen: 'overview' }))

export const useRoute = (): Pick<Route, 'screen' | 'level'> => routeStore()
export const routeNow = (): Pick<Route, 'screen' | 'level'> => routeStore.getState()

/** The address of a screen with the present server and range, for links. */
export function hrefOf(screen: ScreenName, level?: string): string {
  const { server } = selectionStore.getState()
  const { window } = timeStore.getState()
  const usual = window.kind === 'relative' && window.seconds === 600
  return formatHash({
    screen,
    ...(level === undefined ? {} : { level }),
    ...(server === undefined ? {} : { server }),
    ...(usual ? {} : { range: window }),
  })
}

/** Goes to a screen; `level` is the level that the Level screen is about. */
export function openScreen(screen: ScreenName, level?: string): void {
  location.hash = hrefOf(screen, level)
}

/** Keeps the address of the page, the route and the stores in step. Returns the function that ends it. */
export function startRoutes(): () => void {
  const read = (): void => {
    const { screen, level, server, range } = parseHash(location.hash)
    routeStore.setState(level === undefined ? { screen } : { screen, level }, true)
    if (level !== undefined) selectionStore.getState().setLevel(level)
    if (server !== undefined) selectionStore.getState().setServer(server)
    if (range !== undefined) timeStore.getState().show(range)
  }
  const write = (): void => {
    const { screen, level } = routeStore.getState()
    const { level: selected } = selectionStore.getState()
    const shown = screen === 'level' ? (selected ?? level) : undefined
    routeStore.setState(shown === undefined ? { screen } : { screen, level: shown }, true)
    const hash = hrefOf(screen, shown)
    if (hash !== location.hash) history.replaceState(null, '', hash)
  }
  read()
  addEventListener('hashchange', read)
  const stops = [
    selectionStore.subscribe(write),
    timeStore.subscribe(({ window }, old) => {
      if (window !== old.window) write()
    }),
  ]
  return () => {
    removeEventListener('hashchange', read)
    for (const stop of stops) stop()
  }
}
