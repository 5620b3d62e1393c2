/**
 * Files of one worker share a page and the stores of the renderer: each begins with an empty page and with stores as
 * they were made, and each test leaves an empty page. The same patience for the queries and events of the page.
 *
 * The clock of a page goes on a hundred times slower than this machine's: a story stands while it is not advanced, and a
 * machine that draws for seconds would find its source stale.
 */
import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'
import type { StateCreator, StoreApi, UseBoundStore } from 'zustand'
import { loadParts } from '../../renderer/components/Opener.tsx'
import { PATIENCE_MS } from './patience.ts'

const stores = vi.hoisted(() => {
  const shared = globalThis as { resetsOfStores?: (() => void)[] }
  return (shared.resetsOfStores ??= [])
})

vi.mock('zustand', async (actual) => {
  const zustand = await actual<typeof import('zustand')>()
  const create = <T>(creator: StateCreator<T>): UseBoundStore<StoreApi<T>> => {
    const store = zustand.create<T>()(creator)
    stores.push(() => store.setState(store.getInitialState(), true))
    return store
  }
  return { ...zustand, create }
})
// What a test left unanswered asks again after it, when it has no client any more: a line of its own would be refused, and
// the page would go to the sign-in, under the test that runs by then.
vi.mock('../../renderer/state/bridge.webSocket.ts', () => ({ openWebSocket: () => new Promise(() => undefined) }))

for (const reset of stores) reset()

configure({ asyncUtilTimeout: PATIENCE_MS })

vi.useRealTimers()
vi.unstubAllGlobals()
localStorage.clear()
sessionStorage.clear()
location.hash = ''
document.head.replaceChildren()
document.body.replaceChildren()

let clock: ReturnType<typeof setInterval> | undefined
beforeEach(() => {
  vi.setSystemTime(Date.now())
  clock = setInterval(() => vi.setSystemTime(Date.now() + 1), 100)
})
afterEach(() => {
  clearInterval(clock)
  vi.useRealTimers()
  cleanup()
})

// Menus, popovers and tips are there, as they are a moment after the first screen.
await loadParts()
