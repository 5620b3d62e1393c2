import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Client, StreamEvent, StreamParams } from '../../../../core/contract/contract.ts'
import { READ_ONLY } from '../../../../core/contract/readOnly.ts'
import type { TuneAnswer } from '../../../../core/contract/tune.ts'
import { writeManifest } from '../../../../core/manifest/write.ts'
import { openStory, type Story } from '../../../../test/harness/story.ts'
import { setClient } from '../../../state/client.ts'
import { limitsStore } from '../../../state/limits.ts'
import { objectsNow } from '../../../state/objects.ts'
import { startState } from '../../../state/start.ts'
import { TunePane } from './TunePane.tsx'
import { cancelTune } from './tuneRun.ts'

interface Begun {
  readonly wish: StreamParams<'tune'>
  readonly emit: (event: StreamEvent<'tune'>) => void
  isOver: boolean
}
let begun: Begun[]
let story: Story
let stop: () => void

beforeEach(async () => {
  begun = []
  story = await openStory({ history: 20, servers: 1 })
  const client: Client = {
    ...story.client,
    subscribe(name, params, onEvent, onProblem) {
      if (name !== 'tune') return story.client.subscribe(name, params, onEvent, onProblem)
      const one = { wish: params, emit: onEvent, isOver: false } as unknown as Begun
      begun.push(one)
      return () => void (one.isOver = true)
    },
  }
  setClient(client)
  stop = startState(client)
  render(<TunePane />)
})
afterEach(() => {
  cancelTune()
  cleanup()
  stop()
  story.stop()
  setClient(undefined)
  limitsStore.setState({}, true)
  location.hash = ''
})

const numbers = { offered: 100, served: 90, rejectedPercent: 10, waitP99: 2_000, seats: 9.5 }
const answerFrom = (text: string): TuneAnswer => ({
  answer: {
    changes: [{ setting: 'workload-low.lendablePercent', from: 90, to: 50 }],
    objects: [{ kind: 'PriorityLevelConfiguration', name: 'workload-low', text }],
    goals: [
      {
        goal: 'wait p99 of level workload-low ≤ 1000 ms',
        unit: 'ms',
        before: 2_000,
        after: 900,
        metBefore: false,
        metAfter: true,
      },
    ],
    guardRails: [],
    levels: [{ level: 'workload-low', before: numbers, after: { ...numbers, waitP99: 900 } }],
    costs: [],
    findings: [],
    seeds: { met: [1, 101, 102, 103], missed: [104] },
    met: true,
  },
  evaluations: 200,
  notes: ['The twin does not reproduce system.'],
})

test('says what is missing, and offers nothing that a read-only console refuses', async () => {
  await userEvent.click(await screen.findByRole('button', { name: 'Search' }))
  expect(screen.getByText('Enter a goal, such as “wait p99 of workload-low < 1 s”.')).toBeTruthy()
  act(() => limitsStore.setState({ limits: READ_ONLY }))
  expect(screen.queryByRole('button', { name: 'Search' })).toBeNull()
  expect(screen.getByText(READ_ONLY.why)).toBeTruthy()
})

test('searches with progress, can be cancelled, and opens what was found as a draft', async () => {
  const user = userEvent.setup()
  const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
  const search = await screen.findByRole('button', { name: 'Search' })
  type('Goals, one per line', 'wait p99 of workload-low < 1 s')
  type('Seeds', '21')
  await user.click(search)
  expect(screen.getByText('Seeds: enter a whole number from 1 to 20.')).toBeTruthy()
  type('Seeds', '5')
  await user.click(screen.getByRole('checkbox', { name: 'system' }))
  await user.click(search)
  const [first] = begun
  expect(first?.wish).toMatchObject({
    from: { kind: 'twin' },
    goals: ['wait p99 of workload-low < 1 s'],
    guardRails: ['rejections of no level may rise', 'failures of no level may rise'],
    seeds: 5,
  })
  expect(first?.wish.levels).toContain('workload-low')
  expect(first?.wish.levels).not.toContain('system')
  act(() => first?.emit({ kind: 'progress', part: 0.5 }))
  expect(screen.getByRole('progressbar', { name: 'Progress of the search' }).getAttribute('value')).toBe('0.5')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(first?.isOver).toBe(true)
  await user.click(screen.getByRole('button', { name: 'Search' }))
  const level = objectsNow()?.objects.levels.find(({ metadata }) => metadata.name === 'workload-low')
  const text = level === undefined ? '' : writeManifest('PriorityLevelConfiguration', level)
  act(() => begun[1]?.emit({ kind: 'done', report: answerFrom(text), elapsedMs: 1 }))
  expect(screen.getByText('An edit meets the goals with 4 of 5 seeds (200 edits tried).')).toBeTruthy()
  expect(screen.getByText('workload-low: lendable 90 % → 50 %')).toBeTruthy()
  const table = screen.getByRole('table', { name: 'Levels, before and after the edit' })
  expect(within(table).getByText('workload-low')).toBeTruthy()
  const note = screen.getByText('The twin does not reproduce system.')
  expect(note.compareDocumentPosition(table)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  await user.click(screen.getByRole('button', { name: 'Open the smallest edit as draft' }))
  expect(location.hash).toContain('editor/draft?object=')
  // Where none meets the goals, the smallest of those that do is not offered.
  await user.click(screen.getByRole('button', { name: 'Search' }))
  const missed = answerFrom(text)
  act(() =>
    begun[2]?.emit({ kind: 'done', report: { ...missed, answer: { ...missed.answer, met: false } }, elapsedMs: 1 }),
  )
  expect(screen.getByRole('button', { name: 'Open the closest edit as draft' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: /smallest/ })).toBeNull()
})
