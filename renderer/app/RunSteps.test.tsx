import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { Moment, RunStep, RunStepped } from '../../core/contract/recording.ts'
import type { RunSpec } from '../../core/contract/whatif.ts'
import { setClient } from '../state/client.ts'
import { connectionStore } from '../state/connection.ts'
import { pastStore } from '../state/past.ts'
import { instantOf, timeStore } from '../state/time.ts'
import { LastStep, RunSteps } from './RunSteps.tsx'

const of: RunSpec['of'] = { kind: 'scenario', name: 'S1', seed: 1, variant: 'now' }
const moment = (at: number): Moment => ({ at, derived: [], health: [] })

afterEach(cleanup)

test('steps from the instant that is shown, and says which event was the last', async () => {
  const call = vi.fn<(name: string, step: RunStep) => Promise<RunStepped>>(async (_, { at, back }) => ({
    moment: moment(at + (back ? -0.25 : 0)),
    events: 1_234,
    ...(!back && { event: 'dispatched after 12.000 ms' }),
  }))
  setClient({ call: call as never, subscribe: () => () => undefined, onLink: () => () => undefined })
  connectionStore.setState({
    connection: {
      id: 3,
      source: { kind: 'run', name: 'S1 now', via: 'scenario S1' },
      spec: { kind: 'run', of },
      still: true,
      cadence: { intervalMs: 1_000, dumpsEveryMs: 5_000 },
      servers: [],
    },
  })
  pastStore.setState({ of: 3, connection: 3, moment: moment(500.125) })
  timeStore.getState().zoom(0, 60_000)
  timeStore.getState().goTo(500.125)
  render(
    <>
      <RunSteps of={of} />
      <LastStep />
    </>,
  )
  expect(screen.queryByRole('status')).toBeNull()
  fireEvent.change(screen.getByLabelText('Step size'), { target: { value: 'decision' } })
  fireEvent.click(screen.getByText('Step'))
  // The event happened at the same instant, but the moment is another one.
  expect((await screen.findByRole('status')).textContent).toMatch(/^event 1.234: dispatched after 12\.000 ms$/)
  expect(call).toHaveBeenLastCalledWith('past.step', { connection: 3, at: 500.125, stride: 'decision', back: false })
  act(() => void fireEvent.click(screen.getByText('Step back')))
  await waitFor(() => expect(instantOf(timeStore.getState())).toBe(499.875))
  expect(pastStore.getState().moment?.at).toBe(499.875)
})
