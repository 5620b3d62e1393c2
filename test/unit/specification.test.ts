import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const pageOf = (name: string): string => readFileSync(new URL(`docs/${name}.md`, root), 'utf8')
const sectionsOf = (page: string): ReadonlySet<string | undefined> =>
  new Set([...page.matchAll(/^#+ (?:Appendix )?([\dA-Z][\w.]*?)\.? /gm)].map(([, id]) => id))
const specification = pageOf('specification')
const traps = new Set([...specification.matchAll(/^- (T\d+)\. /gm)].map(([, id]) => id))

const sources = ['core', 'main', 'renderer', 'test', 'docs']
  .flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
  .filter((file) => /\.(tsx?|md)$/.test(file) && !/docs\/(?:etcd-qos-)?specification|test\/fixtures/.test(file))
  .map((file) => ({ file, text: readFileSync(new URL(file, root), 'utf8').replaceAll(/\n\s*\*\s/g, ' ') }))

/** Sections that a comment names: the numbers after these words, without rules of a list and without quantities. */
function sectionsNamedIn(text: string, words: string): string[] {
  const references = new RegExp(`${words} ((?:\\d+(?:\\.\\d+)?[a-z]?(?:, | and | – | to |\\/)?)+)`, 'g')
  return [...text.matchAll(references)].flatMap(([, list = '']) =>
    list.split(/, | and | – | to |\//).filter((id) => id !== ''),
  )
}

describe.each([
  ['specification', String.raw`(?<!QoS )\bspecification`, 300],
  ['etcd-qos-specification', String.raw`\bQoS specification`, 40],
])('references to docs/%s.md', (page, words, least) => {
  it('name sections that it has', () => {
    const sections = sectionsOf(pageOf(page))
    const named = sources.flatMap(({ file, text }) => sectionsNamedIn(text, words).map((id) => ({ file, id })))
    expect(named.length).toBeGreaterThan(least)
    expect(named.filter(({ id }) => !sections.has(id))).toEqual([])
  })
})

describe('references to the traps of docs/specification.md', () => {
  it('name traps that it has', () => {
    const named = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/\btraps? (T\d+)/g)].map(([, id = '']) => ({ file, id })),
    )
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter(({ id }) => !traps.has(id))).toEqual([])
  })
})

describe('docs/architecture.md', () => {
  it('walks through files that exist', () => {
    const page = pageOf('architecture')
    const walks = page.slice(page.indexOf('## Six walks'), page.indexOf('## Rules that'))
    const named = [...walks.matchAll(/`((?:[\w-]+\/)*)([\w.-]+\.(?:tsx?|mjs))`/g)]
    let folder = ''
    const missing = named.filter(([, path = '', file = '']) => {
      if (path !== '') folder = path
      return !existsSync(new URL(`${folder}${file}`, root))
    })
    expect(missing.map(([name]) => name)).toEqual([])
    expect(named.length).toBeGreaterThan(80)
  })
})

describe('docs/where.md', () => {
  const page = pageOf('where')
  const sections = sectionsOf(specification)
  /** Cells that matter: section, where a table has one, then file and name. */
  const rows = page
    .split('\n')
    .filter((line) => line.includes(']('))
    .filter((line) => line.startsWith('|'))
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim())
      const [, file = '', link] = /^\[(.+)\]\((.+)\)$/.exec(cells.at(-3) ?? '') ?? []
      return { section: cells[1], file, link, name: cells.at(-2)?.replaceAll('`', '') ?? '' }
    })

  it('leads to every section, whole sections by their parts', () => {
    const parts = [...sections].filter(
      (id) => /^[1-9]/.test(id ?? '') && ![...sections].some((of) => of?.startsWith(`${id}.`)),
    )
    const found = new Set(rows.map(({ section }) => section))
    expect(parts.filter((id) => !found.has(id))).toEqual([])
  })

  it('names files that exist and what is declared in them', () => {
    const wrong = rows.filter(({ file, link, name }) => {
      const text = readFileSync(new URL(file, root), 'utf8')
      const declared =
        name === '' || new RegExp(`(?:^export .*|^(?:const|function) |^  (?:private )?)\\b${name}\\b`, 'm').test(text)
      return !declared || (link !== `../${file}` && `docs/${link}` !== file)
    })
    expect(rows.length).toBeGreaterThan(70)
    expect(wrong).toEqual([])
  })
})
