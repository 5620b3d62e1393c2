import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { storyClient, type StoryClient, type StoryClientOptions } from '../../test/harness/memoryClient.ts'
import { setClient } from '../state/client.ts'
import { PAGES, SCREENS } from '../state/route.logic.ts'
import { startRoutes } from '../state/route.ts'
import { startState } from '../state/start.ts'
import { App } from './App.tsx'

const HASHES = SCREENS.flatMap((screen) =>
  screen === 'classify' || screen === 'editor' ? PAGES[screen].map((page) => `#/${screen}/${page}`) : [`#/${screen}`],
).concat('#/level/exempt', '#/level/no-such-level')

interface Situation {
  readonly name: string
  readonly options: StoryClientOptions
  readonly later?: (story: StoryClient) => void
}

const SITUATIONS: readonly Situation[] = [
  { name: 'no source', options: { connected: false, history: 0 } },
  { name: 'a source', options: { history: 30, servers: 1 } },
  { name: 'several servers', options: { history: 30, servers: 3 } },
  { name: 'a proxy', options: { history: 30, servers: 1, live: { mode: 'observe', perSecond: 50, before: 200 } } },
  { name: 'a proxy without requests', options: { servers: 1, live: { mode: 'enforce', perSecond: 0, before: 0 } } },
  { name: 'a silent server', options: { history: 30, servers: 1 }, later: (story) => story.setSilent(true) },
  {
    name: 'objects that cannot be read',
    options: { history: 30, servers: 1 },
    later: ({ objects }) =>
      objects.tell({
        state: 'unavailable',
        target: 'prod-eu-1',
        problem: { code: 'forbidden', message: 'The user may not list flowschemas.' },
        editing: { state: 'impossible', why: 'The user may not change them.' },
      }),
  },
]

let stops: (() => void)[] = []
afterEach(() => {
  cleanup()
  for (const stop of stops.splice(0)) stop()
  setClient(undefined)
})

const levels = (): number[] =>
  Array.from(document.querySelectorAll('main :is(h1, h2, h3, h4, h5, h6)'), ({ tagName }) => Number(tagName.slice(1)))

const isLoading = (): boolean =>
  Array.from(document.querySelectorAll('main [aria-busy]')).some((part) => part.closest('section') === null)

/** One first heading, and none that skips a level on the way down. */
const inOrder = (found: readonly number[]): boolean =>
  found.filter((level) => level === 1).length === 1 &&
  found.every((level, index) => level <= (found[index - 1] ?? 1) + 1)

for (const { name, options, later } of SITUATIONS) {
  it.each(HASHES)(`${name}: %s has one first heading, and none is skipped`, async (hash) => {
    location.hash = hash
    const story = storyClient({ manual: true, ...options })
    setClient(story.client)
    stops = [startRoutes(), startState(story.client), () => story.stop()]
    render(<App />)
    await vi.waitFor(() => expect(document.querySelector('main :is(h1, h2, p)')).not.toBeNull())
    later?.(story)
    // A pane may go on waiting for what this story never has; the page itself does not.
    await vi.waitFor(() => expect(isLoading()).toBe(false), 3_000)
    expect(levels()).toSatisfy(inOrder)
  })
}
