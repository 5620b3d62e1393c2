import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Connected } from '../../core/contract/source.ts'
import { seriesOf } from '../charts/seatChart.fixture.ts'
import { connectionStore } from '../state/connection.ts'
import { pastStore } from '../state/past.ts'
import { openScreen, startRoutes } from '../state/route.ts'
import { seriesStore } from '../state/series.ts'
import { settingsStore } from '../state/settings.ts'
import { instantOf, timeStore } from '../state/time.ts'
import { SPEEDS, TimeBar } from './TimeBar.tsx'

const START = Date.UTC(2026, 10, 21, 3)
const DAY_MS = 86_400_000
const PROD: Connected = {
  id: 1,
  source: { kind: 'scrape', name: 'prod', via: '/metrics' },
  spec: { kind: 'demo' },
  still: false,
  cadence: { intervalMs: 1_000, dumpsEveryMs: 5_000 },
  servers: [],
}

beforeEach(() => {
  vi.useFakeTimers()
  pastStore.setState({ extent: { first: START, last: START + DAY_MS, gaps: [], problems: [] } }, true)
  timeStore.getState().zoom(START, START + 600_000)
  timeStore.getState().goTo(START + 60_000)
  render(<TimeBar />)
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const instant = (): number => instantOf(timeStore.getState()) ?? 0

test.each(SPEEDS)('replays at ×%s', (speed) => {
  fireEvent.change(screen.getByLabelText('Speed of replay'), { target: { value: String(speed) } })
  const before = instant()
  fireEvent.click(screen.getByText('Replay'))
  act(() => void vi.advanceTimersByTime(10_000))
  expect(instant() - before).toBeCloseTo(10_000 * speed)
  fireEvent.click(screen.getByText('Hold'))
  const held = instant()
  act(() => void vi.advanceTimersByTime(10_000))
  expect(instant()).toBe(held)
})

test('keeps its layout: what cannot be used now is there, disabled', () => {
  for (const name of ['Previous mark', 'Next mark', 'Next sample'])
    expect(screen.getByRole('button', { name })).toHaveProperty('disabled', true)
  const gap = { after: START + 120_000 }
  act(() => pastStore.setState({ moment: { at: instant(), derived: [], health: [], gap } }))
  fireEvent.click(screen.getByRole('button', { name: 'Next sample' }))
  expect(instant()).toBe(START + 120_000)
})

test('goes from mark to mark by key and button, and no further than the last', () => {
  const marks = [30_000, 90_000, 120_000].map((after) => ({ source: 'prod', at: START + after, text: 'mark' }))
  act(() => {
    connectionStore.setState({ connection: PROD })
    settingsStore.setState({ marks })
  })
  const slider = screen.getByLabelText('Instant in the shown range')
  fireEvent.keyDown(slider, { key: 'ArrowRight', altKey: true })
  expect(instant()).toBe(START + 90_000)
  fireEvent.click(screen.getByText('Next mark'))
  fireEvent.click(screen.getByText('Next mark'))
  expect(instant()).toBe(START + 120_000)
  fireEvent.click(screen.getByText('Previous mark'))
  fireEvent.keyDown(slider, { key: 'ArrowLeft', altKey: true })
  expect(instant()).toBe(START + 30_000)
})

test('says that numbers are of the present until the instant is there', () => {
  const text = 'Charts show the range; everything else still shows the present.'
  expect(screen.getByText(text)).toBeTruthy()
  act(() => pastStore.setState({ moment: { at: instant(), derived: [], health: [] } }))
  expect(screen.queryByText(text)).toBeNull()
})

test.each(['fleet', 'connection', 'recordings', 'whatif/runs', 'whatif/scenarios', 'editor/journal', 'settings'])(
  'has nothing to move on %s, which shows the present',
  (screenName) => {
    let stop = (): void => undefined
    act(() => {
      pastStore.setState({ moment: { at: instant(), derived: [], health: [] } })
      location.hash = `#/${screenName}`
      stop = startRoutes()
    })
    expect(screen.queryByLabelText('Instant in the shown range')).toBeNull()
    act(() => openScreen('overview'))
    expect(screen.queryByLabelText('Instant in the shown range')).toBeTruthy()
    stop()
    location.hash = ''
  },
)

test('bars of the first sample and of gaps begin where the shown time does', () => {
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(616)
  cleanup()
  const series = { ...seriesOf({ a: { queuedRequestsMax: [2, 2] } }, 2, START), stepSeconds: 10 }
  seriesStore.setState({ series: { ...series, times: [START, START + 600_000] } })
  const gaps = [{ from: START - 60_000, to: START + 30_000 }]
  pastStore.setState({ extent: { first: START - 60_000, last: START + DAY_MS, gaps, problems: [] } })
  const { container } = render(<TimeBar />)
  const drawn = [...container.querySelectorAll('svg')].at(-1)
  // One pixel per second, and 8 pixels before the first.
  expect(drawn?.querySelector('path')?.getAttribute('d')).toMatch(/^M8 .*h1v.*zM598 .*h10v/)
  const gap = drawn?.querySelector('rect')
  expect([gap?.getAttribute('x'), gap?.getAttribute('width')]).toEqual(['8', '30'])
  vi.restoreAllMocks()
})

test('keeps bars below the words of marks', () => {
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(616)
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(58)
  cleanup()
  seriesStore.setState({ series: seriesOf({ a: { queuedRequestsMax: [2, 2] } }, 2, START) })
  settingsStore.setState({ marks: [{ source: 'prod', at: START + 300_000, text: 'mark' }] })
  connectionStore.setState({ connection: PROD })
  const { container } = render(<TimeBar />)
  const loupe = [...container.querySelectorAll('svg')].at(-1)
  const words = [...(loupe?.querySelectorAll('text') ?? [])].find((text) => text.textContent.includes('mark'))
  const [, ground = 0, height = 0] =
    /^M8 (\d+)v-(\d+)h/.exec(loupe?.querySelector('path')?.getAttribute('d') ?? '') ?? []
  expect(Number(ground) - Number(height)).toBeGreaterThan(Number(words?.getAttribute('y')))
  vi.restoreAllMocks()
  settingsStore.setState({ marks: [] })
})
