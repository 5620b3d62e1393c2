import { act, cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Connected } from '../../core/contract/source.ts'
import { proxySpec } from '../../test/fixtures/sources.ts'
import { openStory, type Story, type StoryOptions } from '../../test/harness/story.ts'
import { setClient } from '../state/client.ts'
import { tellConnections } from '../state/connection.ts'
import { startRoutes } from '../state/route.ts'
import { startState } from '../state/start.ts'
import { timeStore } from '../state/time.ts'
import { App } from './App.tsx'

/** The whole console on a synthetic story, as the user sees it. */
describe('the console', () => {
  let story: Story
  let stops: (() => void)[]

  beforeEach(async () => {
    location.hash = '#/connection'
    story = await openStory({ history: 30, servers: 2 })
    setClient(story.client)
    stops = [startRoutes(), startState(story.client)]
    render(<App />)
    await screen.findByText('workload-low')
  })
  afterEach(() => {
    cleanup()
    for (const stop of stops) stop()
    story.stop()
    setClient(undefined)
    timeStore.setState({ paused: false })
  })

  it('has its landmarks, one of each, and a way past them', async () => {
    // The header of a section is no landmark, but the query counts it as one.
    const landmarks = (role: string) =>
      screen.getAllByRole(role).filter((element) => element.parentElement?.closest('main, section, article') === null)
    for (const role of ['banner', 'navigation', 'main', 'contentinfo']) expect(landmarks(role)).toHaveLength(1)
    const user = userEvent.setup()
    await user.click(screen.getByRole('link', { name: 'Skip to the content' }))
    expect(document.activeElement).toBe(screen.getByRole('main'))
    expect(location.hash).toBe('#/connection')
  })

  it('lists every screen with a single source, the Fleet first', () => {
    const [first] = within(screen.getByRole('navigation')).getAllByRole('link')
    expect(first?.textContent).toMatch(/^Fleet/)
  })

  it('says the mode in the badge and, when it changes, in words', async () => {
    const user = userEvent.setup()
    const badge = () => document.querySelector('[data-mode]')?.getAttribute('data-mode')
    // The last sample may be old by now on a busy machine.
    const untilLive = () =>
      vi.waitFor(() => {
        act(() => story.advance(1_000))
        expect(badge()).toBe('live')
      })
    await untilLive()
    screen.getByRole('main').focus()
    await user.keyboard(' ')
    await vi.waitFor(() => expect(badge()).toBe('paused'))
    expect(screen.getAllByRole('status').some(({ textContent }) => textContent === 'Paused.')).toBe(true)
    act(() => story.advance(1_000))
    await screen.findByText('+1 sample buffered')
    await user.keyboard(' ')
    await untilLive()
  })

  it('reaches a level through the palette by keyboard alone', async () => {
    const user = userEvent.setup()
    screen.getByRole('main').focus()
    await user.keyboard('{Control>}k{/Control}')
    const dialog = await screen.findByRole('dialog', { name: 'Go to' })
    const input = within(dialog).getByRole('combobox')
    expect(document.activeElement).toBe(input)
    await user.type(input, '@low')
    expect(
      within(dialog)
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toHaveLength(1)
    await user.keyboard('{Enter}')
    await vi.waitFor(() => expect(location.hash).toBe('#/level/workload-low'))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('chooses a server from a list', async () => {
    const user = userEvent.setup()
    screen.getByRole('main').focus()
    await user.keyboard('{Control>}o{/Control}')
    const list = await screen.findByRole('listbox', { name: 'Source and server' })
    expect(within(list).getAllByRole('option')[0]?.getAttribute('aria-selected')).toBe('true')
    await user.keyboard('{ArrowDown}{Enter}')
    await vi.waitFor(() => expect(location.hash).toContain('server=apiserver-b'))
  })

  it('explains its keys and terms, and lets single keys be switched off', async () => {
    const user = userEvent.setup()
    screen.getByRole('main').focus()
    await user.keyboard('?')
    const dialog = await screen.findByRole('dialog', { name: 'Shortcuts and glossary' })
    await user.click(within(dialog).getByRole('checkbox'))
    await user.keyboard('{Escape}')
    screen.getByRole('main').focus()
    await user.keyboard('1')
    expect(location.hash).toContain('#/connection')
  })

  it('opens the entry of a term from the term, from the palette, and from related terms', async () => {
    const user = userEvent.setup()
    const status = await screen.findByRole('contentinfo')
    await user.click(await within(status).findByRole('button', { name: 'next reallocation' }))
    const dialog = await screen.findByRole('dialog', { name: 'Shortcuts and glossary' })
    const entry = () => within(dialog).getByRole('button', { expanded: true })
    expect(entry().textContent).toBe('reallocation')
    expect(document.activeElement).toBe(entry())
    await user.click(within(within(dialog).getByText('see also')).getByRole('button', { name: 'torn page' }))
    expect(entry().textContent).toBe('torn page')
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('dialog')).toBeNull()

    screen.getByRole('main').focus()
    await user.keyboard('{Control>}k{/Control}')
    await user.type(await screen.findByRole('combobox'), '?watermark{Enter}')
    const again = await screen.findByRole('dialog', { name: 'Shortcuts and glossary' })
    expect(within(again).getByRole('button', { expanded: true }).textContent).toBe('high watermark')
    await user.type(within(again).getByRole('searchbox', { name: 'Search the glossary' }), 'entropy')
    expect(within(again).queryByRole('button', { name: 'high watermark' })).toBeNull()
    await user.keyboard('{Escape}')
  })
})

it('keeps what was typed before the first source came, and shows nothing of it for another', async () => {
  location.hash = '#/whatif/scenarios'
  const scenario = {
    name: 'S19',
    title: 'Mixed server versions',
    teaches: '',
    seed: 1,
    seconds: 70,
    statisticsFrom: 20,
  }
  const nothing = {
    forecast: () => undefined,
    search: () => undefined,
    sweep: () => undefined,
    run: () => undefined,
    scenario: () => undefined,
  }
  const story = await openStory({
    spec: null,
    history: 0,
    whatIf: {
      scenarios: async () => [{ ...scenario, clients: [], variants: [], steppable: [] }],
      scenarioText: async () => '',
      ...nothing,
    },
  })
  setClient(story.client)
  const stop = startRoutes()
  render(<App />)
  const field = () => screen.findByLabelText<HTMLInputElement>('A: buckets of namespaces')
  const user = userEvent.setup()
  await user.type(await field(), '0')
  const connected: Omit<Connected, 'id'> = {
    source: { kind: 'demo', name: 'Demo', via: '' },
    spec: { kind: 'demo' },
    cadence: { intervalMs: 1_000, dumpsEveryMs: null },
    servers: [],
    still: false,
  }
  act(() => tellConnections([{ id: 1, ...connected }]))
  expect((await field()).value).toBe('30')
  act(() => tellConnections([{ id: 2, ...connected }]))
  await vi.waitFor(async () => expect((await field()).value).toBe('3'))
  cleanup()
  stop()
  story.stop()
  setClient(undefined)
  tellConnections([])
})

describe('the frame of every screen', () => {
  let story: Story
  let stops: (() => void)[] = []
  const begin = async (options: StoryOptions, hash = '#/connection'): Promise<void> => {
    location.hash = hash
    story = await openStory({ history: 30, servers: 1, ...options })
    setClient(story.client)
    stops = [startRoutes(), startState(story.client)]
    render(<App />)
  }
  afterEach(() => {
    cleanup()
    for (const stop of stops) stop()
    story.stop()
    setClient(undefined)
    timeStore.setState({ paused: false })
  })
  const line = () => document.querySelector('header + div [class*="enforcing"], [class*="line"][class*="enforcing"]')

  it('announces a reverted edit whichever screen is open', async () => {
    await begin({}, '#/overview')
    const { client, objects } = story
    const before = objects.now()
    await client.call('editing.switch', { connection: 1, on: true })
    const [object] = before.levels.filter(({ metadata }) => metadata.name === 'workload-low')
    const limited = { ...object?.spec.limited, nominalConcurrencyShares: 30 }
    const kind = 'PriorityLevelConfiguration'
    const edited = {
      ...object,
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind,
      spec: { ...object?.spec, limited },
    }
    const { uid = '', resourceVersion = '' } = object?.metadata ?? {}
    const change = { kind, name: 'workload-low', object: edited, base: { uid, resourceVersion } } as const
    const report = await client.call('objects.apply', { connection: 1, changes: [change], force: true })
    expect(report.verdicts).toMatchObject([{ outcome: 'accepted' }])
    act(() => objects.write(() => before))
    const notes = await screen.findByRole('status', { name: 'Reverted edits' }, { timeout: 5_000 })
    expect((await within(notes).findByText(/reverted workload-low/)).textContent).toContain('shares 30 → 100')
    expect(screen.getByRole('button', { name: 'Keep my edit' })).toBeTruthy()
  })

  it('says that a proxy limits requests, in amber, also while it is paused', async () => {
    await begin({ spec: proxySpec('enforce'), traffic: { before: 10, perSecond: 5 } })
    await screen.findByText('ENFORCING')
    expect(line()).not.toBeNull()
    act(() => timeStore.setState({ paused: true }))
    await screen.findByText(/^PAUSED/)
    expect(line()).not.toBeNull()
  })

  it('says in the rail how many rules fire, but of no silenced alert', async () => {
    story = await openStory({ history: 30, servers: 1 })
    let tell = (_alerts: readonly object[]): void => undefined
    const { client } = story
    const subscribe: typeof client.subscribe = (name, of, emit) => {
      if (name !== 'alerts') return client.subscribe(name, of, emit)
      tell = (alerts) => emit({ alerts } as never)
      return () => undefined
    }
    setClient({ ...client, subscribe })
    stops = [startRoutes(), startState(client)]
    render(<App />)
    const link = () => screen.getByRole('link', { name: /^Alerts/ }).textContent
    await screen.findByText('workload-low')
    act(() => tell([{ rule: 'R1', severity: 'critical' }]))
    expect(link()).toContain(', 1 fires')
    act(() => tell([{ rule: 'R1', severity: 'critical', silenced: true }]))
    expect(link()).not.toContain('fires')
  })

  it('leaves out the amber line of a proxy that observes', async () => {
    await begin({ spec: proxySpec('observe'), traffic: { before: 10, perSecond: 5 } })
    await vi.waitFor(() => {
      act(() => story.advance(1_000))
      expect(screen.getByText('LIVE')).toBeTruthy()
    })
    expect(line()).toBeNull()
  })
})
