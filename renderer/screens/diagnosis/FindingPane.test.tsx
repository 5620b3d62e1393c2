import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { Finding } from '../../../core/contract/diagnosis.ts'
import { FindingPane } from './FindingPane.tsx'

afterEach(cleanup)

const finding = (of: Partial<Finding>): Finding => ({
  cause: 'one-flow',
  title: 'One flow floods',
  group: 'traffic',
  refutedBy: 'Another flow with as many requests.',
  text: 'batch:hog sends most of the requests of workload-low.',
  confidence: 'likely',
  victims: [],
  tier: 'dumps',
  method: 'rule',
  place: { server: 'a', level: 'workload-low' },
  from: 0,
  to: 60_000,
  evidenceFor: ['batch:hog has 94 % of the requests of workload-low in 16 debug dumps.'],
  evidenceAgainst: [],
  unknown: [],
  remedy: { text: 'Slow down batch:hog.', manifests: [] },
  ...of,
})
const barOf = (of: Partial<Finding>): string | null | undefined => {
  cleanup()
  render(<FindingPane finding={finding(of)} number={1} />)
  return screen.queryByRole('img', { name: /Explains/ })?.getAttribute('aria-label')
}

test('draws the part that a cause explains wherever that is known, and nothing in its place', () => {
  const share = { part: 0.7, low: 0.59, high: 0.78 }
  expect(barOf({ culprit: 'batch:hog', share })).toBe('Explains 59 to 78 % of the missing seats')
  // Of many clients.
  expect(barOf({ share })).toBe('Explains 59 to 78 % of the missing seats')
  // Of a whole server.
  expect(barOf({ culprit: 'a', share, place: { server: 'a' } })).toMatch(/^Explains/)
  // The largest flow of dumps, with nothing to compare it with: its evidence has the number.
  expect(barOf({ culprit: 'batch:hog' })).toBeUndefined()
  expect(screen.getByText(/has 94 % of the requests/)).toBeTruthy()
})
