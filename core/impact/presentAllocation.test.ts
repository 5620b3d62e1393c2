import { describe, expect, it } from 'vitest'
import { adjustmentLedger } from './adjustmentLedger.ts'
import { expectedAllocation, type ReportedAllocation } from './expected.ts'
import { sentenceText } from '../answer/answer.ts'
import { createFormat } from '../text/format.ts'
import { comparisonOf, fewNames, presentAllocation, sumNote } from './presentAllocation.ts'

/** nominal, min, max, high watermark, smoothed, current. */
type Numbers = readonly [number, number, number, number, number, number]
const report = (levels: Readonly<Record<string, Numbers>>, version = 'v1.36.3'): ReportedAllocation => ({
  version,
  levels: Object.entries(levels).map(([name, [nominal, lower, upper, highWatermark, smoothed, current]]) => ({
    name,
    limits: { nominal, lower, upper, current },
    demand: { highWatermark, smoothed },
  })),
})
const text = (sentence: Parameters<typeof sentenceText>[0]): string => sentenceText(sentence, createFormat('screen'))

function tell(reported: ReportedAllocation): string {
  const expected = expectedAllocation(reported)
  if (expected.kind === 'unknown') throw new Error('incomplete')
  const { title, evidence } = presentAllocation(expected, adjustmentLedger(reported.levels, expected.rule))
  return [title, ...evidence.slice(0, 1)].map(text).join(' ')
}
const compared = (reported: ReportedAllocation) => {
  const expected = expectedAllocation(reported)
  if (expected.kind === 'unknown') throw new Error('incomplete')
  const { tone, sentence } = comparisonOf(expected)
  return { tone, text: text(sentence) }
}

/** The worked example of the mock-ups, section 12 of the design: 602 seats. */
const STORY = report({
  'catch-all': [13, 13, 613, 0, 0, 13],
  exempt: [0, 0, 600, 5, 5, 5],
  'global-default': [49, 24, 649, 173, 182.7, 59],
  'leader-election': [25, 25, 625, 2, 3, 25],
  'node-high': [98, 73, 698, 27, 31.7, 73],
  system: [74, 50, 674, 38, 50.5, 50],
  'workload-high': [98, 49, 698, 75, 88.9, 75],
  'workload-low': [245, 24, 845, 928, 950.9, 307],
})

/** The three-case vectors of specification 6.5. */
const cases = (exempt: number, low: number): ReportedAllocation =>
  report({
    'catch-all': [30, 30, 900, 970, 970, 30],
    exempt: [0, 0, 870, exempt, exempt, exempt],
    'workload-high': [240, 120, 1110, 970, 970, 120],
    'workload-low': [600, 60, 1470, low, low, 60],
  })

describe('the sentence', () => {
  it('tells the story of the mock-ups', () => {
    expect(tell(STORY)).toBe(
      'Case 3 of 3: shared out. After exempt (up to 5) 597 seats remain, more than the sum of all floors (530), so all 602 seats are divided. 5 levels sit at their floor; global-default and workload-low get the same fraction p = 0.3229 of their target. node-high, system and workload-high lend 72; global-default and workload-low borrow 72.',
    )
    expect(compared(STORY)).toMatchObject({ tone: 'good' })
  })

  it('tells the cases without a fair fraction', () => {
    expect(tell(cases(970, 970))).toBe(
      'Case 1 of 3: held at min. exempt used up to 970 seats, so that nothing of 870 remains, no more than the sum of all mins (210). Every level keeps its min and nothing else.',
    )
    expect(tell(cases(330, 970))).toMatch(
      /^Case 2 of 3: between min and floor\. exempt used up to 330 seats, so that 540 of 870 remain: more than the sum of all mins \(210\), .* Every limit is 50 % of the way from its min to its floor/,
    )
  })

  it('tells an idle server, and one up to 1.30', () => {
    const idle = report({ a: [40, 20, 600, 0, 0, 60], b: [60, 20, 600, 0, 0, 40] })
    expect(tell(idle)).toContain('Every level gets the same fraction p = 2.5000 of its target, above 1')
    const old = report({ exempt: [0, 0, 600, 1, 1, 1], a: [40, 20, 600, 90, 90, 39] }, 'v1.30.14')
    expect(tell(old)).toMatch(/^Shared out, exempt included\. Servers up to 1\.30/)
  })
})

const noteOf = (...of: Parameters<typeof sumNote>): string => text(sumNote(...of))

describe('the comparison', () => {
  it('names what differs, with both numbers', () => {
    const levels = STORY.levels.map((level) =>
      level.name === 'system' ? { ...level, limits: { ...level.limits, current: 51 } } : level,
    )
    expect(compared({ ...STORY, levels, seatFairFrac: 0.5 })).toEqual({
      tone: 'bad',
      text: 'Not as expected by the rules from 1.31 on: system 51 instead of 50 and p 0.5000 instead of 0.3229. Two scrapes agree, and no level, configuration, process or version changed. The server may not follow the algorithm of its version.',
    })
  })

  it.each([
    [{ kind: 'one-page' } as const, /^Not compared: only one scrape has shown this reallocation/],
    [{ kind: 'deleted-level', seats: 26 } as const, /^Not compared: the nominal limits add up to 26 seats more/],
    [{ kind: 'new-level', levels: ['batch'] } as const, /^Not compared: batch appeared with it/],
    [{ kind: 'version' } as const, /^Not compared: the rules of this server’s version are unknown/],
  ])('of %o accuses nobody', (cause, wanted) => {
    const levels = STORY.levels.map((level) =>
      level.name === 'system' ? { ...level, limits: { ...level.limits, current: 51 } } : level,
    )
    const expected = expectedAllocation({ ...STORY, levels })
    if (expected.kind === 'unknown') throw new Error('not explained')
    const said = comparisonOf(expected, cause)
    expect(text(said.sentence)).toMatch(wanted)
    expect(said.tone).toBe('quiet')
  })

  it('always tells what rounding did', () => {
    expect(noteOf(602, 602, 'solver')).toBe('= nominal sum 602')
    expect(noteOf(603, 602, 'solver')).toBe('nominal sum 602, +1 by rounding')
    expect(noteOf(540, 602, 'between')).toBe('nominal sum 602, −62 for exempt')
    expect(noteOf(undefined, 602, 'solver')).toBe('')
  })
})

it('names at most three', () => {
  expect(fewNames(['a'])).toBe('a')
  expect(fewNames(['a', 'b', 'c'])).toBe('a, b and c')
  expect(fewNames(['a', 'b', 'c', 'd'])).toBe('a, b and 2 more')
})
