import { expect, it } from 'vitest'
import { cellText, sentenceText } from '../answer/answer.ts'
import type { ScenarioReport, ScenarioRunReport } from '../contract/scenario.ts'
import { plain } from '../text/format.ts'
import { measured, outcomeSentence, presentRun } from './present.ts'

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
  expect(outcomeSentence(report(run('old', 'not prevented'), run('now', 'prevented')))).toBe('Prevented by now.')
  expect(outcomeSentence(report(run('now', 'prevented')))).toBe('Every variant prevents it.')
  expect(outcomeSentence(report(run('now', 'not prevented')))).toBe('No variant prevents it.')
  expect(outcomeSentence(report(run('now')))).toBe('All assertions pass.')
  expect(outcomeSentence(report(run('now', 'prevented', false)))).toBe('Not as expected: now.')
})

const failedText = (one: ScenarioRunReport['clients'][number]): string => {
  const [row] = presentRun({ ...run('now'), clients: [one] }, 'server').tables[0]?.rows ?? []
  return cellText(row?.[3] ?? '', plain)
}

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
  expect(failedText({ ...none, served: 0 })).toBe('-')
  // Sixty of fifteen thousand are more than none.
  expect(failedText({ ...none, served: 14_940, expired: 60 })).toBe('0.4 %')
  expect(failedText({ ...none, served: 14_999, expired: 1 })).toBe('< 0.1 %')
  expect(sentenceText(measured({ text: '', value: 2.345, unit: 'ms', holds: true }), plain)).toBe('2.35 ms')
  expect(sentenceText(measured({ text: '', value: 1_487, unit: 'ms', holds: true }), plain)).toBe('1.49 s')
  expect(sentenceText(measured({ text: '', value: 1, unit: '', holds: true }), plain)).toBe('1')
})
