import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Effect } from '../../../../core/contract/effect.ts'
import type { ForecastReport } from '../../../../core/contract/forecast.ts'
import { openStory, type Story } from '../../../../test/harness/story.ts'
import { setClient } from '../../../state/client.ts'
import { startState } from '../../../state/start.ts'
import { EffectCharts } from './EffectCharts.tsx'

const NOW = Date.UTC(2026, 10, 30, 12)
const atMs = NOW - 60_000

let story: Story
let stop: () => void

beforeEach(async () => {
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(400)
  story = await openStory({ history: 120, servers: 1, now: NOW })
  setClient(story.client)
  stop = startState(story.client)
})
afterEach(() => {
  cleanup()
  stop()
  story.stop()
  setClient(undefined)
  vi.restoreAllMocks()
})

const forecast = (server: string): ForecastReport => ({
  server,
  fromMs: 0,
  untilMs: 1,
  levels: [
    {
      level: 'workload-low',
      now: { arrivalsPerSecond: 20, rejectedPerSecond: 0 },
      bands: { seats: { low: 10, point: 20, high: 30 } },
      unsure: { waitP50: { to: 'rises', why: 'few requests wait' } },
    },
  ],
  fit: [],
  runs: 12,
  seconds: 60,
  notes: [],
})

it('draws each quantity of the edited levels in their order, with a band or the reason for none', async () => {
  const server = story.connections()[0]?.servers[0]?.id ?? ''
  const levels = [{ level: 'workload-low', quantities: { arrivalsPerSecond: 20, rejectedPerSecond: 0, seats: 25 } }]
  const measured: Effect['measured'] = { fromMs: atMs + 30_000, untilMs: NOW, compared: [], levels }
  const effect: Effect = { id: '1', label: '', server, atMs, forecast: forecast(server), measured, ended: 'complete' }
  const { container } = render(<EffectCharts effect={effect} edited={['workload-low', 'global-default', 'crawler']} />)
  await screen.findAllByRole('figure')
  const captions = [...container.querySelectorAll('figcaption')].map(({ textContent }) => textContent ?? '')
  const of = ['wait p50', 'wait p99', 'rejected /s', 'seats', 'limit']
  expect(captions).toHaveLength(10)
  for (const [index, what] of of.entries()) {
    expect(captions[index]).toMatch(new RegExp(`^workload-low: ${what}`))
    // Deleted with the edit: it is not among the measured ones.
    expect(captions[5 + index]).toMatch(new RegExp(`^global-default: ${what}.* deleted$`))
  }
  expect(captions[0]).toContain('no band, because few requests wait; rises')
  expect(captions[1]).toMatch(/no forecast$/)
  expect(captions[3]).toContain('10 – 30')
  const bands = [...container.querySelectorAll('figure')].map((figure) => figure.querySelectorAll('rect').length)
  // The time in which limits settle has one in each.
  expect(bands).toEqual([1, 1, 1, 2, 1, 1, 1, 1, 1, 1])
  for (const figure of container.querySelectorAll('figure')) expect(figure.querySelector('path')).toBeTruthy()
  expect(screen.getByText('crawler: no history around the edit.')).toBeTruthy()
})
