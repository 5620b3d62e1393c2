import { expect, it } from 'vitest'
import type { ScenarioReport, ScenarioRunReport } from '../../../core/contract/scenario.ts'
import { failedText, groupOf, measuredText, outcomeText, verdictText } from './scenarios.data.ts'

const run = (name: string, verdict?: ScenarioRunReport['verdict'], passed = true): ScenarioRunReport => ({
  name,
  steppable: true,
  ...(verdict !== undefined && { verdict }),
  criteria: [],
  assertions: [],
  passed,
  seconds: 50,
  clients: [],
})
const report = (...runs: ScenarioRunReport[]): ScenarioReport => ({
  of: 'server',
  name: 'S1',
  title: 'A flood',
  teaches: '',
  seed: 1,
  seconds: 70,
  statisticsFrom: 20,
  runs,
  passed: runs.every(({ passed }) => passed),
})

it('says which variants prevent what a scenario shows', () => {
  expect(outcomeText(report(run('old', 'not prevented'), run('now', 'prevented')))).toBe('Prevented by now.')
  expect(outcomeText(report(run('now', 'prevented')))).toBe('Every variant prevents it.')
  expect(outcomeText(report(run('now', 'not prevented')))).toBe('No variant prevents it.')
  expect(outcomeText(report(run('now')))).toBe('All assertions pass.')
  expect(outcomeText(report(run('now', 'prevented', false)))).toBe('Not as expected: now.')
})

it('puts scenarios into groups by their names', () => {
  expect(['S1', 'S7', 'S8', 'S13', 'T2'].map(groupOf)).toEqual([
    'Documented failures',
    'Documented failures',
    'From the documentation',
    'Known failure modes',
    'Checks',
  ])
})

it('counts what failed, and shows units', () => {
  const outcomes = {
    client: 'some',
    offered: 12,
    served: 6,
    expired: 1,
    rejected: { 'queue-full': 2, 'concurrency-limit': 0, 'time-out': 1 },
    waitMs: { p50: 0, p90: 0, p99: 0, max: 0 },
    seats: 1,
  }
  expect(failedText(outcomes)).toBe('40 %')
  const none = { ...outcomes, expired: 0, rejected: { ...outcomes.rejected, 'queue-full': 0, 'time-out': 0 } }
  expect(failedText(none)).toBe('0 %')
  expect(failedText({ ...none, served: 0 })).toBe('–')
  // Sixty of fifteen thousand are more than none.
  expect(failedText({ ...none, served: 14_940, expired: 60 })).toBe('0.4 %')
  expect(failedText({ ...none, served: 14_999, expired: 1 })).toBe('< 0.1 %')
  expect(measuredText({ text: '', value: 2.345, unit: 'ms', holds: true })).toBe('2.35 ms')
  expect(measuredText({ text: '', value: 1, unit: '', holds: true })).toBe('1')
})

it('a verdict names the number that decides', () => {
  const met = { text: 'failed requests of a ≤ 1 %', value: 0, unit: '%', holds: true }
  const missed = { text: 'wait p99 of a ≤ 5 ms', value: 7.25, unit: 'ms', holds: false }
  const base = { name: 'now', steppable: true, assertions: [], passed: true, seconds: 1, clients: [] }
  expect(verdictText({ ...base, verdict: 'prevented', criteria: [met] })).toBe('✓ prevented, 0\u00a0%')
  expect(verdictText({ ...base, verdict: 'not prevented', criteria: [met, missed] })).toBe(
    '✗ not prevented, 7.25\u00a0ms',
  )
  expect(verdictText({ ...base, criteria: [] })).toBe('assertions pass')
  expect(verdictText(undefined)).toBe('–')
})
