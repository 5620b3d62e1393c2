import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CONCEPT_IDS, CONCEPTS, conceptsOf, conceptsWith } from '../../core/glossary/concepts.ts'
import { GLOSSARY, GLOSSARY_TOPICS, type TermId, relatedTo } from '../../core/glossary/glossary.ts'

const renderer = new URL('../../renderer/', import.meta.url)
const sources = readdirSync(renderer, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.(test|fixture)\.|glossary\//.test(file))
  .map((file) => ({ file, text: readFileSync(new URL(file, renderer), 'utf8') }))

/** Headers of columns that are words of the field, and what explains them. */
/** A column as an object, or made by a function of a column: its whole text, and its header. */
const COLUMNS =
  /header: '([^']+)',(?:\s*(?:term|title|align): [^\n]*)*|\w*[cC]olumn\('[^']+', '([^']+)',(?:[^\n]*\),?\n|[^]*?\n\s*\}?\),?\n)/g

const FIELD_WORDS: Readonly<Record<string, TermId>> = {
  'Priority level': 'priority-level',
  'Flow schema': 'flow-schema',
  Flow: 'flow',
  Executing: 'executing',
  Queued: 'queued',
  Rejected: 'rejected',
  Dispatched: 'dispatched',
  Limit: 'current-limit',
  Nominal: 'nominal-limit',
  Min: 'min',
  Max: 'max',
  Demand: 'demand',
  'Wait p50': 'quantile',
  'Wait p99': 'quantile',
  'Execution p99': 'quantile',
  'Mean width': 'width',
  'Peak ÷ mean': 'imbalance',
  Queues: 'queues',
  'Hand size': 'hand-size',
  Hand: 'hand',
  Hash: 'flow-hash',
  Elephants: 'elephant',
  Precedence: 'matching-precedence',
  Shares: 'shares',
  'Widest request': 'max-seats',
}

const isTerm = (id: string): id is TermId => Object.hasOwn(GLOSSARY, id)
const ids = Object.keys(GLOSSARY).filter(isTerm)

describe('the glossary', () => {
  it('says each term in one or two plain sentences', () => {
    for (const id of ids) {
      const [term, sentence] = GLOSSARY[id]
      expect(term.trim(), id).not.toBe('')
      expect(sentence, id).toMatch(/^\S.*[.]$/)
      expect(sentence.split(/[.](?:\s|$)/).filter((part) => part !== '').length, id).toBeLessThanOrEqual(2)
      expect(sentence.length, id).toBeLessThan(220)
    }
    const names = ids.map((id) => GLOSSARY[id][0].toLowerCase())
    expect(new Set(names).size).toBe(names.length)
  })

  it('has every term under one heading', () => {
    const listed = GLOSSARY_TOPICS.flatMap((topic) => topic.ids)
    expect(listed.toSorted()).toEqual(ids.toSorted())
  })

  it('has no entry that nothing leads to', () => {
    const used = new Set(
      sources.flatMap(({ text }) =>
        [...text.matchAll(/(?:<Term id=\{?|\b(?:term|glossary): )["']([a-z0-9-]+)["']/g)].map(([, id = '']) => id),
      ),
    )
    expect(used.size).toBeGreaterThan(30)
    for (const id of ids) expect(used.has(id) || relatedTo(id).length > 0, id).toBe(true)
  })

  it('relates terms both ways, and none to itself', () => {
    for (const id of ids) {
      expect(relatedTo(id)).not.toContain(id)
      for (const other of relatedTo(id)) expect(relatedTo(other)).toContain(id)
    }
  })

  it('explains the words of the field above every column', () => {
    let checked = 0
    for (const { file, text } of sources) {
      for (const [line, given, called] of text.matchAll(COLUMNS)) {
        const header = given ?? called ?? ''
        // A count of requests that wait is Queued, wherever it stands.
        expect(header, file).not.toBe('Waits')
        const word = FIELD_WORDS[header]
        if (word === undefined) continue
        const explained = [`term: '${word}'`, `id="${word}"`].some((by) => line.includes(by))
        expect(explained, `${file}: column ${header} has no term: '${word}'`).toBe(true)
        checked += 1
      }
    }
    expect(checked).toBeGreaterThan(25)
  })
})

describe('the concepts', () => {
  it('are whole sentences, reached from terms, and no name of a term', () => {
    for (const id of CONCEPT_IDS) {
      const { title, paragraphs, terms } = CONCEPTS[id]
      expect(Object.hasOwn(GLOSSARY, id), id).toBe(false)
      expect(title, id).toMatch(/^[A-Z].*[^.]$/)
      for (const paragraph of paragraphs) expect(paragraph, id).toMatch(/^[A-Z0-9].*[.]$/)
      for (const term of terms) expect(conceptsOf(term), id).toContain(id)
    }
  })

  it('say what the documents of flow control explain', () => {
    const said = (...words: readonly string[]) => conceptsWith((text) => words.every((word) => text.includes(word)))
    expect(said('survives overload', 'divided fairly')).toEqual(['goals'])
    expect(said('load balancer', 'CONNECT', 'etcd')).toEqual(['limits'])
    expect(said('authentication → audit', 'authorization →')).toEqual(['chain'])
    expect(said('1.18 alpha', 'v1beta3', '1.29', '--enable-priority-and-fairness')).toEqual(['versions'])
    expect(said('600 requests', '1,198', '599')).toEqual(['guess'])
    expect(said('0.08', '0.12')).toEqual(['time'])
    expect(said('equal or max-min', 'serial or concurrent')).toEqual(['quadrants'])
    expect(said('100 ms', '5 ms', 'CoDel')).toEqual(['codel'])
  })
})
