import { ALLOCATION } from './allocation.ts'
import { CHANGES } from './changes.ts'
import { OBJECTS } from './objects.ts'
import { QUEUES } from './queues.ts'
import { REJECTIONS } from './rejections.ts'
import { SEATS } from './seats.ts'
import { SOURCES } from './sources.ts'

/** Terms of the field, each in one or two sentences; `Term`, table headers, the palette and the `?` dialog read them. */
export const GLOSSARY = {
  ...SEATS,
  ...ALLOCATION,
  ...QUEUES,
  ...REJECTIONS,
  ...OBJECTS,
  ...CHANGES,
  ...SOURCES,
} as const satisfies Readonly<Record<string, readonly [term: string, sentence: string]>>

export type TermId = keyof typeof GLOSSARY

/** A heading of the glossary and what stands under it. */
export interface GlossaryTopic {
  readonly title: string
  readonly ids: readonly TermId[]
}

const isTerm = (id: string): id is TermId => Object.hasOwn(GLOSSARY, id)

const topic = (title: string, terms: Partial<typeof GLOSSARY>): GlossaryTopic => ({
  title,
  ids: Object.keys(terms).filter(isTerm),
})

export const GLOSSARY_TOPICS: readonly GlossaryTopic[] = [
  topic('Seats and limits', SEATS),
  topic('How limits move', ALLOCATION),
  topic('Queues and flows', QUEUES),
  topic('Rejections', REJECTIONS),
  topic('Schemas and matching', OBJECTS),
  topic('Changing objects', CHANGES),
  topic('Where numbers come from', SOURCES),
]
