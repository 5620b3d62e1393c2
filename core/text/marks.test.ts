import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFormat } from './format.ts'
import { marksNear, placeFirst, placeMarks, type EventMark } from './marks.ts'

const plot = { width: 700, height: 200, left: 50, right: 50, top: 8, bottom: 20 }
/** One pixel a second. */
const domain = { from: 0, to: 600_000 }
const place = { domain, plot, time: createFormat('screen').time }
const mark = (seconds: number, text = 'changed'): EventMark => ({ at: seconds * 1_000, word: 'edit', text })

it('shows the marks of the domain, each where its instant is', () => {
  expect(placeMarks([mark(300), mark(-1), mark(601), mark(100)], place)).toEqual([
    { x: 150, marks: [mark(100)], label: '100 s edit' },
    { x: 350, marks: [mark(300)], label: '300 s edit' },
  ])
})

it('draws one line for what lies on one another, and says how many', () => {
  const [only, ...others] = placeMarks([mark(100), mark(103), mark(105)], place)
  expect(others).toEqual([])
  expect(only?.marks).toHaveLength(3)
  expect(only?.label).toMatch(/edit \+2$/)
})

it('leaves out words that would run into the next mark or over the edge', () => {
  expect(placeMarks([mark(100), mark(150), mark(560)], place).map(({ label }) => label !== undefined)).toEqual([
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
  const shown = placeMarks([rejections(100), rejections(101), rejections(210)], {
    ...place,
    domain: { from: at, to: at + 600_000 },
  })
  expect(shown.map(({ label }) => label)).toEqual([undefined, '00:03:30 rejections'])
})

/** The first rejection among marks, seconds. */
const firstAmong = (first: number, ...at: readonly number[]) =>
  placeFirst(
    first * 1_000,
    placeMarks(
      at.map((seconds) => mark(seconds)),
      place,
    ),
    place,
  )

it.each([
  ['on its right', firstAmong(100), { x: 150, words: { x: 156, anchor: 'start', text: '100 s first rejection' } }],
  ['on its left, late', firstAmong(500), { x: 550, words: { x: 544, anchor: 'end', text: '500 s first rejection' } }],
  ['on the side without a mark', firstAmong(400, 350), { words: { x: 456, anchor: 'start' } }],
  ['without its time between near marks', firstAmong(300, 250, 430), { words: { text: 'first rejection', x: 356 } }],
  ['beyond the mark that it lies on', firstAmong(100, 103), { words: { x: 159, text: '100 s first rejection' } }],
  ['nowhere where no side has room', firstAmong(300, 270, 330), { x: 350, words: undefined }],
])('labels the first rejection %s', (_, placed, expected) => {
  expect(placed).toMatchObject(expected)
})

it('keeps all words of a chart off its lines, off each other and inside', () => {
  const seconds = fc.integer({ min: -20, max: 620 })
  fc.assert(
    fc.property(fc.array(seconds, { maxLength: 8 }), fc.integer({ min: 0, max: 600 }), (at, first) => {
      const events = at.map((one) => mark(one))
      const { x, words } = placeFirst(first * 1_000, placeMarks(events, place), place)
      const marks = placeMarks(events, place, x)
      const lines = [x, ...marks.map((one) => one.x)]
      const width = (text: string): number => text.length * 6
      const ofMarks = marks.flatMap((one) =>
        one.label === undefined ? [] : [{ from: one.x + 6, to: one.x + 6 + width(one.label) }],
      )
      const ofFirst =
        words === undefined
          ? []
          : words.anchor === 'start'
            ? [{ from: words.x, to: words.x + width(words.text) }]
            : [{ from: words.x - width(words.text), to: words.x }]
      for (const { from, to } of [...ofMarks, ...ofFirst]) {
        expect(lines.filter((line) => line > from && line < to)).toEqual([])
        expect(from).toBeGreaterThanOrEqual(plot.left)
        expect(to).toBeLessThanOrEqual(plot.width - plot.right)
      }
      // They stand in a row of their own, with nothing beside them.
      const ordered = ofMarks.toSorted((a, b) => a.from - b.from)
      for (const [index, { to }] of ordered.entries()) expect(ordered[index + 1]?.from ?? Infinity).toBeGreaterThan(to)
    }),
  )
})

it('names the marks under the cursor', () => {
  const marks = [mark(100, 'one'), mark(300, 'two')]
  expect(marksNear(marks, 302_000, domain, plot)).toEqual([mark(300, 'two')])
  expect(marksNear(marks, 200_000, domain, plot)).toEqual([])
})
