import { expect, it } from 'vitest'
import { stepText } from './seats.data.ts'
import { contextOf, isUnreadable } from './supposed.ts'

it('takes whole numbers and leaves out the rest', () => {
  expect(contextOf({ count: '42', averageSize: '3900', watchers: '' })).toEqual({
    objects: { count: 42, averageSize: 3900 },
  })
  expect(contextOf({ count: 'many', averageSize: '3900', watchers: ' 25 ' })).toEqual({ watchers: 25 })
  expect([isUnreadable(''), isUnreadable('4.5'), isUnreadable('7')]).toEqual([false, true, false])
})

it('says what a step is worth, and what is assumed', () => {
  expect(stepText({ kind: 'bytes', label: '', value: 163_000, unit: 'bytes' })).toBe('163 kB')
  expect(stepText({ kind: 'objects', label: '', value: 1, unit: 'seats', assumed: true })).toBe('≈ 1')
  expect(stepText({ kind: 'latency', label: '', value: 5, unit: 'milliseconds' })).toBe('5.0 ms')
  expect(stepText({ kind: 'verb', label: '' })).toBe('')
})
