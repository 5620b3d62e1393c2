import { holdsWords } from '../../core/text/words.ts'
import { GLOSSARY, GLOSSARY_TOPICS, type GlossaryTopic, type TermId } from '../glossary/glossary.ts'

/** The topics with the terms that hold every word of a query; topics without any are left out. */
export function foundTopics(query: string): readonly GlossaryTopic[] {
  const holds = holdsWords(query)
  return GLOSSARY_TOPICS.map(({ title, ids }) => ({
    title,
    ids: ids.filter((id: TermId) => holds(`${GLOSSARY[id].join(' ')} ${id}`)),
  })).filter(({ ids }) => ids.length > 0)
}
