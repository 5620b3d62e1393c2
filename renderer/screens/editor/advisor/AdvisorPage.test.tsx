import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Suggestion } from '../../../../core/contract/advice.ts'
import { openStory, type Story } from '../../../../test/harness/story.ts'
import { setClient } from '../../../state/client.ts'
import { startState } from '../../../state/start.ts'
import { AdvisorPage } from './AdvisorPage.tsx'
import { EvidencePane } from './Suggestion.tsx'

let story: Story
let stop: () => void

beforeEach(async () => {
  story = await openStory({ history: 20, servers: 1 })
  setClient(story.client)
  stop = startState(story.client)
  render(<AdvisorPage />)
})

afterEach(() => {
  cleanup()
  stop()
  story.stop()
  setClient(undefined)
  location.hash = ''
})

const SUGGESTION: Suggestion = {
  kind: 'schema',
  verdict: 'precaution',
  title: 'Delete probes',
  text: 'Nothing matches it.',
  server: 'a',
  from: 0,
  to: 0,
  evidence: [],
  unknown: [],
  changes: [{ kind: 'FlowSchema', name: 'probes', text: null }],
  impact: [],
}

test('says first that samples are too few, then what to change, and opens it as a draft', async () => {
  const user = userEvent.setup()
  await screen.findByText(/Samples cover .* at least 5 min\./)
  for (let second = 0; second < 330; second += 1) await act(async () => story.advance(1_000))
  await user.click(screen.getByRole('button', { name: 'Examine again' }))
  await waitFor(() =>
    expect(screen.getByRole('heading', { level: 1 }).textContent).toMatch(/^workload-low is full and rejecting\./),
  )
  expect(screen.getByRole('heading', { level: 1 }).closest('header')?.textContent ?? '').toContain(
    'Most likely: one flow floods.',
  )
  expect(document.body.textContent).not.toMatch(/do not identify/)
  const list = screen.getByRole('region', { name: 'Suggestions' })
  const [first] = within(list).getAllByRole('button')
  expect(first?.getAttribute('aria-pressed')).toBe('true')
  // A flood says nothing about how many seats the server should have.
  expect(within(list).queryByText(/^Give each server/)).toBeNull()
  expect(screen.getByRole('region', { name: 'Evidence for 1' }).textContent).toMatch(/series/)
  expect(within(screen.getByRole('table', { name: /^Seats that cover/ })).getByText('95 %')).toBeTruthy()
  // Scrape settings are copied, not drafted.
  await user.click(within(list).getByRole('button', { name: /from Prometheus/ }))
  expect(await screen.findByRole('button', { name: 'Copy settings' })).toBeTruthy()
  // Flags by the size of the cluster.
  await user.type(screen.getByRole('textbox', { name: 'Nodes' }), '5000')
  expect(await within(list).findByText(/^Set the flags for 5\s000 nodes/)).toBeTruthy()
  // No edit of a level that the verdict is about; another one opens as a draft.
  act(() => location.assign('#/editor/advisor'))
  render(<EvidencePane suggestion={SUGGESTION} number={7} />)
  await user.click(screen.getByRole('button', { name: 'Open 7 as draft' }))
  expect(location.hash).toContain('editor/draft?object=FlowSchema%2Fprobes')
})
