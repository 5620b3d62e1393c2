import { expect, test } from 'vitest'
import { peakOverMean, serverColumns, serverStrip, type ServerLoad } from './serverStrip.data.ts'

const load = (id: string, executing: number | undefined): ServerLoad => ({
  id,
  executing,
  nominal: 602,
  queuedSeats: 0,
})

test('peak ÷ mean of the executing seats', () => {
  const strip = serverStrip([load('a', 401), load('b', 491), load('c', 241)])
  expect(strip.busiest?.id).toBe('b')
  expect(strip.peakOverMean).toBeCloseTo(1.3, 2)
})

test('one unknown part, one server, or nothing executing: no index', () => {
  expect(peakOverMean([5, undefined])).toBeUndefined()
  expect(peakOverMean([5])).toBeUndefined()
  expect(peakOverMean([0, 0])).toBeUndefined()
  expect(peakOverMean([4, 0])).toBe(2)
})

test('more than eight servers: busiest, median and idlest', () => {
  const loads = Array.from({ length: 9 }, (_, i) => load(`s${i}`, i))
  expect(serverColumns(loads)).toEqual([
    { id: 's8', role: 'busiest' },
    { id: 's4', role: 'median' },
    { id: 's0', role: 'idlest' },
  ])
  expect(serverColumns(loads.slice(0, 3)).map((column) => column.id)).toEqual(['s0', 's1', 's2'])
})
