import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readManifests } from './read.ts'
import { positionsIn } from './tree.ts'

const read = (text: string, file = 'a.yaml') => readManifests(text, { file, version: 'v1.37' })

const SCHEMA = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: team
spec:
  matchingPrecedence: -5
`
const pod = (name: string, lines: number): string =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    a: b\n  name: ${name}\nspec:\n${'  a: b\n'.repeat(lines)}`

test('a large export is read document by document: the objects of other kinds are named, ours are checked in place', () => {
  const ours = fc.record({ before: fc.nat(3), after: fc.nat(3) })
  fc.assert(
    fc.property(ours, ({ before, after }) => {
      const pods = (count: number, name: string): string[] =>
        Array.from({ length: count }, (_, i) => pod(`${name}-${i}`, 9))
      const parts = [...pods(before, 'x'), SCHEMA, ...pods(after, 'y'), SCHEMA]
      const small = read(parts.join('---\n'))
      const large = read([...parts, pod('big', 100_001)].join('---\n'))
      expect(large.findings).toEqual(small.findings)
      expect(large.documents.map(({ name }) => name)).toEqual(['team', 'team'])
      const said = (notes: typeof small.notes): string[] =>
        notes.filter(({ about }) => about === 'skipped').map(({ message }) => message)
      expect(said(large.notes)).toEqual([
        ...said(small.notes),
        'Pod “big” is not a flow-control object and was not checked.',
      ])
    }),
    { numRuns: 20 },
  )
})

test.each([
  ['short lines', 'a.yaml', `${SCHEMA}${'  a: b\n'.repeat(100_001)}`],
  ['one line', 'a.yaml', `${SCHEMA}  rules: [${'a,'.repeat(100_001)}]`],
  ['JSON', 'a.json', `[${'1,'.repeat(100_001)}1]`],
  ['many documents', 'a.yaml', `${SCHEMA}---\n`.repeat(15_000)],
])('a text of too many values is refused at once, and says how to get a smaller one: %s', (_, file, text) => {
  const { documents, findings } = read(text, file)
  expect(documents).toEqual([])
  expect(findings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^The text is too large to read whole/),
  ])
})

test.each([
  ['lists in lists', '- '.repeat(400_000)],
  ['keys without values', '? '.repeat(400_000)],
  ['aliases', `a: &a {b: c}\nd: [${'*a '.repeat(400_000)}]`],
  ['old line ends', 'a: b\r'.repeat(400_000)],
  ['quotes', `a: [${'"" '.repeat(400_000)}]`],
  ['one word', `a: "${'x'.repeat(4_200_000)}"`],
  ['documents of one word', `kind: FlowSchema\na: "${'x'.repeat(1_500_000)}"\n---\n`.repeat(3)],
])('a text of few lines that would take long is refused as well: %s', (_, text) => {
  expect(read(text).findings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^The text is too large to read whole/),
  ])
})

test('errors have their traces again after a text of nothing but errors was read', () => {
  expect(read('}'.repeat(200_000)).findings).toHaveLength(1)
  expect(new Error('later').stack).toContain('large.test.ts')
})

test('the first problems of a text are shown, and that there are more', () => {
  const { documents, findings } = read(`[${'{"kind":"FlowSchema","b":1,"b":1},'.repeat(24_000)}{}]`)
  expect(documents.length).toBeLessThan(10_000)
  expect(findings.at(-1)?.message).toBe('These are more than 10000 problems; objects after them were not checked.')
})

test.each([
  ['a banner', `${'# '.repeat(60)}x\na: b\n`],
  ['an action of spaces', `a: {{${' '.repeat(400_000)}}\n`],
  ['directives', '%\n'.repeat(2_000_000)],
])('what a text is takes linear time: %s', (_, text) => {
  expect(read(text).documents).toEqual([])
})

test('lines and columns are those of the text, wherever it is asked', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('', 'a', 'bcd'), { maxLength: 300 }), fc.nat(900), (lines, offset) => {
      const text = lines.join('\n')
      const at = Math.min(offset, text.length)
      const before = text.slice(0, at).split('\n')
      expect(positionsIn(text)(at)).toEqual({ line: before.length, column: (before.at(-1) ?? '').length + 1 })
    }),
  )
})
