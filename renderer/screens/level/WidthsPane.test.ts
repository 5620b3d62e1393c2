import { expect, test } from 'vitest'
import { histogramOf, levelFrame, schemaFrame } from '../../../test/fixtures/frames.ts'
import { queuesSentence, widthRows } from './WidthsPane.tsx'

test('divides requests by width with the bounds of old and new releases', () => {
  const old = schemaFrame('old', { estimatedSeats: histogramOf([1, 2, 4, 10], [6, 1, 1, 1, 1], 30) })
  const later = schemaFrame('later', {
    estimatedSeats: histogramOf([1, 2, 4, 8, 16, 32, 64, 100], [50, 25, 0, 25, 0, 0, 0, 0, 0], 250),
    watchCount: histogramOf([0, 1, 10], [0, 4, 0, 0], 4),
    queueLength: histogramOf([0, 10, 25, 50], [0, 99, 0, 1, 0], 200),
  })
  const none = schemaFrame('none')
  const rows = widthRows(levelFrame('a', [old, none, later]))
  expect(rows.map(({ name }) => name)).toEqual(['later', 'old', 'none'])
  expect(rows.map(({ shares }) => shares)).toEqual([[0.5, 0.25, 0, 0.25], [0.6, 0.1, 0.1, 0.2], undefined])
  expect(rows[0]).toMatchObject({
    requests: 100,
    writes: 4,
    watchersMean: 1,
    queueMean: 2,
    queueP99: { above: 0, upTo: 10 },
  })
  expect(rows[2]).toMatchObject({ requests: undefined, writes: undefined, queueP99: undefined })
})

test('tells one flow with a long queue from a level whose queues are all long', () => {
  const level = (...counts: readonly number[]) =>
    levelFrame('a', [schemaFrame('one', { queueLength: histogramOf([0, 10, 25, 50], counts, 1) }), schemaFrame('none')])
  expect(queuesSentence(level(0, 100, 0, 0, 0))).toBeUndefined()
  expect(queuesSentence(level(0, 0, 0, 0, 0))).toBeUndefined()
  expect(queuesSentence(level(0, 98, 0, 2, 0))).toBe(
    '2 % of the requests met a queue longer than 10: few queues are long, so that probably few flows flood their hands.',
  )
  expect(queuesSentence(level(0, 20, 40, 40, 0))).toContain('all queues are long')
})
