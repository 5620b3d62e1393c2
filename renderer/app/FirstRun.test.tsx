import { act, cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { storyClient, type StoryClient } from '../../test/harness/memoryClient.ts'
import { setClient } from '../state/client.ts'
import { changeSettings, settingsNow } from '../state/settings.ts'
import { FirstRun } from './FirstRun.tsx'

let story: StoryClient
beforeEach(() => {
  story = storyClient({ manual: true })
  setClient(story.client)
})
afterEach(() => {
  cleanup()
  act(() => changeSettings({ dismissed: [] }))
  story.stop()
})

it('shows three notes, each of which can be hidden, and the way to one’s own cluster', async () => {
  const user = userEvent.setup()
  render(<FirstRun />)
  expect(screen.getAllByRole('listitem')).toHaveLength(3)
  await user.click(screen.getByRole('button', { name: 'Hide: A level is a bar of seats' }))
  expect(screen.getAllByRole('listitem')).toHaveLength(2)
  await user.click(screen.getByRole('button', { name: 'Hide all' }))
  expect(screen.queryAllByRole('listitem')).toHaveLength(0)
  expect(settingsNow().dismissed).toHaveLength(3)
  await user.click(screen.getByRole('button', { name: 'Connect your cluster' }))
  expect(location.hash).toBe('#/connection')
})
