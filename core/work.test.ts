import { expect, test } from 'vitest'
import { asPart, finish, rememberWork, type Work } from './work.ts'

function* counting(to: number): Work<{ readonly to: number }> {
  for (let done = 1; done <= to; done++) yield done / to
  return { to }
}

test('a part of other work counts within it', () => {
  expect([...asPart(counting(2), 0.5, 1)]).toEqual([0.75, 1])
  expect(finish(asPart(counting(2), 0.5, 1))).toEqual({ to: 2 })
})

test('what came to its end is done once; what was left is done again', () => {
  let begun = 0
  const once = rememberWork(1, (to: number) => {
    begun++
    return counting(to)
  })
  once('two', 2).next()
  expect(finish(once('two', 2))).toBe(finish(once('two', 2)))
  expect(begun).toBe(2)
  finish(once('three', 3))
  finish(once('two', 2))
  expect(begun).toBe(4)
})
