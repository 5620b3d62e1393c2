import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it } from 'vitest'
import type { Problem } from '../../core/contract/errors.ts'
import { storyClient } from '../../test/harness/memoryClient.ts'
import { startNotices } from '../state/notices.ts'
import { Notices } from './App.tsx'

const problem = (message: string): Problem => ({ code: 'internal', message, details: `words of ${message}` })

const stops: (() => void)[] = []
afterEach(() => {
  cleanup()
  for (const stop of stops.splice(0)) stop()
})

it('shows what the console cannot keep until that is over, or until it is dismissed', async () => {
  const story = storyClient({ manual: true })
  stops.push(() => story.stop(), startNotices(story.client))
  render(<Notices />)
  const region = screen.getByRole('status', { name: 'Notices' })
  expect(region.textContent).toBe('')
  // Said again until the subscription is there.
  await waitFor(() => {
    act(() => story.setNotices([problem('The disk is full.'), problem('The file is damaged.')]))
    expect(within(region).getByText('The disk is full.')).toBeTruthy()
  })
  const [first] = within(region).getAllByRole('button', { name: 'Dismiss' })
  if (first === undefined) throw new Error('it cannot be dismissed')
  await userEvent.setup().click(first)
  expect(region.textContent).not.toContain('The disk is full.')
  expect(region.textContent).toContain('The file is damaged.')
  act(() => story.setNotices([]))
  await waitFor(() => expect(region.textContent).toBe(''))
})
