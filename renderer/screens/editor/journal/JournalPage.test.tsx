import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it } from 'vitest'
import { ProblemError } from '../../../../core/errors.ts'
import type { JournalEntry } from '../../../../core/contract/objects.ts'
import { openStory, type Story } from '../../../../test/harness/story.ts'
import { setClient } from '../../../state/client.ts'
import { openPage, startRoutes } from '../../../state/route.ts'
import { startState } from '../../../state/start.ts'
import { JournalPage } from './JournalPage.tsx'

let story: Story
let stops: (() => void)[]

afterEach(() => {
  cleanup()
  for (const stop of stops) stop()
  story.stop()
  setClient(undefined)
})

const entry: JournalEntry = {
  id: 'one',
  at: '2026-11-27T00:00:00Z',
  user: 'operator',
  target: 'story',
  targetKey: 'story',
  label: 'Shares of workload-low',
  changes: [],
}

it('keeps what was read later when an earlier answer comes late', async () => {
  story = await openStory({ history: 30, servers: 1 })
  /** Each answers one call for the journal, in order; an answer of `undefined` is a failure. */
  const readers: ((entries: readonly JournalEntry[] | undefined) => void)[] = []
  const { client } = story
  const call: typeof client.call = (name, input) =>
    name !== 'journal.read'
      ? client.call(name, input)
      : new Promise((resolve, reject) => {
          readers.push((entries) =>
            entries === undefined ? reject(new ProblemError('internal', 'It is busy.')) : resolve(entries as never),
          )
        })
  const late = { ...client, call }
  setClient(late)
  stops = [startRoutes(), startState(late)]
  openPage('editor', 'journal')
  render(<JournalPage />)
  const changeObjects = (): void =>
    act(() => story.objects.write(({ levels, schemas }) => ({ levels: levels.slice(1), schemas })))
  // The objects of a new source trigger one read; after that only the test does.
  await waitFor(() => expect(readers.length).toBeGreaterThan(0))
  await act(async () => readers.forEach((answer) => answer(undefined)))
  const before = readers.length
  await userEvent.click(await screen.findByRole('button', { name: 'Try again' }))
  changeObjects()
  await waitFor(() => expect(readers.length).toBe(before + 2))
  await act(async () => readers.at(-1)?.([entry]))
  await act(async () => readers.at(-2)?.([]))
  expect(screen.getByRole('grid', { name: /^Applied edits/ })).toBeTruthy()
})
