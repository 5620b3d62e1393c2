import { act, cleanup, render } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { timeStore } from '../state/time.ts'
import { SeatChart } from './SeatChart.tsx'
import { seriesOf } from './seatChart.fixture.ts'
import { seatChartData, type SeatChartOptions } from './seatChart.data.ts'

const plot = { width: 700, height: 200, left: 50, right: 50, top: 8, bottom: 20 }
const OPTIONS = { exempt: false, exist: 602 }
const SILENT = [30, 31, null, null, null, null, null, 32, 33, 34]
const series = { ...seriesOf({ x: { executing: SILENT, current: SILENT, nominal: SILENT } }, 10) }
const mark = { at: 1_000, word: 'rejections', text: 'rejections' }

function draw(options: SeatChartOptions = OPTIONS): Element {
  const data = seatChartData(series, 'x', options)
  if (data === undefined) throw new Error('the level is in the series')
  const domain = { from: 0, to: 9_000 }
  return render(
    <SeatChart level="x" data={data} options={options} domain={domain} plot={plot} marks={[mark]} series={series} />,
  ).container
}

beforeEach(() => timeStore.setState(timeStore.getInitialState(), true))
afterEach(cleanup)

test('draws gaps below the words of marks, so that they cut none', () => {
  const drawn = draw()
  const words = [...drawn.querySelectorAll('text')].find((text) => text.textContent.endsWith('rejections'))
  const gap = drawn.querySelector('rect[class*=gap]')
  if (words === undefined || gap === null) throw new Error('both are drawn')
  expect(gap.compareDocumentPosition(words) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
})

test('labels its edge with the values of the chosen instant, not with those of the newest sample', () => {
  const drawn = draw()
  expect(drawn.textContent).toContain('limit 34')
  act(() => timeStore.getState().goTo(1_000))
  expect(drawn.textContent).toContain('limit 31')
  expect(drawn.textContent).not.toContain('limit 34')
})

test('draws what the history is judged by, on an axis that reaches it, with its words', () => {
  const drawn = draw({ ...OPTIONS, threshold: { seats: 90, label: '95 % of the time at most 90' } })
  const y = Number(
    /^M50 ([\d.]+)h600$/.exec(drawn.querySelector('path[class*=threshold]')?.getAttribute('d') ?? '')?.[1],
  )
  expect(y).toBeGreaterThan(plot.top)
  expect(y).toBeLessThan(plot.height - plot.bottom)
  expect(drawn.textContent).toMatch(/95.%.of the time at most 90/)
  expect(drawn.querySelector('svg')?.getAttribute('aria-label')).toMatch(/95.%.of the time at most 90/)
})
