import { expect, test } from 'vitest'
import { builtInObjects } from '../../../../core/config/builtIn.ts'
import { sharesForSeats } from '../../../../core/impact/shareCalculator.ts'
import { seatsAnswer } from './LevelFacts.tsx'

const answerOf = (nominal: number) => seatsAnswer(sharesForSeats(builtInObjects('v1.36.3'), 600, 'system', nominal))

test('the calculator says what a nominal limit takes, and what the others lose', () => {
  expect(answerOf(74)).toBe('30 shares already give 74 seats')
  expect(answerOf(100)).toBe('43 shares give 100 seats; the others lose 24')
  expect(answerOf(20)).toMatch(/^\d shares give 2\d seats; the others gain \d+$/)
  expect(answerOf(700)).toMatch(/seats/)
  expect(seatsAnswer(undefined)).toBe('Enter a whole number of seats.')
})
