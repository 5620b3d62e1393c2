import { expect, it } from 'vitest'
import { contains, glob, type Characters, compileFilter, parseFilter } from '../../core/filter/filter.ts'
import { LIVE_VOCABULARY } from '../../core/live/liveFilter.ts'
import { liveRequest } from '../../core/live/live.fixture.ts'
import { Random } from '../harness/engine/random.ts'

/** Counts how often a character of the text is read. */
class Counted implements Characters {
  reads = 0
  private readonly text: string
  constructor(text: string) {
    this.text = text
  }
  get length(): number {
    return this.text.length
  }
  charCodeAt(index: number): number {
    this.reads += 1
    return this.text.charCodeAt(index)
  }
}

function readsOf(pattern: string, text: string): number {
  const counted = new Counted(text)
  glob(pattern)(counted)
  contains(pattern)(counted)
  return counted.reads
}

/** Few letters make many near misses, which is what a matcher that tries again pays for. */
function textOf(random: Random, letters: string): string {
  let text = ''
  for (let length = random.below(24); length > 0; length--) text += random.pick(letters.split(''))
  return text
}

it('a million random filters read each character of a row a bounded number of times', () => {
  const random = new Random(11)
  let worst = 0
  for (let run = 0; run < 1_000_000; run++) {
    const text = textOf(random, 'ab')
    const reads = readsOf(textOf(random, 'ab**'), text)
    worst = Math.max(worst, reads / (text.length + 1))
  }
  expect(worst).toBeLessThanOrEqual(4)
})

it.each([
  ['*a*a*a*b', 'a'.repeat(100_000)],
  [`${'*a'.repeat(500)}*b`, 'a'.repeat(100_000)],
  [`*${'a'.repeat(900)}b*`, 'a'.repeat(100_000)],
  [`*${'ab'.repeat(450)}c`, 'ab'.repeat(50_000)],
])('a filter made to be slow is not', (pattern, text) => {
  expect(readsOf(pattern, text)).toBeLessThanOrEqual(4 * text.length)
})

it('the filter that took 55 seconds for a row answers', () => {
  const passes = compileFilter(parseFilter('user:*a*a*a*b', LIVE_VOCABULARY), LIVE_VOCABULARY)
  expect(passes(liveRequest({ user: 'a'.repeat(5_000) }))).toBe(false)
  expect(passes(liveRequest({ user: `${'a'.repeat(5_000)}b` }))).toBe(true)
})
