import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom, type Random } from '../simulate/random.ts'
import { courseOf, pauseSeconds } from './course.ts'

const EVERY = 5
/** With fewer, the variance that is read from them is off by chance often enough to fail a run now and then. */
const INSTANTS = 4_000
const PER_SECOND = 20
const STEP = 0.02

const poisson = (random: Random, mean: number): number => {
  let [count, product] = [0, random()]
  for (const least = Math.exp(-mean); product > least; product *= random()) count++
  return count
}

/**
 * Requests under way at a level whose limit lets `PER_SECOND` end, of clients that pause for `pause` seconds on average;
 * of an open loop without a pause.
 */
function present(random: Random, pause: number | undefined): readonly number[] {
  const values: number[] = []
  let [underWay, pausing] = [400, (pause ?? 0) * PER_SECOND]
  for (let at = 0; values.length < INSTANTS; at += STEP) {
    if (at >= values.length * EVERY) values.push(underWay)
    const ended = poisson(random, PER_SECOND * STEP)
    const sent = pause === undefined ? poisson(random, PER_SECOND * STEP) : 0
    const back = pause === undefined ? 0 : poisson(random, (pausing * STEP) / pause)
    underWay += sent + back - ended
    if (pause !== undefined) pausing += ended - Math.min(back, pausing)
  }
  return values
}

test('the pauses of clients that wait in queues are read from how their requests balance', () => {
  fc.assert(
    fc.property(fc.integer(), fc.double({ min: 0.5, max: 5, noNaN: true }), (seed, pause) => {
      const course = courseOf(present(seededRandom(seed), pause), 0.9, EVERY)
      const found = course && pauseSeconds(course, PER_SECOND)
      expect(found).toBeGreaterThan(pause * 0.6)
      expect(found).toBeLessThan(pause * 1.7)
    }),
    { numRuns: 4 },
  )
})

test('requests that do not balance are those of an open loop, and requests that always do those without a pause', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const open = courseOf(present(seededRandom(seed), undefined), 0.9, EVERY)
      expect(open && pauseSeconds(open, PER_SECOND)).toBeUndefined()
    }),
    { numRuns: 4 },
  )
  const still = courseOf(
    Array.from({ length: 10 }, () => 40),
    0.9,
    EVERY,
  )
  expect(still && pauseSeconds(still, PER_SECOND)).toBeLessThan(0.01)
})

test('waves change nothing: the largest changes are left out', () => {
  const values = Array.from({ length: 40 }, (_, i) => (i === 20 ? 500 : 40 + (i % 2)))
  expect(courseOf(values, 0, EVERY)?.moved).toBeLessThan(3)
})
