import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { openStory } from '../../../test/harness/story.ts'
import { setClient } from '../../state/client.ts'
import { pastStore } from '../../state/past.ts'
import { startState } from '../../state/start.ts'
import { instantOf, timeStore } from '../../state/time.ts'
import { AlertsScreen } from './index.tsx'

afterEach(() => {
  cleanup()
  timeStore.getState().live()
  setClient(undefined)
})

test('an instant at which the rules cannot be evaluated is a page with a heading', async () => {
  const story = await openStory({ history: 30, servers: 1 })
  const { client } = story
  setClient({
    ...client,
    subscribe(name, params, onEvent, onProblem) {
      if (name !== 'pastAlerts') return client.subscribe(name, params, onEvent, onProblem)
      onProblem?.({ code: 'not-found', message: 'Nothing is recorded of the minutes before.' })
      return () => undefined
    },
  })
  const stop = startState(client)
  render(<AlertsScreen />)
  await screen.findByRole('grid', { name: 'Alert rules' })
  // What is connected stays in the stores; nothing reads the past by itself any more.
  stop()
  act(() => timeStore.getState().goTo(Date.UTC(2026, 10, 27)))
  const at = instantOf(timeStore.getState()) ?? 0
  act(() => pastStore.setState({ connection: 1, moment: { at, derived: [], health: [] } }))
  expect(await screen.findByRole('heading', { name: 'The alert rules cannot be evaluated.' })).toBeTruthy()
  expect(screen.getByRole('heading', { level: 1, name: 'Alerts' })).toBeTruthy()
  story.stop()
})
