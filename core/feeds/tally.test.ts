import { expect, test } from 'vitest'
import { Waited } from './tally.ts'

test('what the server says of the waits is set beside those here, from the first scrape on', () => {
  const waited = new Waited()
  waited.note({ here: 50, server: 9_000 })
  expect(waited.sentence).toBeUndefined()
  waited.note({ here: 3_908, server: 10_434 })
  expect(waited.sentence).toContain('1434 s in all by the server’s own metrics, and 3858 s here')
  expect(waited.sentence).toContain('upper estimates')
})

test('waits that are nearly the same are not spoken of', () => {
  const waited = new Waited()
  waited.note({ here: 0, server: 0 })
  waited.note({ here: 108, server: 100 })
  expect(waited.sentence).toBeUndefined()
  waited.note({ here: 80, server: 100 })
  expect(waited.sentence).toContain('lower estimates')
})

test('a server that started again is compared from then on', () => {
  const waited = new Waited()
  waited.note({ here: 0, server: 500 })
  waited.note({ here: 900, server: 600 })
  waited.note({ here: 1_000, server: 3 })
  expect(waited.sentence).toBeUndefined()
  waited.note({ here: 1_008.5, server: 5 })
  expect(waited.sentence).toContain('waited 2.0 s in all by the server’s own metrics, and 8.5 s here')
})
