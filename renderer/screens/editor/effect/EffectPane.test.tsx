import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Effect } from '../../../../core/contract/effect.ts'
import type { ForecastReport } from '../../../../core/contract/forecast.ts'
import { sentenceText } from '../../../../core/answer/answer.ts'
import { presentEffect } from '../../../../core/twin/present.ts'
import { format } from '../../../theme/format.ts'
import { EffectPane } from './EffectPane.tsx'

afterEach(cleanup)

const forecast: ForecastReport = {
  server: 'a',
  fromMs: 0,
  untilMs: 100_000,
  levels: [
    {
      level: 'workload-low',
      now: { arrivalsPerSecond: 100, rejectedPerSecond: 0 },
      bands: {
        waitP99: { low: 1, point: 1.5, high: 2 },
        rejectedPerSecond: { low: 0, point: 0, high: 0.1 },
        seats: { low: 30, point: 40, high: 50 },
      },
    },
  ],
  fit: [],
  runs: 12,
  seconds: 60,
  notes: [],
}
const pair = { a: 10, b: 20, change: 10, share: 1 }
const measured: Effect['measured'] = {
  fromMs: 130_000,
  untilMs: 400_000,
  compared: [
    {
      name: 'workload-low',
      in: 'both',
      numbers: {
        executing: { a: 60, b: 41 },
        limit: { a: 245, b: 103 },
        queued: pair,
        rejected: { a: 0, b: 0 },
        dispatched: pair,
        waitP99: { a: 0.1, b: 3.2 },
      },
    },
  ],
  levels: [
    {
      level: 'workload-low',
      quantities: { arrivalsPerSecond: 90, waitP99: 3.2, rejectedPerSecond: 0, seats: 41 },
    },
  ],
}
const effect: Effect = { id: '1', label: '', server: 'a', atMs: 100_000, forecast, measured }
const watched = { id: '1', untilMs: 730_000 }

it('shows every level before and after, and which numbers lie in their bands', () => {
  render(<EffectPane effect={effect} watched={watched} edited={[]} />)
  expect(screen.getByRole('status').textContent).toMatch(/^measuring until/)
  expect(screen.getByText('1 of 2 forecast numbers lie in their bands.')).toBeDefined()
  const before = within(screen.getByRole('table', { name: /^Before and after the edit/ }))
  expect(before.getByRole('row', { name: /^workload-low/ }).textContent).toContain('3.20 s100 ms')
  const judged = within(screen.getByRole('table', { name: /^Forecast and measurement/ }))
  const row = judged.getByRole('row', { name: /^workload-low/ })
  expect(row.textContent).toContain('3.20 s outside1.00 s – 2.00 s')
  // Too small to count either way: only what counts is shown, so that the sentence counts what is shown.
  expect(row.textContent).not.toContain('0 – 0.1')
  expect(row.textContent?.match(/ – /g)).toHaveLength(2)
})

it('puts the edited level first, with or without a number that counts', () => {
  const [low] = forecast.levels
  if (low === undefined) throw new Error('no level')
  const compared = [...measured.compared, ...measured.compared.map((one) => ({ ...one, name: 'system' }))]
  const quiet = { level: 'system', quantities: { arrivalsPerSecond: 90, rejectedPerSecond: 0 } }
  const both: Effect = {
    ...effect,
    forecast: { ...forecast, levels: [low, { ...low, level: 'system' }] },
    measured: { ...measured, compared, levels: [...measured.levels, quiet] },
  }
  const firstOf = (edited: readonly string[]): unknown[] =>
    presentEffect(both, null, edited).tables.map(({ rows }) => rows[0]?.[0])
  expect(firstOf([])).toEqual(['workload-low', 'workload-low'])
  expect(firstOf(['system'])).toEqual(['system', 'system'])
})

it('counts a number as inside whose text lies between the texts of the band', () => {
  const edge = {
    ...measured,
    levels: [{ level: 'workload-low', quantities: { arrivalsPerSecond: 90, rejectedPerSecond: 0, seats: 29.999 } }],
  }
  expect(effectSentences({ ...effect, measured: edge })[0]).toBe('The forecast number lies in its band.')
})

const effectSentences = (one: Effect): readonly string[] =>
  presentEffect(one, null).evidence.map((sentence) => sentenceText(sentence, format))
const watchText = (one: Effect): string => sentenceText(presentEffect(one, null).title, format)

it('says what there is to expect, and why there is nothing', () => {
  const { measured: _gone, ...early } = effect
  expect(effectSentences(early)).toEqual([
    'The first numbers appear about 50 s after the edit: limits settle for 30 s, and 20 s are measured.',
  ])
  expect(effectSentences({ ...early, ended: 'restarted' })).toEqual([
    'There are too few measurements to show an effect.',
  ])
  const { forecast: _none, ...alone } = effect
  expect(effectSentences(alone)).toEqual(['There was no forecast on the screen when this was applied.'])
  expect(effectSentences(effect)[1]).toBe('Farthest outside: workload-low, wait p99 3.20 s, forecast 1.00 s – 2.00 s.')
  expect(watchText({ ...effect, ended: 'complete' })).toBe('measured for ten minutes')
  expect(watchText(effect)).toBe('not measured any more')
})
