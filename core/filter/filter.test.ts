import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compileFilter,
  complaintOf,
  filterText,
  parseDuration,
  parseFilter,
  type Vocabulary,
  contains,
  glob,
} from './filter.ts'

interface Row {
  readonly user: string
  readonly verb: string
  readonly queue: number
  readonly waitMs: number | undefined
  readonly seats: number
}
const vocabulary: Vocabulary<Row> = {
  texts: {
    user: { of: (row) => row.user },
    verb: { of: (row) => row.verb },
    queue: { of: (row) => String(row.queue), whole: true },
  },
  amounts: {
    wait: { of: (row) => row.waitMs, unit: 'duration' },
    seats: { of: (row) => row.seats, unit: 'count' },
  },
  free: (row) => [row.user, row.verb],
}
const row: Row = { user: 'system:node:n1', verb: 'list', queue: 3, waitMs: 2_000, seats: 5 }
const passes = (text: string, change: Partial<Row> = {}): boolean =>
  compileFilter(parseFilter(text, vocabulary), vocabulary)({ ...row, ...change })

describe('the filter', () => {
  it.each([
    ['', true],
    ['user:node', true],
    ['user:alice', false],
    ['user:system:*', true],
    ['user:*:n2', false],
    ['user:alice,n1', true],
    ['-user:alice,n1', false],
    ['USER:Node', true],
    ['verb:list user:node', true],
    ['verb:get user:node', false],
    ['queue:3', true],
    ['queue:33', false],
    ['wait>1s', true],
    ['wait>2500ms', false],
    ['wait>=2', true],
    ['wait≥2s', true],
    ['wait<2s', false],
    ['wait<=2s', true],
    ['wait=2s', true],
    ['wait!=2s', false],
    ['-wait>1s', false],
    ['seats>4', true],
    ['seats=5', true],
    ['system:node', true],
    ['"node:n1"', true],
    ['user:"system:node:n1"', true],
    ['user:"n1,n2"', false],
    ['user:"n1,n2",node', true],
    ['"node', true],
    ['secrets', false],
    ['-secrets', true],
  ])('%s passes: %s', (text, expected) => expect(passes(text)).toBe(expected))

  it('holds no comparison for what a row does not have', () => {
    expect(passes('wait<1s', { waitMs: undefined })).toBe(false)
    expect(passes('-wait<1s', { waitMs: undefined })).toBe(false)
  })

  it.each([
    ['wait>soon', 'Write a duration: wait>5s.'],
    ['seats>1s', 'Write a number: seats>2.'],
    ['seats:3', 'seats takes a comparison, such as seats>1.'],
    ['user:', 'Enter a value after user:.'],
    ['verb>3', 'verb cannot be compared; wait, seats can.'],
  ])('explains %s and hides nothing for it', (text, why) => {
    expect(parseFilter(text, vocabulary)).toEqual([{ kind: 'unknown', text, why }])
    expect(passes(text)).toBe(true)
  })

  it.each([['a '.repeat(1_001)], ['"'.repeat(2_001)], ['user:'.padEnd(10_000_000, 'a')]])(
    'does not apply a filter that is too long',
    (text) => {
      expect(parseFilter(text, vocabulary)).toEqual([
        { kind: 'unknown', text, why: 'A filter has at most 2000 characters.' },
      ])
    },
  )

  it('understands any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(typeof passes(text)).toBe('boolean')
      }),
    )
  })

  it('finds a row by any of its own values', () => {
    const name = fc
      .string({ unit: 'grapheme-ascii', minLength: 1 })
      .filter((text) => /[^\s"*,]/.test(text) && !text.includes('*'))
    fc.assert(
      fc.property(name, (user) => {
        expect(passes(filterText('user', user.replaceAll(/[",]/g, '')), { user: user.replaceAll(/[",]/g, '') })).toBe(
          true,
        )
      }),
    )
  })

  it('reads durations', () => {
    expect(['5s', '200ms', '1.5', '2min', '1h', 'x', ''].map(parseDuration)).toEqual([
      5_000,
      200,
      1_500,
      120_000,
      3_600_000,
      undefined,
      undefined,
    ])
  })
})

/** Whether a pattern covers a text, by a table of all their beginnings. */
function covers(pattern: string, text: string): boolean {
  let reached = [true, ...Array.from(text, () => false)]
  for (const symbol of pattern) {
    const next = [symbol === '*' && reached[0] === true]
    for (let i = 0; i < text.length; i++)
      next.push(
        symbol === '*' ? reached[i + 1] === true || next[i] === true : reached[i] === true && text[i] === symbol,
      )
    reached = next
  }
  return reached[text.length] === true
}

const few = (letters: string) => fc.string({ unit: fc.constantFrom(...letters.split('')), maxLength: 12 })

it('a pattern covers what a table of all beginnings says', () => {
  fc.assert(
    fc.property(few('ab*'), few('ab'), (pattern, text) => {
      expect(glob(pattern)(text)).toBe(covers(pattern, text))
    }),
    { numRuns: 5_000 },
  )
})

it('a text contains what the language itself finds', () => {
  fc.assert(
    fc.property(few('ab'), few('ab'), (part, text) => {
      expect(contains(part)(text)).toBe(text.includes(part))
    }),
    { numRuns: 2_000 },
  )
})

it.each([
  ['a.c', 'abc', false],
  ['a.*', 'a.\n', true],
  ['(*)', '(x)', true],
  ['*a', 'a', true],
  ['a*a', 'a', false],
  ['**', '', true],
])('%s against %j: %s', (pattern, text, expected) => expect(glob(pattern)(text)).toBe(expected))

it('says what is wrong with a token, and which key may be meant', () => {
  const complaints = (text: string) => parseFilter(text, vocabulary).map((token) => complaintOf(token, vocabulary))
  expect(complaints('vreb:list')).toEqual([
    'Unknown key vreb; did you mean verb:? Searching for the text vreb:list instead.',
  ])
  expect(complaints('colour:red')).toEqual(['Unknown key colour; searching for the text colour:red.'])
  expect(complaints('system:node user:alice nodes')).toEqual([undefined, undefined, undefined])
})
