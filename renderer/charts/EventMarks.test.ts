import { expect, it } from 'vitest'
import { marksNear, placeMarks, type EventMark } from './EventMarks.tsx'

const plot = { width: 700, height: 200, left: 50, right: 50, top: 8, bottom: 20 }
/** One pixel a second. */
const domain = { from: 0, to: 600_000 }
const mark = (seconds: number, text = 'changed'): EventMark => ({ at: seconds * 1_000, word: 'edit', text })

it('shows the marks of the domain, each where its instant is', () => {
  expect(placeMarks([mark(300), mark(-1), mark(601), mark(100)], domain, plot)).toEqual([
    { x: 150, marks: [mark(100)], label: '100 s edit' },
    { x: 350, marks: [mark(300)], label: '300 s edit' },
  ])
})

it('draws one line for what lies on one another, and says how many', () => {
  const [only, ...others] = placeMarks([mark(100), mark(103), mark(105)], domain, plot)
  expect(others).toEqual([])
  expect(only?.marks).toHaveLength(3)
  expect(only?.label).toMatch(/edit \+2$/)
})

it('leaves out words that would run into the next mark or over the edge', () => {
  expect(placeMarks([mark(100), mark(150), mark(560)], domain, plot).map(({ label }) => label !== undefined)).toEqual([
    false,
    true,
    false,
  ])
})

it('needs as much room as its words have, which are longer for several marks', () => {
  const at = Date.UTC(2026, 0, 1)
  const rejections = (seconds: number): EventMark => ({
    ...mark(seconds),
    at: at + seconds * 1_000,
    word: 'rejections',
  })
  const shown = placeMarks([rejections(100), rejections(101), rejections(210)], { from: at, to: at + 600_000 }, plot)
  expect(shown.map(({ label }) => label)).toEqual([undefined, '00:03:30 rejections'])
})

it('names the marks under the cursor', () => {
  const marks = [mark(100, 'one'), mark(300, 'two')]
  expect(marksNear(marks, 302_000, domain, plot)).toEqual([mark(300, 'two')])
  expect(marksNear(marks, 200_000, domain, plot)).toEqual([])
})
