import { describe, expect, it } from 'vitest'
import { jsonOf } from './tree.ts'
import { readYaml } from './yamlTree.ts'

const valueOf = (text: string): unknown => {
  const [document] = readYaml(text)
  return document?.tree === undefined ? document?.problems[0]?.message : jsonOf(document.tree)
}

describe('readYaml', () => {
  it('reads tags as kubectl does', () => {
    expect(valueOf(`a: !!str 1\nb: !!int "7"\nc: !!bool "yes"\nd: !foo on\ne: "on"\nf: 'no'\n`)).toEqual({
      a: '1',
      b: 7,
      c: true,
      d: 'on',
      e: 'on',
      f: 'no',
    })
    expect(valueOf('a: !!int 5x\n')).toBe('“5x” does not match its tag (int).')
  })

  it('refuses the escape that YAML 1.1 has not', () => {
    expect(valueOf('a: "b\\/c"\n')).toMatch(/^The API server reads YAML 1\.1/)
    expect(valueOf('a: "b\\\\/c"\n')).toEqual({ a: 'b\\/c' })
    expect(valueOf("a: 'b\\/c'\n")).toEqual({ a: 'b\\/c' })
  })

  it('reads keys that are no words as the words that JSON has for them', () => {
    expect(valueOf('1: a\non: b\n1.0: c\n')).toEqual({ '1': 'c', true: 'b' })
    for (const text of ['? [a]\n: b\n', '~: a\n', ': a\n'])
      expect(valueOf(text)).toBe('A key must be a string, number or boolean.')
  })

  it('reads anchors and merge keys, which replace what stands before them', () => {
    expect(valueOf('a: &x {p: 1}\nb: *x\n')).toEqual({ a: { p: 1 }, b: { p: 1 } })
    expect(valueOf('a: 1\n<<: {a: 2, b: 3}\nb: 4\n')).toEqual({ a: 2, b: 4 })
    expect(readYaml('a: 1\n<<: {a: 2, b: 3}\nb: 4\n')[0]?.problems).toMatchObject([
      { path: ['a'], severity: 'warning', at: { from: 5, to: 7 } },
    ])
    expect(valueOf('<<: [{a: 1}, {a: 2, b: 3}]\n')).toEqual({ a: 1, b: 3 })
    expect(valueOf(`'<<': {a: 1}\n`)).toEqual({ '<<': { a: 1 } })
    expect(valueOf('<<: 1\n')).toBe('A merge key (<<) needs a map or a list of maps.')
    expect(valueOf('a: *nope\n')).toBe('There is no anchor &nope before this alias.')
    expect(valueOf('a: &a [*a]\n')).toBe('The anchor &a contains itself.')
  })

  it('refuses bombs at once, in one sentence', () => {
    const levels = Array.from(
      { length: 40 },
      (_, i) => `x${i + 1}: &x${i + 1} [${Array(10).fill(`*x${i}`).join(', ')}]`,
    )
    const [document, ...others] = readYaml(['x0: &x0 1', ...levels].join('\n'))
    expect(others).toEqual([])
    expect(document?.tree).toBeUndefined()
    expect(document?.problems.map(({ message }) => message)).toEqual([
      'The aliases repeat more than 10000 values; write the values out instead.',
    ])
    expect(valueOf(`${'['.repeat(200)}${']'.repeat(200)}`)).toBe('Values are nested more than 100 deep.')
    expect(valueOf('['.repeat(5_000))).toBe('Values are nested more than 100 deep.')
  })

  it('tells one syntax error a document, and goes on with the next', () => {
    const documents = readYaml('a: [\n---\nb: 1\n---\n\tc: 1\n')
    expect(documents.map(({ tree, problems }) => tree?.type ?? problems.length)).toEqual([1, 'mapping', 1])
    expect(documents[2]?.problems[0]?.message).toMatch(/^A tab is used as indentation/)
  })

  it('takes documents without content for none', () => {
    expect(readYaml('# only\n---\n---\n# and\n').filter(({ tree }) => tree !== undefined)).toEqual([])
    expect(valueOf('~\n')).toBeNull()
  })

  it('warns of octal numbers', () => {
    const [document] = readYaml('a: 0700\nb: "0700"\n')
    expect(document?.problems).toMatchObject([{ path: ['a'], severity: 'warning', message: /means 448/ }])
  })
})
