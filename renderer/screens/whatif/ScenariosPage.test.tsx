import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ScenarioEvent, ScenarioReport, ScenarioWish } from '../../../core/contract/scenario.ts'
import { openStory, type Story } from '../../../test/harness/story.ts'
import { setClient } from '../../state/client.ts'
import { whatIfStore } from './comparison.ts'
import { scenarioStore } from './scenarioRuns.ts'
import { ScenariosPage } from './ScenariosPage.tsx'

interface Run {
  readonly wish: ScenarioWish
  readonly emit: (event: ScenarioEvent) => void
  readonly isOver: () => boolean
}

let story: Story
let runs: Run[]

const entry = (name: string, title: string) => ({
  name,
  title,
  teaches: `What ${name} teaches.`,
  seed: 1,
  seconds: 70,
  statisticsFrom: 20,
  clients: [{ name: 'flood', does: '50 clients with 20 threads each' }],
  variants: ['old', 'now'],
  steppable: ['old', 'now'],
  server: { maxRequestsInFlight: 400, maxMutatingRequestsInFlight: 200, version: 'v1.36.3' },
})

const { server: _apiServer, ...storeEntry } = entry('Q1', 'A full store')

beforeEach(async () => {
  runs = []
  story = await openStory({
    spec: null,
    history: 0,
    whatIf: {
      scenarios: async () => [entry('S1', 'A flood'), entry('T1', 'A check'), storeEntry],
      scenarioText: async () => '',
      forecast: () => undefined,
      search: () => undefined,
      sweep: () => undefined,
      run: () => undefined,
      scenario: (wish, emit, signal) => void runs.push({ wish, emit, isOver: () => signal.aborted }),
    },
  })
  setClient(story.client)
  render(<ScenariosPage />)
})
afterEach(() => {
  cleanup()
  story.stop()
  setClient(undefined)
})

const started = async (): Promise<Run> => {
  const before = runs.length
  await userEvent.click(await screen.findByText('Run scenario'))
  await waitFor(() => expect(runs).toHaveLength(before + 1))
  return runs.at(-1) ?? expect.fail('nothing runs')
}

const outcomes = {
  client: 'leases',
  offered: 100,
  served: 32,
  expired: 0,
  rejected: { 'queue-full': 0, 'concurrency-limit': 68, 'time-out': 0 },
  waitMs: { p50: 0, p90: 0, p99: 0, max: 0 },
  seats: 3,
}
const criterion = { text: 'failed requests of leases ≤ 0.1 %', value: 68, unit: '%', holds: false }
const run = (name: string, verdict: 'prevented' | 'not prevented') => ({
  name,
  steppable: true,
  verdict,
  criteria: verdict === 'prevented' ? [] : [criterion],
  assertions: [],
  passed: true,
  seconds: 50,
  clients: [outcomes],
})
const difference = {
  seconds: 2,
  request: { level: 'workload-low', user: 'ann', arrivedSeconds: 1 },
  explanation: ['At 2.000 s they differ.'],
}
const report: ScenarioReport = {
  of: 'server',
  name: 'S1',
  title: 'A flood',
  teaches: 'What S1 teaches.',
  seed: 1,
  seconds: 70,
  statisticsFrom: 20,
  runs: [run('old', 'not prevented'), { ...run('now', 'prevented'), first: difference }],
  passed: true,
}

test('lists the library in groups, and shows what the chosen one teaches', async () => {
  expect(await screen.findByText('What S1 teaches.')).toBeTruthy()
  expect(screen.getByText('Documented failures')).toBeTruthy()
  await userEvent.click(screen.getByText('A check'))
  expect(screen.getByText('What T1 teaches.')).toBeTruthy()
  await userEvent.click(screen.getByText('A flood'))
  expect(screen.getByText('50 clients with 20 threads each')).toBeTruthy()
})

test('before an etcd nothing can be stepped through or compared in What-if, and the page says why', async () => {
  await userEvent.click(await screen.findByText('A full store'))
  expect(screen.getByText(/^It cannot be stepped through or opened in What-if:/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Open in What-if' })).toBeNull()
  await userEvent.click(screen.getByText('A flood'))
  expect(screen.queryByText(/^It cannot be stepped through/)).toBeNull()
})

test('a run shows its progress, then each variant with its verdict', async () => {
  const { wish, emit } = await started()
  expect(wish).toEqual({ kind: 'library', name: 'S1' })
  emit({ kind: 'progress', part: 0.42 })
  expect(await screen.findByText('42 %')).toBeTruthy()
  emit({ kind: 'done', report, elapsedMs: 900 })
  expect(await screen.findByText('S1 A flood: Prevented by now.')).toBeTruthy()
  const verdict = within(screen.getByRole('table', { name: /^Verdict,/ }))
  expect(verdict.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
    'Criterionoldnow',
    'Verdict not prevented prevented',
    'failed requests of leases ≤ 0.1 % 68 %–',
  ])
  expect(screen.getByRole('button', { name: 'First difference' })).toBeTruthy()
  expect(screen.getAllByRole('img', { name: 'now: prevented' })).toHaveLength(1)
  expect(screen.getAllByRole('button', { name: 'Step through' })).toHaveLength(2)
})

test('cancel ends the run; what fails says why', async () => {
  const first = await started()
  await userEvent.click(screen.getByText('Cancel'))
  await waitFor(() => expect(first.isOver()).toBe(true))
  const second = await started()
  second.emit({ kind: 'failed', problem: { code: 'too-large', message: 'It needs too much memory.' } })
  expect(await screen.findByText('It needs too much memory.')).toBeTruthy()
})

test('a file is run as its text', async () => {
  await userEvent.upload(screen.getByLabelText('Scenario files'), new File(['name: mine\n'], 'mine.yaml'))
  const { wish } = await started()
  expect(wish).toEqual({ kind: 'file', file: 'mine.yaml', text: 'name: mine\n' })
})

test('a scenario opens in What-if', async () => {
  await userEvent.click(await screen.findByText('A flood'))
  await userEvent.click(screen.getByText('Open in What-if'))
  expect(whatIfStore.getState().form).toMatchObject({ from: 'S1', seed: '1' })
})

test('a file of one’s own is there again when the page is opened anew, until it is removed', async () => {
  scenarioStore.setState({ own: [] })
  await userEvent.click(await screen.findByRole('button', { name: /T1/ }))
  await userEvent.click(screen.getByText('Edit a copy'))
  const kept = () => story.client.call('whatIf.ownScenarios', null)
  await waitFor(async () => expect(await kept()).toEqual([{ file: 'T1.yaml', text: '' }]))
  cleanup()
  scenarioStore.setState({ own: [] })
  render(<ScenariosPage />)
  await userEvent.click(await screen.findByRole('button', { name: 'T1.yaml' }))
  await userEvent.click(screen.getByText('Remove…'))
  await userEvent.click(screen.getByText('Keep'))
  expect(screen.getByRole('button', { name: 'T1.yaml' })).toBeDefined()
  await userEvent.click(screen.getByText('Remove…'))
  await userEvent.click(screen.getByText('Remove for good'))
  expect(screen.queryByRole('button', { name: 'T1.yaml' })).toBeNull()
  await waitFor(async () => expect(await kept()).toEqual([]))
})
