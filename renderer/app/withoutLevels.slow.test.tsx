import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import { openStory, type Story } from '../../test/harness/story.ts'
import { WhyRejected } from '../screens/live/RequestPane.tsx'
import { setClient } from '../state/client.ts'
import { startState } from '../state/start.ts'
import { unavailableNow } from './actions.ts'
import { FilterScreen } from './FilterScreen.tsx'
import { SCREEN_ENTRIES } from './screens.tsx'
import { StatusBar } from './StatusBar.tsx'

let story: Story
let stop: () => void

beforeEach(async () => {
  story = await openStory({ spec: SimulationSpecSchema.parse({ kind: 'simulation', algorithm: 'max-in-flight' }) })
  setClient(story.client)
  stop = startState(story.client)
})

afterEach(() => {
  cleanup()
  stop()
  story.stop()
  setClient(undefined)
})

const NO_LEVELS = 'The max-in-flight filter has no priority levels.'

test('the status bar says nothing of limits, dumps and reallocations', async () => {
  render(<StatusBar />)
  await screen.findByText('read-only')
  expect(screen.getByRole('contentinfo').textContent).not.toMatch(/granted|reallocation|dumps/)
})

test.each(['overview', 'level', 'allocation', 'alerts', 'diagnosis', 'compare'])(
  '%s has no levels to speak of',
  async (name) => {
    const entry = SCREEN_ENTRIES.find((one) => one.name === name)
    if (entry === undefined) throw new Error(`There is no screen ${name}.`)
    render(<FilterScreen entry={entry} />)
    expect(await screen.findByText(NO_LEVELS)).toBeTruthy()
    expect(screen.queryByText(/No request waits|No rule is firing/)).toBeNull()
  },
)

test('the remedy of a rejection is one that the filter has', async () => {
  render(<WhyRejected reason="concurrency-limit" />)
  await vi.waitFor(() => expect(document.body.textContent).toContain('--max-requests-inflight'))
  expect(document.body.textContent).not.toMatch(/shares|catch-all|queues/)
})

test('actions about levels are not available, and the source names the filter', async () => {
  await vi.waitFor(() => expect(unavailableNow()).toMatchObject({ explain: NO_LEVELS, 'reading-notes': NO_LEVELS }))
  expect(story.connections()[0]?.source.via).toBe('simulated API server v1.37.2 with the max-in-flight filter, seed 1')
  await act(async () => story.advance(0))
})
