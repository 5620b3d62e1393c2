import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStory, type Story } from '../../../test/harness/story.ts'
import { setClient } from '../../state/client.ts'
import { startState } from '../../state/start.ts'
import { DiagnosisScreen } from './index.tsx'

let story: Story
let stop: () => void

beforeEach(async () => {
  story = await openStory({ history: 20, servers: 1 })
  setClient(story.client)
  stop = startState(story.client)
  render(<DiagnosisScreen />)
})

afterEach(() => {
  cleanup()
  stop()
  story.stop()
  setClient(undefined)
  location.hash = ''
})

test('shows causes with evidence once there are enough samples, and leads to their level', async () => {
  const user = userEvent.setup()
  await waitFor(() => expect(screen.getByRole('heading', { level: 1 }).textContent).not.toBe('Diagnosis'))
  for (let second = 0; second < 85; second += 1) await act(async () => story.advance(1_000))
  await user.click(screen.getByRole('button', { name: 'Examine again' }))
  await waitFor(() =>
    expect(screen.getByRole('heading', { level: 1 }).textContent).toMatch(/workload-low.*Most likely: /),
  )
  const first = screen.getByRole('region', { name: /^1\. / })
  expect(within(first).getAllByText('For').length).toBeGreaterThan(0)
  expect(within(first).getByText('Refuted by')).toBeTruthy()
  // What is excluded is one folded line.
  const fold = screen.getByText('Server restarted').closest('details')
  expect(fold?.open).toBe(false)
  expect(fold?.firstElementChild?.textContent).toMatch(/^\d+ causes are excluded$/)
  expect(screen.queryByRole('region', { name: /^Excluded/ })).toBeNull()
  expect(screen.getByText(/^Not shown by the data/).closest('details')).toBe(fold)
  // A failed examination keeps the previous result.
  setClient({
    ...story.client,
    subscribe(_name, _params, _onEvent, onProblem) {
      onProblem?.({ code: 'internal', message: 'The disk is full.' })
      return () => undefined
    },
  })
  await user.click(screen.getByRole('button', { name: 'Examine again' }))
  await screen.findByText(/The disk is full/)
  expect(screen.getByRole('region', { name: /^1\. / }).textContent).toBe(first.textContent)
  await user.click(within(first).getByRole('button', { name: 'Open workload-low' }))
  expect(location.hash).toContain('level/workload-low')
})
