import { describe, expect, it } from 'vitest'
import { sentenceText, type Sentence } from '../answer/answer.ts'
import { plain } from '../text/format.ts'
import { overlapOf } from './overlap.ts'
import { oddsSentence, overlapSentence, pairsTable } from './present.ts'

const text = (sentence: Sentence): string => sentenceText(sentence, plain)

describe('chances', () => {
  const queuing = { queues: 128, handSize: 6 }
  it('have as many digits as tell shapes apart', () => {
    expect(text(oddsSentence(queuing, 16, 0.022_118))).toBe(
      'With 128 queues and hands of 6, 16 elephants cover a small flow’s hand with probability 2.21 %.',
    )
    expect(text(oddsSentence(queuing, 1, 1.84e-10))).toContain(
      '1 elephant covers a small flow’s hand with probability 1.8e-10.',
    )
    expect(text(oddsSentence({ queues: 1, handSize: 1 }, 1, 1))).toContain('With one queue')
    expect(plain.probability(0)).toBe('0 %')
  })
})

describe('overlaps in words', () => {
  const names = ['a', 'b', 'c', 'd', 'e'].map((distinguisher) => ({ schema: 's', distinguisher }))
  it('count pairs and flows without a queue to themselves', () => {
    const overlap = overlapOf(names, { queues: 2, handSize: 1 })
    expect(text(overlapSentence(overlap))).toMatch(
      /^\d+ of 10 pairs share a queue; .*no queue to (itself|themselves)\.$/,
    )
    expect(pairsTable(overlap).rows.map(([first, second]) => [first, second])).toEqual(
      overlap.pairs.map(({ first, second }) => [names[first]?.distinguisher, names[second]?.distinguisher]),
    )
  })
  it('are silent about one flow, and say when nothing is shared', () => {
    expect(overlapSentence(overlapOf(names.slice(0, 1), { queues: 2, handSize: 1 }))).toEqual([])
    expect(text(overlapSentence(overlapOf(names.slice(0, 2), { queues: 1_000_000, handSize: 1 })))).toBe(
      'No two flows share a queue; every flow has a queue to itself.',
    )
  })
})
