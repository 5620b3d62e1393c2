import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Outcomes, VariantReport, WhatIfEvent, WhatIfWish } from '../../../core/contract/whatif.ts'
import { openStory, type Story } from '../../../test/harness/story.ts'
import { setClient } from '../../state/client.ts'
import { WhatIfScreen } from './index.tsx'

interface Run {
  readonly wish: WhatIfWish
  readonly emit: (event: WhatIfEvent) => void
  readonly isOver: () => boolean
}

let story: Story
let runs: Run[]

beforeEach(async () => {
  runs = []
  story = await openStory({
    spec: null,
    history: 0,
    whatIf: {
      scenarios: async () => [
        {
          name: 'S1',
          title: 'A flood',
          teaches: 'Seats protect leases.',
          seed: 7,
          seconds: 60,
          statisticsFrom: 10,
          clients: [{ name: 'flood', does: '50 clients with 20 threads each' }],
          server: { maxRequestsInFlight: 30, maxMutatingRequestsInFlight: 10, version: 'v1.33.0' },
          variants: ['now', 'before'],
          steppable: ['now', 'before'],
        },
      ],
      scenarioText: async () => '',
      forecast: () => undefined,
      search: () => undefined,
      sweep: () => undefined,
      scenario: () => undefined,
      run: ({ wish }, emit, signal) => void runs.push({ wish, emit, isOver: () => signal.aborted }),
    },
  })
  setClient(story.client)
  render(<WhatIfScreen />)
})
afterEach(() => {
  cleanup()
  story.stop()
  setClient(undefined)
})

const outcomes = (full: number): Outcomes => ({
  offered: 100,
  served: 100 - full,
  expired: 0,
  rejected: { 'queue-full': full, 'concurrency-limit': 0, 'time-out': 0 },
  waitMs: { p50: 1, p90: 2, p99: full, max: full },
  seats: 3,
})
const variant = (name: string, full: number): VariantReport => ({
  name,
  seconds: 60,
  total: outcomes(full),
  levels: [{ level: 'workload-low', ...outcomes(full) }],
})
const started = async (): Promise<Run> => {
  const before = runs.length
  await userEvent.click(screen.getByText('Run comparison'))
  await waitFor(() => expect(runs).toHaveLength(before + 1))
  return runs.at(-1) ?? expect.fail('nothing runs')
}

test('a run shows its progress, then differences and the first decision that differs; an edit makes it old', async () => {
  await userEvent.selectOptions(await screen.findByLabelText('Requests'), await screen.findByText('S1: A flood'))
  expect(screen.getByText('Seats protect leases.')).toBeTruthy()
  const { wish, emit } = await started()
  expect(wish.from).toEqual({ kind: 'scenario', name: 'S1', seed: 7 })
  expect(wish.baseline).toMatchObject({ maxRequestsInFlight: 30, version: 'v1.33.0' })
  emit({ kind: 'progress', part: 0.42 })
  expect(await screen.findByText('42 %')).toBeTruthy()

  const decisions = { placed: 0, rejected: 7, letRun: 0, longer: 1, shorter: 2, changed: [] }
  const candidates = [
    {
      result: variant('half', 7),
      decisions: {
        ...decisions,
        first: {
          seconds: 0.1,
          request: { level: 'workload-low', user: 'ann', arrivedSeconds: 0.1 },
          explanation: ['At 0.100 s they differ.'],
        },
      },
    },
  ]
  const report = { requests: 100, notes: ['A note.'], baseline: variant('baseline', 0), candidates }
  emit({ kind: 'done', report: { clients: 'open', ...report }, elapsedMs: 1_200 })
  expect(
    await screen.findByText(
      'B (half) rejects 7 requests more than A (baseline), all in workload-low; wait p99 of workload-low goes from 0 ms to 7.0 ms.',
    ),
  ).toBeTruthy()
  expect(screen.getByText('At 0.100 s they differ.')).toBeTruthy()
  expect(screen.getByText('A note.')).toBeTruthy()
  expect(screen.getAllByText('+7')).toHaveLength(2)
  await userEvent.click(screen.getByText('Add candidate'))
  expect(screen.getByText(/have changed since this run/)).toBeTruthy()
})

test('cancel ends the run; what fails says why', async () => {
  const first = await started()
  await userEvent.click(screen.getByText('Cancel'))
  await waitFor(() => expect(first.isOver()).toBe(true))
  expect(screen.getByText('No comparison yet')).toBeTruthy()
  const second = await started()
  second.emit({ kind: 'failed', problem: { code: 'too-large', message: 'It needs too much memory.' } })
  expect(await screen.findByText('It needs too much memory.')).toBeTruthy()
})

test('mistakes are named before anything runs', async () => {
  await userEvent.clear(screen.getByLabelText('B: servers'))
  await userEvent.click(screen.getByText('Run comparison'))
  expect(screen.getByRole('alert').textContent).toBe('B, servers: Enter a whole number from 1 to 100.')
  expect(runs).toEqual([])
})
