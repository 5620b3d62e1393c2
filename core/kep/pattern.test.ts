import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compilePattern } from './pattern.ts'

function pattern(source: string) {
  const compiled = compilePattern(source)
  if ('problem' in compiled) throw new Error(`${source} ${compiled.problem.message}`)
  return compiled.pattern
}

test.each([
  ['^([^-]*)-.*$', 'blue-team-bot', 'blue'],
  ['^([^-]*)-.*$', 'blue', undefined],
  ['system:serviceaccount:([^:]*):.*', 'system:serviceaccount:a:b', 'a'],
  ['(a|ab)(c|bcd)(d*)', 'abcd', 'a'],
  ['(a+?)(a*)', 'aaa', 'a'],
  ['(a+)(a*)', 'aaa', 'aaa'],
  ['a{2,3}(b?)', 'aaab', 'b'],
  ['a{2,3}', 'a', undefined],
  ['(?:x|(y))z', 'xz', ''],
  ['[a-c\\d_-]+', 'b-9_', ''],
  ['[^a-c]', 'b', undefined],
  ['\\.\\x41\\x{1F600}', '.A😀', ''],
  ['.', '😀', ''],
  ['\\bfoo\\b', 'foo', ''],
  ['(?P<name>.)b', 'ab', 'a'],
  ['', '', ''],
])('%s on %s', (source, text, group) => {
  expect(pattern(source).match(text)).toBe(group)
})

test.each([
  ['a(b', 1, 'has a ( without a )'],
  ['ab)', 2, 'has a ) without a ('],
  ['*a', 0, 'has a * with nothing to repeat'],
  ['(?=a)', 0, 'look-around and flags are not supported'],
  ['[z-a]', 2, 'range'],
  ['[a', 0, '[ without a ]'],
  ['a\\', 1, 'single \\'],
  ['\\1', 0, 'escape \\1'],
  ['((a{1000}){1000}){1000}', 0, 'steps'],
  ['a{1001}', 1, 'repetition'],
  ['('.repeat(200), 0, '100 deep'],
])('refuses %s with its place', (source, at, message) => {
  const compiled = compilePattern(source)
  if (!('problem' in compiled)) throw new Error('it was read')
  expect(compiled.problem.message).toContain(message)
  expect(compiled.problem.at).toBeGreaterThanOrEqual(at)
})

test('knows a text without any choice', () => {
  expect(pattern('system:nodes').literal).toBe('system:nodes')
  expect(pattern('a\\.b').literal).toBe('a.b')
  expect(pattern('a.b').literal).toBeUndefined()
  expect(pattern('a?').literal).toBeUndefined()
})

test('matches what a JavaScript expression matches', () => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(a)', '(a|b)', '(?:ab|)', 'a|b', '^', '$')
  const piece = fc
    .tuple(atom, fc.constantFrom('', '*', '+', '?', '{2}', '{0,2}', '*?'))
    .map(([a, r]) => (/[\^$|]$|\|/.test(a) && !a.endsWith(')') ? a : a + r))
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 6 }),
      fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 }),
      (pieces, text) => {
        const source = pieces.join('')
        const wanted = new RegExp(`^(?:${source})$`).test(text)
        expect(pattern(source).match(text) !== undefined).toBe(wanted)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('takes linear time where backtracking takes exponential time', () => {
  expect(pattern('(a*)*(a|aa)+b').match('a'.repeat(20_000))).toBeUndefined()
})
