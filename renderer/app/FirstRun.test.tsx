import { act, cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openStory, type Story } from '../../test/harness/story.ts'
import { setClient } from '../state/client.ts'
import { NOTE_IDS } from '../state/firstRun.ts'
import { changeSettings, settingsNow } from '../state/settings.ts'
import { FirstRun } from './FirstRun.tsx'

/** A screen on which no width limit applies. */
const WIDE: Omit<MediaQueryList, keyof EventTarget> = {
  matches: false,
  media: '',
  onchange: null,
  addListener: () => undefined,
  removeListener: () => undefined,
}

let story: Story
beforeEach(async () => {
  story = await openStory()
  setClient(story.client)
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  act(() => changeSettings({ dismissed: [], task: 'none' }))
  story.stop()
})

it('shows one note after the other where there is no room for a column', async () => {
  const user = userEvent.setup()
  render(<FirstRun />)
  const TITLES = ['A level is a bar of seats', 'Dashed is the nominal limit', 'Limits move every 10 seconds']
  for (const [index, title] of TITLES.entries()) {
    expect(screen.getByRole('listitem').textContent).toContain(`${index + 1}${title}`)
    await user.click(screen.getByRole('button', { name: 'Next' }))
  }
  await user.click(screen.getByRole('button', { name: 'Hide: Now find a culprit' }))
  expect(screen.queryByRole('listitem')).toBeNull()
  expect(settingsNow().dismissed).toHaveLength(4)
})

it('ends in a task, whose beginning leaves no note', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(() => Object.assign(new EventTarget(), WIDE))
  render(<FirstRun />)
  await userEvent.setup().click(screen.getByRole('button', { name: 'Find the culprit' }))
  expect(location.hash).toBe('#/diagnosis')
  expect(settingsNow()).toMatchObject({ task: 'culprit', dismissed: [...NOTE_IDS] })
  expect(screen.queryAllByRole('listitem')).toHaveLength(0)
})

it('shows four notes, each of which can be hidden, and the way to one’s own cluster', async () => {
  const user = userEvent.setup()
  vi.spyOn(window, 'matchMedia').mockImplementation(() => Object.assign(new EventTarget(), WIDE))
  render(<FirstRun />)
  expect(screen.getAllByRole('listitem')).toHaveLength(4)
  // A colour would be another one in the other theme.
  expect(screen.getByRole('list').textContent).not.toMatch(/white|black|dark|light/)
  expect(
    screen.getByText(/Levels keep a flood from the rest; inside a level, queues serve its flows in turn/),
  ).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Hide: A level is a bar of seats' }))
  expect(screen.getAllByRole('listitem')).toHaveLength(3)
  await user.click(screen.getByRole('button', { name: 'Hide all' }))
  expect(screen.queryAllByRole('listitem')).toHaveLength(0)
  expect(settingsNow().dismissed).toHaveLength(4)
  await user.click(screen.getByRole('button', { name: 'Connect your cluster' }))
  expect(location.hash).toBe('#/connection')
})
