import { GLOSSARY, GLOSSARY_TOPICS, type GlossaryTopic, type TermId } from '../glossary/glossary.ts'

/** The topics with the terms that hold every word of a query; topics without any are left out. */
export function foundTopics(query: string): readonly GlossaryTopic[] {
  const words = query.toLowerCase().split(/\s+/)
  const holds = (id: TermId): boolean => {
    const text = `${GLOSSARY[id].join(' ')} ${id}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
  return GLOSSARY_TOPICS.map(({ title, ids }) => ({ title, ids: ids.filter(holds) })).filter(
    ({ ids }) => ids.length > 0,
  )
}
