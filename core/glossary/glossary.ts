import { ALLOCATION, CHANGES, OBJECTS, QUEUES, REJECTIONS, SEATS, SOURCES } from './terms.ts'

/** Terms of the field, each in one or two sentences; used by `Term`, table headers, the palette and the `?` dialog. */
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

/** A heading of the glossary and its terms. */
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

/** Cross-references: terms that belong together, each listed once; the relation holds both ways. */
const FAMILIES: readonly (readonly TermId[])[] = [
  ['apf', 'priority-level', 'flow-schema', 'seat'],
  ['seat', 'seat-second', 'width', 'work-estimator'],
  ['width', 'initial-seats', 'final-seats', 'max-seats'],
  ['final-seats', 'additional-latency', 'watch'],
  ['nominal-limit', 'shares', 'server-limit', 'current-limit'],
  ['min', 'lendable', 'lend', 'floor'],
  ['max', 'borrowing-limit', 'borrow'],
  ['lend', 'borrow', 'pool', 'reallocation'],
  ['exempt', 'mandatory', 'probes'],
  ['catch-all', 'mandatory', 'concurrency-limit'],
  ['demand', 'high-watermark', 'average-demand', 'deviation', 'envelope', 'smoothed-demand'],
  ['target', 'floor', 'fair-fraction', 'verdict', 'current-limit'],
  ['reallocation', 'torn', 'sampled', 'scrape'],
  ['flow', 'flow-distinguisher', 'flow-hash', 'fair-share'],
  ['hand', 'dealer', 'flow-hash', 'hand-size', 'shuffle-sharding'],
  ['shuffle-sharding', 'elephant', 'queues', 'entropy-bits'],
  ['limit-response', 'queues', 'hand-size', 'queue-length-limit'],
  ['queue-full', 'queue-length-limit', 'rejected'],
  ['executing', 'queued', 'dispatched', 'rejected'],
  ['wait', 'quantile', 'time-out', 'queued'],
  ['virtual-time', 'bound-s', 'epoch', 'seat-second', 'no-accommodation'],
  ['rejected', 'http-429', 'retry-after', 'time-out', 'concurrency-limit'],
  ['time-out', 'cancelled'],
  ['priority-inversion', 'long-running', 'guard-rail'],
  ['flow-schema', 'matching-precedence', 'rule', 'subject', 'flow-distinguisher'],
  ['rule', 'cluster-scope'],
  ['dangling', 'shadowed', 'matching-precedence'],
  ['resource-uid', 'flow-schema', 'priority-level'],
  ['long-running', 'watch'],
  ['mandatory', 'suggested', 'reconciler', 'autoupdate-spec'],
  ['quiescing', 'dangling', 'priority-level'],
  ['draft', 'seat-impact', 'guard-rail', 'dry-run', 'journal', 'drift'],
  ['server-side-apply', 'field-manager', 'resource-version', 'dry-run'],
  ['scrape', 'debug-dump', 'metric-family', 'stale', 'simulation'],
  ['imbalance', 'server-limit'],
  ['work-conserving', 'borrow', 'max-min', 'fair-share'],
  ['squished', 'elephant', 'shuffle-sharding'],
  ['g', 'virtual-time', 'seat-second'],
  ['thundering-herd', 'queued', 'retry-after'],
  ['acs', 'shares', 'nominal-limit'],
  ['jail', 'backstop', 'catch-all', 'borrowing-limit'],
  ['thrashing', 'reconciler', 'autoupdate-spec'],
]

/** The terms in a family with this one, each once. */
export const relatedTo = (id: TermId): readonly TermId[] => [
  ...new Set(FAMILIES.filter((family) => family.includes(id)).flatMap((family) => family.filter((one) => one !== id))),
]
