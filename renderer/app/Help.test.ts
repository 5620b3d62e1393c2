import { expect, it } from 'vitest'
import { GLOSSARY, GLOSSARY_TOPICS } from '../../core/glossary/glossary.ts'
import { foundTopics } from './Help.tsx'

const found = (query: string): readonly string[] => foundTopics(query).flatMap(({ ids }) => ids)

it('finds terms by every word of a query, in terms, sentences and field names', () => {
  expect(foundTopics('')).toEqual(GLOSSARY_TOPICS)
  expect(found('handsize')).toContain('hand-size')
  expect(found('watermark HIGH')).toContain('high-watermark')
  for (const id of found('elephant')) expect(GLOSSARY).toHaveProperty(id)
  expect(found('nothing is called this')).toEqual([])
})
