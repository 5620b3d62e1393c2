import { expect, it } from 'vitest'
import type { ScenarioReport, ScenarioRunReport } from '../../../core/contract/scenario.ts'
import { failedPart, groupOf, measuredText, outcomeText } from './scenarios.data.ts'

const run = (name: string, verdict?: ScenarioRunReport['verdict'], passed = true): ScenarioRunReport => ({
  name,
  ...(verdict !== undefined && { verdict }),
  criteria: [],
  assertions: [],
  passed,
  seconds: 50,
  clients: [],
})
const report = (...runs: ScenarioRunReport[]): ScenarioReport => ({
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
  expect(outcomeText(report(run('now')))).toBe('Every assertion holds.')
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
  expect(failedPart(outcomes)).toBe(0.4)
  expect(
    failedPart({
      ...outcomes,
      served: 0,
      expired: 0,
      rejected: { ...outcomes.rejected, 'queue-full': 0, 'time-out': 0 },
    }),
  ).toBeUndefined()
  expect(measuredText({ text: '', value: 2.345, unit: 'ms', holds: true })).toBe('2.35 ms')
  expect(measuredText({ text: '', value: 1, unit: '', holds: true })).toBe('1')
})
