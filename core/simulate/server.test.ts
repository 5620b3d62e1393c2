import { expect, test } from 'vitest'
import { SimulatedLengths } from './server.ts'

const MS = 1e6
/** Twice as slow with ten seats, three times with twenty. */
const CURVE = [
  { seats: 0, slowdown: 1 },
  { seats: 10, slowdown: 2 },
  { seats: 20, slowdown: 3 },
]
const working = (executionNs: number, watchNs?: number) => ({ work: { executionNs, watchNs } })
const seated = (maxSeats: number, startedNs = 0) => ({ maxSeats, arrivedNs: 0, startedNs })

test('requests take longer the more seats are in use at this server, and their usual time when those have ended', () => {
  const lengths = new SimulatedLengths(CURVE)
  expect(lengths.begun(working(100 * MS), seated(10)).durationNs).toBe(200 * MS)
  expect(lengths.begun(working(100 * MS), seated(10)).durationNs).toBe(300 * MS)
  lengths.ended(working(0), seated(10))
  lengths.ended(working(0), seated(10))
  expect(lengths.begun(working(100 * MS), seated(10)).durationNs).toBe(200 * MS)
})

test('a handler is cut off a minute after its request arrived; a watch whose time was over by then has not begun', () => {
  const lengths = new SimulatedLengths([])
  expect(lengths.begun(working(10e9, 300e9), seated(1, 20e9))).toEqual({ durationNs: 10e9, watchNs: 300e9 })
  expect(lengths.begun(working(10e9, 300e9), seated(1, 55e9))).toEqual({ durationNs: 5e9, watchNs: 0 })
})

test('a watch of unknown duration ends when it is initialised', () => {
  expect(new SimulatedLengths([]).begun(working(10e9), seated(1)).watchNs).toBe(0)
})
