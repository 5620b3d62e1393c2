import { expect, test } from 'vitest'
import { ReportedWaits, Waited } from './tally.ts'

test('the waits of a server are compared with those here, from the first scrape on', () => {
  const waited = new Waited()
  waited.note({ atMs: 1_000, here: 50, server: 9_000 })
  expect(waited.reported).toBeUndefined()
  waited.note({ atMs: 6_000, here: 3_908, server: 10_434 })
  expect(waited.reported).toEqual({ sinceMs: 1_000, here: 3_858, server: 1_434 })
})

test('a restarted server is compared from its start on', () => {
  const waited = new Waited()
  waited.note({ atMs: 1_000, here: 0, server: 500 })
  waited.note({ atMs: 2_000, here: 900, server: 600 })
  waited.note({ atMs: 3_000, here: 1_000, server: 3 })
  expect(waited.reported).toBeUndefined()
  waited.note({ atMs: 4_000, here: 1_008.5, server: 5 })
  expect(waited.reported).toEqual({ sinceMs: 3_000, here: 8.5, server: 2 })
})

test('waits in events, and the longest possible waits of events without one', () => {
  const waits = new ReportedWaits()
  waits.note(700)
  waits.note(300, 400)
  waits.note(undefined, 250)
  waits.note(undefined)
  expect(waits.bounds).toEqual({ told: 1, untold: 0.25, guessed: 0 })
})
