import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStory, type Story } from '../../test/harness/story.ts'
import { setClient } from '../state/client.ts'
import { ConsentNote } from './App.tsx'

let story: Story
beforeEach(async () => {
  story = await openStory({ history: 1 })
  setClient(story.client)
})
afterEach(() => {
  cleanup()
  story.stop()
  setClient(undefined)
})

it('says what waits for the operator, and where, as long as it waits', async () => {
  render(<ConsentNote />)
  expect(screen.queryByRole('status')).toBeNull()
  const until = new Date(Date.now() + 60_000).toISOString()
  act(() => story.setConsent({ waiting: { what: 'run /usr/bin/aws eks', where: 'terminal', until } }))
  expect((await screen.findByRole('status')).textContent).toMatch(
    /^Confirm in the terminal where the console was started\. .*run \/usr\/bin\/aws eks\. \d+ s left\.$/,
  )
  act(() => story.setConsent({ waiting: null }))
  await expect.poll(() => screen.queryByRole('status')).toBeNull()
})
