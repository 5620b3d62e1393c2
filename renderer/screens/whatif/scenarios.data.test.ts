import { expect, it } from 'vitest'
import { groupOf, verdictText } from './scenarios.data.ts'

it('puts scenarios into groups by their names', () => {
  expect(['S1', 'S7', 'S8', 'S13', 'T2'].map(groupOf)).toEqual([
    'Documented failures',
    'Documented failures',
    'From the documentation',
    'Known failure modes',
    'Checks',
  ])
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
