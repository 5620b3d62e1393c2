import { expect, test } from 'vitest'
import { createInterrupts } from './interrupts.ts'

test('the first interrupt, however often it is forwarded, ends in order, and the next at once', () => {
  let at = 1_000
  const ends: string[] = []
  const interrupt = createInterrupts(
    () => ends.push('in order'),
    () => ends.push('at once'),
    () => at,
  )
  for (const after of [0, 1, 499, 1]) {
    at += after
    interrupt()
  }
  expect(ends).toEqual(['in order', 'in order', 'in order', 'at once'])
})
