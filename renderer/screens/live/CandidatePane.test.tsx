import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SIMULATION } from '../../../test/fixtures/sources.ts'
import { openStory, type Story } from '../../../test/harness/story.ts'
import type { Client, ProcedureInput } from '../../../core/contract/contract.ts'
import { ProblemError } from '../../../core/errors.ts'
import type { CandidateWish } from '../../../core/contract/live.ts'
import { setClient } from '../../state/client.ts'
import { changeDraft, draftStore, settleDraft } from '../../state/draft.ts'
import { useLive, useLiveState } from '../../state/live.ts'
import { startRoutes } from '../../state/route.ts'
import { startState } from '../../state/start.ts'
import { CandidatePane } from './CandidatePane.tsx'

const REJECTS = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: { name: workload-low }
spec:
  type: Limited
  limited: { nominalConcurrencyShares: 1, borrowingLimitPercent: 0, limitResponse: { type: Reject } }
`

function Shown() {
  useLive()
  const state = useLiveState()
  return state && <CandidatePane state={state} />
}

/** The pane on a simulation in memory, with drafts that remove flow schemas. */
describe('the draft beside', () => {
  const user = userEvent.setup()
  let story: Story
  let stops: (() => void)[]
  let wishes: CandidateWish[]
  let problem: ProblemError | undefined

  beforeEach(async () => {
    location.hash = '#/live'
    wishes = []
    problem = undefined
    story = await openStory({ history: 5, spec: SIMULATION })
    const call: Client['call'] = (name, params) => {
      if (name === 'live.candidate') {
        wishes.push((params as ProcedureInput<'live.candidate'>).wish)
        if (problem !== undefined) return Promise.reject(problem)
      }
      return story.client.call(name, params)
    }
    const client = { ...story.client, call }
    setClient(client)
    stops = [startRoutes(), startState(client)]
    render(<Shown />)
    await screen.findByRole('region', { name: 'Draft beside' })
    await waitFor(() => {
      if (draftStore.getState().targetKey === undefined) throw new Error('the draft was not read')
    })
  })
  afterEach(() => {
    settleDraft(() => [])
    cleanup()
    for (const stop of stops) stop()
    story.stop()
    setClient(undefined)
  })

  const without = (name: string): void =>
    act(() => changeDraft((entries) => [...entries, { kind: 'FlowSchema', name, text: null }]))
  const schemasOf = (wish: CandidateWish | undefined): readonly string[] =>
    wish?.on === true ? wish.objects.schemas.map(({ metadata }) => metadata.name) : []
  const toggle = () => screen.getByRole<HTMLButtonElement>('switch', { name: 'Run the draft beside' })

  it('leads to the Editor where there is no draft', async () => {
    expect(toggle().disabled).toBe(true)
    expect(screen.getByText(/^There is no draft/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Open the Editor' }))
    expect(location.hash).toContain('#/editor/draft')
  })

  it('runs the draft, compares, and ends', async () => {
    without('probes')
    act(() =>
      changeDraft((entries) => [
        ...entries,
        { kind: 'PriorityLevelConfiguration', name: 'workload-low', text: REJECTS },
      ]),
    )
    await user.click(toggle())
    expect(await screen.findByRole('table', { name: 'Configuration in force and draft' })).toBeTruthy()
    act(() => story.advance(300_000))
    expect(schemasOf(wishes[0])).not.toContain('probes')
    expect(schemasOf(wishes[0])).toContain('global-default')
    expect(toggle().getAttribute('aria-checked')).toBe('true')
    expect(await screen.findByText('last 5 min')).toBeTruthy()
    expect(screen.getByText(/clients get only the responses of A/)).toBeTruthy()
    expect(screen.getByRole('row', { name: /^rejected \/s .* worse$/ })).toBeTruthy()
    await user.click(toggle())
    expect(await screen.findByText(/^Turn on to run the draft/)).toBeTruthy()
    expect(wishes.at(-1)).toEqual({ on: false })
  })

  it('says when the Editor has another draft by now, and runs that', async () => {
    without('probes')
    await user.click(toggle())
    await screen.findByRole('table')
    expect(screen.queryByText(/B is still the one from before/)).toBeNull()
    without('service-accounts')
    await user.click(await screen.findByRole('button', { name: 'Run the new draft' }))
    await waitFor(() => expect(screen.queryByText(/B is still the one from before/)).toBeNull())
    expect(wishes).toHaveLength(2)
    expect(schemasOf(wishes[1])).not.toContain('service-accounts')
  })

  it('says when the draft is gone from the Editor, and can still be switched off', async () => {
    without('probes')
    await user.click(toggle())
    await screen.findByRole('table')
    act(() => settleDraft(() => []))
    expect(await screen.findByText(/The Editor no longer has a draft/)).toBeTruthy()
    await user.click(toggle())
    expect(await screen.findByText(/^There is no draft/)).toBeTruthy()
  })

  it('says what is wrong with a draft that no server would take', async () => {
    without('probes')
    problem = new ProblemError('invalid-input', 'No server would accept FlowSchema mine of the draft.')
    await user.click(toggle())
    expect((await screen.findByRole('alert')).textContent).toContain('No server would accept FlowSchema mine')
    expect(toggle().getAttribute('aria-checked')).toBe('false')
  })
})
