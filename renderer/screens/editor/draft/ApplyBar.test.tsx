import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openStory, type Story } from '../../../../test/harness/story.ts'
import type { Editing, ObjectsState } from '../../../../core/contract/objects.ts'
import { tellConnections } from '../../../state/connection.ts'
import { rfc3339 } from '../../../../core/units.ts'
import { setClient } from '../../../state/client.ts'
import { objectsStore } from '../../../state/objects.ts'
import { EditingSwitch, RetryNote } from './ApplyBar.tsx'

const state = (editing: Editing): ObjectsState => ({
  connection: 1,
  origin: 'cluster',
  target: 'prod',
  targetKey: 'prod',
  state: 'current',
  objects: { levels: [], schemas: [] },
  editing,
})

let story: Story
beforeEach(async () => {
  story = await openStory({ history: 1, servers: 1 })
  setClient(story.client)
  tellConnections(story.connections())
})
afterEach(() => {
  cleanup()
  story.stop()
  setClient(undefined)
})

it('has the role where the user may not write, and asks the server again', async () => {
  const user = userEvent.setup()
  render(<EditingSwitch state={state({ state: 'impossible', why: 'You may not.', role: 'kind: ClusterRole' })} />)
  await user.click(screen.getByRole('button', { name: 'Copy role and binding' }))
  expect(await navigator.clipboard.readText()).toBe('kind: ClusterRole')
  let editing: Editing = { state: 'off' }
  story.client.subscribe('objects', { connection: 1 }, (told) => (editing = told.editing))
  await user.click(screen.getByRole('button', { name: 'Check again' }))
  await expect.poll(() => editing.state).toBe('on')
})

it('offers nothing where no role would help', () => {
  render(<EditingSwitch state={state({ state: 'impossible', why: 'These are files.' })} />)
  expect(screen.queryByRole('button')).toBeNull()
})

it('counts down to the next try of a rejected request, and can give it up', async () => {
  const call = vi.spyOn(story.client, 'call')
  const waiting = { until: rfc3339(Date.now() + 9_500), attempt: 2, most: 10 }
  render(<RetryNote />)
  act(() => objectsStore.setState({ state: { ...state({ state: 'on', since: rfc3339(Date.now()) }), waiting } }))
  const timer = await screen.findByRole('timer')
  const first = timer.textContent
  expect(first).toMatch(/\b(9|10) s\b/)
  vi.setSystemTime(Date.now() + 2_000)
  await waitFor(() => expect(timer.textContent).not.toBe(first))
  await userEvent.setup().click(screen.getByRole('button', { name: 'Give up' }))
  expect(call).toHaveBeenCalledWith('objects.giveUp', expect.anything())
})
