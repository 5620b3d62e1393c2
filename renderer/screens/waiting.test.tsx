import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ComponentType } from 'react'
import { afterEach, expect, test } from 'vitest'
import type { Client, StreamName } from '../../core/contract/contract.ts'
import { openStory, type Story } from '../../test/harness/story.ts'
import { setClient } from '../state/client.ts'
import { tellConnections } from '../state/connection.ts'
import { pastStore } from '../state/past.ts'
import { startState } from '../state/start.ts'
import { instantOf, timeStore } from '../state/time.ts'
import { viewStore } from '../state/view.ts'
import { AlertsScreen } from './alerts/index.tsx'
import { CompareScreen } from './compare/index.tsx'
import { DiagnosisScreen } from './diagnosis/index.tsx'
import { AdvisorPage } from './editor/advisor/AdvisorPage.tsx'

let story: Story
let stop: () => void

afterEach(() => {
  cleanup()
  stop()
  story.stop()
  timeStore.getState().live()
  pastStore.setState({}, true)
  setClient(undefined)
})

/** Runs of these names answer nothing but that 40 % is done. */
function unfinished(client: Client, name: StreamName) {
  const open: unknown[] = []
  const line: Client = {
    ...client,
    call: (of, input) => (of === 'past.open' ? Promise.resolve(1 as never) : client.call(of, input)),
    subscribe(of, params, onEvent, onProblem) {
      if (of !== name) return client.subscribe(of, params, onEvent, onProblem)
      open.push(params)
      onEvent({ kind: 'progress', part: 0.4 } as never)
      return () => void open.splice(open.indexOf(params), 1)
    },
  }
  return { line, open }
}

const SCREENS: readonly (readonly [StreamName, string, ComponentType])[] = [
  ['diagnosis', 'diagnosis', DiagnosisScreen],
  ['advice', 'advice', AdvisorPage],
  ['pastAlerts', 'evaluation of the rules', AlertsScreen],
  ['pastPeriod', 'comparison', CompareScreen],
]

test.each(SCREENS)('%s of the past tells what is read, and is cancelled and tried again', async (name, what, Shown) => {
  story = await openStory({ history: 30, servers: 1 })
  const { line, open } = unfinished(story.client, name)
  setClient(line)
  stop = startState(story.client)
  await waitFor(() => expect(viewStore.getState().server).toBeDefined())
  // What is connected stays in the stores; nothing reads the past by itself any more.
  stop()
  timeStore.getState().goTo(Date.UTC(2026, 10, 27))
  pastStore.setState({ connection: 1, moment: { at: instantOf(timeStore.getState()) ?? 0, derived: [], health: [] } })
  const user = userEvent.setup()
  render(<Shown />)
  const cancel = await screen.findByRole('button', { name: 'Cancel' }, { timeout: 5_000 })
  const share = name === 'pastPeriod' ? 20 : 40
  expect(screen.getByText(new RegExp(`^waiting for the ${what}, \\d+ s, ${share} % read$`))).toBeTruthy()
  expect(open).toHaveLength(1)
  await user.click(cancel)
  expect(open).toHaveLength(0)
  expect(screen.getByRole('heading', { name: `The ${what} was cancelled.` })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(open).toHaveLength(1))
  expect(screen.queryByText(/was cancelled/)).toBeNull()
  // Leaving the screen ends the run as well.
  act(() => cleanup())
  expect(open).toHaveLength(0)
})

test.each([
  ['Diagnosis', DiagnosisScreen],
  ['Advisor', AdvisorPage],
  ['Alerts', AlertsScreen],
  ['Compare', CompareScreen],
] as const)('%s before the first sample says that nothing was recorded, and leads to it', async (page, Shown) => {
  story = await openStory({ history: 30, servers: 1 })
  setClient(story.client)
  stop = startState(story.client)
  await waitFor(() => expect(viewStore.getState().server).toBeDefined())
  stop()
  const at = Date.UTC(2026, 10, 27)
  timeStore.getState().goTo(at)
  pastStore.setState({ connection: 1, moment: { at, derived: [], health: [], gap: { after: at + 60_000 } } })
  viewStore.setState({ server: undefined })
  render(<Shown />)
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe(page)
  expect(screen.getByRole('heading', { level: 2 }).textContent).toMatch(/^Nothing was recorded at /)
  expect(screen.queryByRole('button', { name: 'Examine again' })).toBeNull()
  await userEvent.setup().click(screen.getByRole('button', { name: 'First sample after' }))
  expect(instantOf(timeStore.getState())).toBe(at + 60_000)
})

test('an etcd in the past is not said to have recorded nothing', async () => {
  story = await openStory({ history: 30, servers: 1 })
  setClient(story.client)
  stop = startState(story.client)
  await waitFor(() => expect(viewStore.getState().server).toBeDefined())
  stop()
  tellConnections(story.connections().map((one) => ({ ...one, etcd: true })))
  pastStore.setState({ connection: 1, moment: { at: Date.UTC(2026, 10, 27), derived: [], health: [] } })
  viewStore.setState({ server: undefined })
  render(<DiagnosisScreen />)
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Diagnosis')
  expect(screen.getByRole('heading', { level: 2 }).textContent).toBe('The connected source is an etcd.')
})
