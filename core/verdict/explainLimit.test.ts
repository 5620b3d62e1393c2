import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sentenceText } from '../answer/answer.ts'
import { SPECIMENS } from '../diagnose/causes.fixture.ts'
import { plain } from '../text/format.ts'
import { explainLimit } from './explainLimit.ts'
import { level, server } from './levels.fixture.ts'

const wordsOf = (...given: Parameters<typeof explainLimit>): string => {
  const answer = explainLimit(...given)
  return answer === undefined ? '' : [answer.title, ...answer.evidence].map((one) => sentenceText(one, plain)).join(' ')
}

it('explains every limit of any server, and says nothing that the page contradicts', () => {
  const frames = SPECIMENS.slice(3, 10).flatMap(({ evidence }) =>
    evidence(3).servers.flatMap((one) => one.frames.slice(-1)),
  )
  fc.assert(
    fc.property(fc.constantFrom(...frames), (frame) => {
      for (const { name, limits } of frame.levels) {
        const words = wordsOf(frame, name)
        expect(words).toContain(`${name} of ${frame.id}`)
        const { current, nominal = 0 } = limits
        if (current === undefined) continue
        expect(words.includes('It borrows')).toBe(name !== 'exempt' && current > nominal)
        const isWithheld = frame.seatFairFrac === 0
        expect(words.includes('It lends')).toBe(name !== 'exempt' && current < nominal && !isWithheld)
      }
    }),
  )
})

it('says of seats that are withheld that exempt requests leave too few, and not that they are lent', () => {
  const levels = [
    level({ name: 'exempt', executing: 80, nominal: 0 }),
    level({ name: 'a', executing: 20, nominal: 100, current: 20, lower: 50, smoothed: 100 }),
  ]
  const words = wordsOf(server({ levels, seatFairFrac: 0 }), 'a')
  expect(words).toMatch(/Exempt requests leave 20 seats/)
  expect(words).not.toMatch(/lends/)
})

it('explains no level that the page does not contain, and says what a page lacks', () => {
  const frame = server({ levels: [level({ name: 'a', executing: 1, nominal: 5, current: 5 })] })
  expect(explainLimit(frame, 'b')).toBeUndefined()
  const [a] = frame.levels
  if (a === undefined) throw new Error('no level')
  const without = (changed: Partial<typeof a>): string => wordsOf({ ...frame, levels: [{ ...a, ...changed }] }, 'a')
  expect(without({ demand: {} })).toMatch(/has a limit of 5 seats.*not show high watermarks.* and smoothed/s)
  expect(without({ limits: { ...a.limits, current: undefined } })).toMatch(
    /has an unknown limit.*not show its current/s,
  )
  expect(without({ limits: { ...a.limits, nominal: undefined } })).toMatch(/has a limit of 5 seats\..*nominal limits/s)
})

it('says of a level whose floor is its maximum that its borrowing limit holds it', () => {
  const own = (name: string, upper: number, smoothed: number) =>
    level({ name, executing: smoothed, nominal: 8, lower: upper === 8 ? 8 : 0, upper })
  const frame = server({ levels: [own('bounded', 8, 70), own('other', 40, 2)] })
  expect(wordsOf(frame, 'bounded')).toMatch(/more than its maximum of 8: its borrowing limit holds it there/)
})
