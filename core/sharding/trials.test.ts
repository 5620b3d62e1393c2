import { expect, it } from 'vitest'
import { cellText } from '../answer/answer.ts'
import { plain } from '../text/format.ts'
import { agrees, dealTrials, presentTrials } from './trials.ts'

it.each([
  [{ queues: 16, handSize: 2 }, 4],
  [{ queues: 32, handSize: 4 }, 16],
  [{ queues: 128, handSize: 6 }, 16],
  [{ queues: 1, handSize: 1 }, 1],
])(
  'hands of %j and %i elephants are dealt as the formula says, within three standard deviations',
  (shape, elephants) => {
    const dealt = dealTrials(shape, elephants, 2_000)
    expect(Math.abs(dealt.covered - dealt.expected)).toBeLessThanOrEqual(Math.max(1, 3 * dealt.deviation))
    expect(agrees(dealt)).toBe(true)
    expect(dealTrials(shape, elephants, 2_000)).toEqual(dealt)
  },
)

it('says where they do not agree', () => {
  const off = { elephants: 4, trials: 1_000, covered: 200, expected: 100, deviation: 10 }
  const [row = []] = presentTrials([off]).tables[0]?.rows ?? []
  expect(row.map((cell) => cellText(cell, plain))).toEqual(['4', '1,000', '200', '100.0', '30.0', 'no'])
})
