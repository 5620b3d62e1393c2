import { expect, test } from 'vitest'
import { complete } from './completion.ts'
import { HELP } from './help.ts'
import { helpBlocks, meaningOf, summaryOf, type CommandName } from './helpText.ts'
import { COMMANDS } from './run.ts'

const completed = async (...words: readonly string[]) => {
  const { candidates, files } = await complete(words, COMMANDS)
  return { words: candidates.map(({ word }) => word), files }
}

test('commands come first, with what they do', async () => {
  expect((await completed('')).words).toEqual(Object.keys(COMMANDS))
  const { candidates } = await complete(['val'], COMMANDS)
  expect(candidates).toEqual([{ word: 'validate', meaning: summaryOf('validate') }])
  expect((await completed('-')).words).toEqual(['--help', '--version'])
})

test('then options, each once unless it may be repeated', async () => {
  expect((await completed('snapshot', '--co')).words).toEqual(['--context', '--compact'])
  expect((await completed('snapshot', '--context', 'a', '--context')).words).toEqual([])
  expect((await completed('snapshot', '--server', 'https://a', '--server')).words).toContain('--server')
  const { candidates } = await complete(['validate', '--kube'], COMMANDS)
  expect(candidates[0]?.meaning).toMatch(/^the version whose rules apply/)
})

test('and what an option takes, as help writes it', async () => {
  expect(await completed('validate', '--output', 's')).toEqual({ words: ['sarif'], files: false })
  expect(await completed('validate', '--output=s')).toEqual({ words: ['--output=sarif'], files: false })
  // The words as bash splits them.
  expect(await completed('validate', '--output', '=', 's')).toEqual({ words: ['sarif'], files: false })
  expect((await completed('validate', '--output', '=')).words).toHaveLength(4)
  expect(await completed('snapshot', '--kubeconfig', '')).toEqual({ words: [], files: true })
  expect(await completed('snapshot', '--context', '')).toEqual({ words: [], files: false })
  expect((await completed('impact', '--edit', 'a.yaml', '')).files).toBe(true)
})

test('operands are files or subcommands, as each command takes them', async () => {
  expect(await completed('validate', '')).toEqual({ words: [], files: true })
  expect(await completed('qos', 'ex')).toEqual({ words: ['explain', 'export'], files: false })
  expect(await completed('export', 'rules', '')).toEqual({ words: [], files: true })
  expect(await completed('web', '')).toEqual({ words: [], files: false })
  expect(await completed('constructor', '')).toEqual({ words: [], files: false })
})

test('every command has a summary, and options that commands share have the meaning of general help', () => {
  const names = Object.keys(COMMANDS) as CommandName[]
  expect(names.filter((name) => summaryOf(name) === '')).toEqual([])
  expect(meaningOf('forecast', 'kubeconfig')).toBe(meaningOf('snapshot', 'kubeconfig'))
  expect(meaningOf('forecast', 'kubeconfig')).toMatch(/^read the API server of a kubeconfig/)
  expect(meaningOf('snapshot', 'open')).toBe('')
})

test('help is read into paragraphs and lists', () => {
  const blocks = helpBlocks(HELP.validate)
  expect(blocks[0]).toEqual({
    paragraph: 'Usage: apf-console validate FILE… [--kube-version V] [--output text|json|github|sarif]',
    items: [],
  })
  expect(blocks.find(({ paragraph }) => paragraph === 'Options:')?.items.map(({ term }) => term)).toEqual([
    '--kube-version V',
    '-o, --output FORMAT',
    '--json',
  ])
})
