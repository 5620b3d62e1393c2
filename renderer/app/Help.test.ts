import { expect, it } from 'vitest'
import { GLOSSARY, GLOSSARY_TOPICS } from '../../core/glossary/glossary.ts'
import { foundTopics, SHORTCUTS } from './Help.tsx'
import { SCREEN_ENTRIES } from './screens.tsx'

const found = (query: string): readonly string[] => foundTopics(query).flatMap(({ ids }) => ids)

it('lists the key of every screen', () => {
  const listed = SHORTCUTS.flatMap(([keys]) => (keys === '1 to 9' ? '123456789'.split('') : keys.split('  ')))
  for (const { key } of SCREEN_ENTRIES) expect(listed).toContain(key)
})

it('finds terms by every word of a query, in terms, sentences and field names', () => {
  expect(foundTopics('')).toEqual(GLOSSARY_TOPICS)
  expect(found('handsize')).toContain('hand-size')
  expect(found('watermark HIGH')).toContain('high-watermark')
  for (const id of found('elephant')) expect(GLOSSARY).toHaveProperty(id)
  expect(found('nothing is called this')).toEqual([])
})
