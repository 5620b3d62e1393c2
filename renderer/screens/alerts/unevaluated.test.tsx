import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { openStory } from '../../../test/harness/story.ts'
import { setClient } from '../../state/client.ts'
import { startState } from '../../state/start.ts'
import { AlertsScreen } from './index.tsx'

vi.mock('./shownAlerts.ts', () => ({
  useShownAlerts: () => ({
    state: undefined,
    problem: { code: 'not-found', message: 'Nothing is recorded of the minutes before.' },
    isPast: true,
  }),
}))

afterEach(() => {
  cleanup()
  setClient(undefined)
})

test('an instant at which the rules cannot be evaluated is a page with a heading', async () => {
  const story = await openStory({ history: 1, servers: 1 })
  setClient(story.client)
  const stop = startState(story.client)
  render(<AlertsScreen />)
  expect(await screen.findByRole('heading', { name: 'The alert rules cannot be evaluated.' })).toBeTruthy()
  expect(screen.getByRole('heading', { level: 1, name: 'Alerts' })).toBeTruthy()
  stop()
  story.stop()
})
