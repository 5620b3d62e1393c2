import { expect, test } from 'vitest'
import type { Outcomes, VariantReport, WhatIfReport } from '../../../core/contract/whatif.ts'
import { difference, levelRows, mostChanged, rejectedIn, verdict, waitIn } from './report.data.ts'

const outcomes = (served: number, full: number, p99: number): Outcomes => ({
  offered: served + full,
  served,
  expired: 0,
  rejected: { 'queue-full': full, 'concurrency-limit': 0, 'time-out': 0 },
  waitMs: { p50: 0, p90: p99 / 2, p99, max: p99 },
  seats: 1,
})
const report = (name: string, level: string, of: Outcomes): VariantReport => ({
  name,
  seconds: 60,
  total: of,
  levels: [{ level, ...of, limits: { nominal: 10, current: 12, borrowed: 2, lent: 0 } }],
})
const none = { placed: 0, rejected: 0, letRun: 0, longer: 0, shorter: 0 }
const compared = (a: VariantReport, b: VariantReport, first = true): WhatIfReport => ({
  clients: 'open',
  requests: 100,
  notes: [],
  baseline: a,
  candidates: [{ result: b, decisions: first ? { ...none, first: { seconds: 1, explanation: [] } } : none }],
})
const verdictOf = (whole: WhatIfReport) => {
  const [candidate] = whole.candidates
  return candidate === undefined ? expect.fail('there is a candidate') : verdict(whole, candidate)
}

test('levels of either variant get a row; what a variant lacks is unknown', () => {
  const rows = levelRows(report('A', 'low', outcomes(90, 10, 5)), report('B', 'batch', outcomes(0, 100, 0)))
  expect(rows.map(({ level }) => level)).toEqual([undefined, 'low', 'batch'])
  expect(rows.map(({ a, b }) => [rejectedIn(a), rejectedIn(b)])).toEqual([
    [10, 100],
    [10, undefined],
    [undefined, 100],
  ])
  expect(rows[1]).toMatchObject({ limitA: 12, limitB: undefined })
  expect(difference(rejectedIn(rows[0]?.a), rejectedIn(rows[0]?.b))).toBe(90)
  expect(difference(1, undefined)).toBeUndefined()
  // No request was dispatched, so none of them waited.
  expect(waitIn(rows[2]?.b, 'p99')).toBeUndefined()
  expect(waitIn(rows[1]?.a, 'p99')).toBe(5)
})

test('charts begin with the level whose rejections changed most, then with the one whose waits did', () => {
  const both = (low: Outcomes, high: Outcomes): VariantReport => ({
    ...report('A', 'low', low),
    levels: [...report('A', 'low', low).levels, ...report('A', 'high', high).levels],
  })
  const before = both(outcomes(90, 10, 5), outcomes(50, 0, 5))
  expect(mostChanged(before, both(outcomes(80, 20, 9_000), outcomes(10, 40, 5)))).toBe('high')
  expect(mostChanged(before, both(outcomes(90, 10, 9_000), outcomes(50, 0, 6)))).toBe('low')
})

test('the headline says what changes, on which evidence', () => {
  const a = report('now', 'low', outcomes(90, 10, 5))
  const b = report('draft', 'low', outcomes(60, 40, 2_000))
  expect(verdictOf(compared(a, b))).toEqual({
    title: 'draft rejects 40 requests, now rejects 10.',
    evidence: 'Largest change of wait p99: low, from 5.0 ms to 2.00 s. Both got the same 100 requests of 1 min.',
  })
  expect(verdictOf(compared(a, a)).title).toBe('now rejects as many requests as now: 10.')
  expect(verdictOf(compared(a, b, false)).title).toBe('draft and now make the same decision for every request.')
  const closed: WhatIfReport = { ...compared(a, b), clients: 'closed' }
  expect(verdictOf(closed).evidence).toMatch(/The clients reacted to each variant for 1 min\.$/)
})
