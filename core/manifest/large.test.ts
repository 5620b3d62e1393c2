import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readManifests } from './read.ts'

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
    expect.stringMatching(/^The text has more than 100000 values/),
  ])
})
