import { expect, it } from 'vitest'
import { stepText } from './seats.data.ts'

it('says what a step is worth, and what is assumed', () => {
  expect(stepText({ kind: 'bytes', label: '', value: 163_000, unit: 'bytes' })).toBe('163 kB')
  expect(stepText({ kind: 'objects', label: '', value: 1, unit: 'seats', assumed: true })).toBe('≈ 1')
  expect(stepText({ kind: 'latency', label: '', value: 5, unit: 'milliseconds' })).toBe('5.0 ms')
  expect(stepText({ kind: 'verb', label: '' })).toBe('')
})
