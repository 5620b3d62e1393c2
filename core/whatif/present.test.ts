import { expect, test } from 'vitest'
import type { Outcomes, VariantReport, WhatIfReport } from '../contract/whatif.ts'
import { cellText, sentenceText } from '../answer/answer.ts'
import { plain } from '../text/format.ts'
import { changedLevels, presentCandidate, comparedOn } from './present.ts'

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
const FIRST = { seconds: 1, request: { level: 'low', user: 'ann', arrivedSeconds: 1 }, explanation: [] }
const none = { placed: 0, rejected: 0, letRun: 0, longer: 0, shorter: 0, changed: [] }
const compared = (a: VariantReport, b: VariantReport, first = true): WhatIfReport => ({
  clients: 'open',
  requests: 100,
  notes: [],
  baseline: a,
  candidates: [{ result: b, decisions: first ? { ...none, first: FIRST } : none }],
})
const presented = (whole: WhatIfReport) => {
  const [candidate] = whole.candidates
  const { title, evidence, tables } =
    candidate === undefined ? expect.fail('there is a candidate') : presentCandidate(whole, candidate)
  return {
    title: sentenceText(title, plain),
    evidence: evidence.map((sentence) => sentenceText(sentence, plain)),
    rows: tables[0]?.rows.map((row) => row.map((cell) => cellText(cell, plain))),
  }
}

test('levels of either variant get a row; what a variant lacks is unknown, and so is a wait where none was served', () => {
  const [a, b] = [report('A', 'low', outcomes(90, 10, 5)), report('B', 'batch', outcomes(0, 100, 0))]
  const unknown = ['-', '-', '-', '-', '-', '-']
  expect(presented(compared(a, b)).rows).toEqual([
    ['All levels', '10', '100', '+90', '0 ms', '-', '2.5 ms', '-', '5.0 ms', '-', '-', '-', '-'],
    ['low', '10', '-', '-', '0 ms', '-', '2.5 ms', '-', '5.0 ms', '-', '-', '12.0', '-'],
    ['batch', '-', '100', ...unknown, '-', '-', '-', '12.0'],
  ])
})

test('charts show the levels whose rejections changed, then those whose waits did', () => {
  const both = (low: Outcomes, high: Outcomes): VariantReport => ({
    ...report('A', 'low', low),
    levels: [...report('A', 'low', low).levels, ...report('A', 'high', high).levels],
  })
  const before = both(outcomes(90, 10, 5), outcomes(50, 0, 5))
  expect(changedLevels(before, both(outcomes(80, 20, 9_000), outcomes(10, 40, 5)))).toEqual(['high', 'low'])
  expect(changedLevels(before, both(outcomes(90, 10, 9_000), outcomes(50, 0, 5)))).toEqual(['low'])
  expect(changedLevels(before, before)).toEqual([])
})

test('the headline says what changes, on which evidence', () => {
  const a = report('now', 'low', outcomes(90, 10, 5))
  const b = report('draft', 'low', outcomes(60, 40, 2_000))
  expect(presented(compared(a, b))).toMatchObject({
    title: 'B (draft) rejects 30 requests more than A (now), all in low; wait p99 of low goes from 5.0 ms to 2.00 s.',
  })
  expect(presented(compared(a, a)).title).toBe('B (now) rejects as many requests as A (now): 10; waits hardly change.')
  // Nobody who is not served waits in these numbers.
  const stuck = { ...outcomes(0, 10, 0), offered: 100 }
  expect(presented(compared(a, report('stuck', 'low', stuck))).title).toBe(
    'B (stuck) rejects as many requests as A (now): 10; 90 more requests wait or execute at the end.',
  )
  expect(presented(compared(a, b, false)).title).toBe('B (draft) decides about every request as A (now).')
  expect(sentenceText(comparedOn(compared(a, b)), plain)).toMatch(/^100 requests of 1 min, the same for every variant/)
  expect(sentenceText(comparedOn({ ...compared(a, b), clients: 'closed' }), plain)).toMatch(/reacted .* for 1 min/)
})
