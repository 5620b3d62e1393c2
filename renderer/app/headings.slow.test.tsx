import { lazy } from 'react'
import { act, cleanup, render } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { proxySpec } from '../../test/fixtures/sources.ts'
import { openStory, type Story, type StoryOptions } from '../../test/harness/story.ts'
import { setClient } from '../state/client.ts'
import { pagesOf, SCREENS } from '../../core/contract/screens.ts'
import { startRoutes } from '../state/route.ts'
import { startState } from '../state/start.ts'
import { App } from './App.tsx'
import { SCREEN_ENTRIES } from './screens.tsx'

const HASHES = SCREENS.flatMap((screen) => {
  const pages = pagesOf(screen)
  return pages.length === 0 ? [`#/${screen}`] : pages.map((page) => `#/${screen}/${page}`)
}).concat('#/level/exempt', '#/level/no-such-level')

interface Situation {
  readonly name: string
  readonly options: StoryOptions
  readonly later?: (story: Story) => void
}

const SITUATIONS: readonly Situation[] = [
  { name: 'no source', options: { spec: null, history: 0 } },
  { name: 'a source', options: { history: 30, servers: 1 } },
  { name: 'several servers', options: { history: 30, servers: 3 } },
  {
    name: 'a proxy',
    options: { history: 30, servers: 1, spec: proxySpec('observe'), traffic: { perSecond: 50, before: 200 } },
  },
  { name: 'a proxy without requests', options: { servers: 1, spec: proxySpec('enforce') } },
  { name: 'a silent server', options: { history: 30, servers: 1 }, later: (story) => story.setSilent(true) },
  {
    name: 'objects that cannot be read',
    options: { history: 30, servers: 1, objects: { impossible: 'The user may not change them.' } },
    later: ({ objects }) =>
      objects.tell({
        state: 'unavailable',
        problem: { code: 'forbidden', message: 'The user may not list flowschemas.' },
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

/** One first heading, and no level skipped on the way down. */
const inOrder = (found: readonly number[]): boolean =>
  found.filter((level) => level === 1).length === 1 &&
  found.every((level, index) => level <= (found[index - 1] ?? 1) + 1)

/** Of a page whose code has loaded; until then it has only a heading for screen readers. */
const DRAWN = 'main :is(h2, p, header h1)'

/** Opens the console at the first place; the one story and the one page serve all of them. */
async function open(options: StoryOptions, client: (story: Story) => Story['client']): Promise<Story> {
  location.hash = HASHES[0] ?? ''
  const story = await openStory(options)
  setClient(client(story))
  stops = [startRoutes(), startState(story.client), () => story.stop()]
  render(<App />)
  return story
}

async function goTo(hash: string): Promise<void> {
  if (location.hash === hash) return
  const gone = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }))
  await act(async () => {
    location.hash = hash
    await gone
  })
}

it.each(SITUATIONS)('$name: each place has one first heading, and none is skipped', async ({ options, later }) => {
  const story = await open(options, ({ client }) => client)
  await vi.waitFor(() => expect(document.querySelector('main :is(h1, h2, p)')).not.toBeNull())
  later?.(story)
  for (const hash of HASHES) {
    await goTo(hash)
    await vi.waitFor(() => expect(document.querySelector('main :is(h1, h2, p)'), hash).not.toBeNull())
    // A pane may keep waiting for data that this story never has; the page itself does not.
    await vi.waitFor(() => expect(isLoading(), hash).toBe(false), 3_000)
    expect(levels(), hash).toSatisfy(inOrder)
  }
})

it('each place has its heading while it waits for what it asked for', async () => {
  // Subscriptions continue; calls never return.
  await open({ history: 30, servers: 1 }, ({ client }) => ({
    ...client,
    call: () => new Promise<never>(() => undefined),
  }))
  for (const hash of HASHES) {
    await goTo(hash)
    await vi.waitFor(() => expect(document.querySelector(DRAWN), hash).not.toBeNull())
    expect(levels(), hash).toSatisfy(inOrder)
  }
})

it('each place has its heading where all it asks for is refused', async () => {
  await open({ history: 30, servers: 1 }, ({ client }) => ({
    ...client,
    call: () => Promise.reject(new Error('The disk is full.')),
  }))
  for (const hash of HASHES) {
    await goTo(hash)
    await vi.waitFor(() => expect(document.querySelector(DRAWN), hash).not.toBeNull())
    await vi.waitFor(() => expect(isLoading(), hash).toBe(false), 3_000)
    expect(levels(), hash).toSatisfy(inOrder)
  }
})

it('a page has its heading while its code loads', async () => {
  const live = SCREEN_ENTRIES.find(({ name }) => name === 'live')
  if (live === undefined) throw new Error('there is no page of live requests')
  const { Screen } = live
  Object.assign(live, { Screen: lazy(() => new Promise<never>(() => undefined)) })
  try {
    location.hash = '#/live'
    const story = await openStory({ spec: null })
    setClient(story.client)
    stops = [startRoutes(), startState(story.client), () => story.stop()]
    render(<App />)
    expect(levels()).toEqual([1])
    expect(document.querySelector('main h1')?.textContent).toBe('Live requests')
  } finally {
    Object.assign(live, { Screen })
  }
})
