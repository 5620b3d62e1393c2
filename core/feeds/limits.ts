export type FeedIdentity = 'audit' | 'httplog'

export interface FeedFacts {
  /** A scrape of the server told its object counts and watches. */
  readonly scraped: boolean
  /** More than a few requests became known too late, or never ended. */
  readonly manyLate: boolean
  readonly manyUnfinished: boolean
  /** How waits here compare with those at the server, where they differ. */
  readonly waited: string | undefined
}

const QUEUES =
  'The feed tells what the server did, not what it held back: queues, waits and seats here are those of the engine, which is given the same requests and lets each take as long as it took on the server.'
const REFUSED =
  'What the server refused never ran there; where the engine lets it run, it takes as long as requests of its verb and resource usually do.'
const ONE_SERVER =
  'A feed is taken for that of one server: where the logs of several are merged into one, their requests share the seats of one here.'
const SCRAPED = [
  'Object counts and sizes are those of the last scrape, not of the time of the request.',
  'Watches are those of the last scrape of the one server that was asked, the feed’s own among them. It counts watches of whole resources; of one namespace or one object only those that began in the feed are known, so changes may get too few final seats.',
]
const NOT_SCRAPED = [
  'Object counts and sizes are not known without a scrape of the server: every list counts as one seat.',
]
const OPEN_WATCHES = {
  audit: 'Watches that were open before the feed began are not counted, so changes may get too few final seats.',
  httplog:
    'Watches that are open are not counted without a scrape of the server, so changes may get too few final seats.',
} as const
const LATE =
  'More than one request in a hundred became known only after the engine had passed its arrival, because it took longer than five seconds or was told late, and was placed at the engine’s present.'
const UNFINISHED =
  'More than one request in a hundred never ended in the feed and was given up after five minutes, so seats here are taken for too long; the audit policy must not omit ResponseComplete.'

/** What a feed cannot know, in sentences (docs/feeds.md). */
export function limitsOf(identity: FeedIdentity, facts: FeedFacts): readonly string[] {
  return [
    ...(identity === 'audit'
      ? [
          'An audit log names no flow schema and no level, so there is nothing to compare with; a log of -v=3 has both.',
          'It has a queue wait only of requests that took more than half a second; of others the wait in the engine is taken for it.',
          'When a watch was initialised is not in it; the beginning of its response is used instead, and watches end when they end there.',
        ]
      : [
          'The log names no user. Each request is placed where apf_fs says, with a stand-in whom that flow schema admits: that is a check of our objects, not of who asked.',
          'One program on one address counts as one user, so flows by user are an estimate.',
          'The log has a watch only when it ends, so which watches are open is not in it.',
        ]),
    QUEUES,
    ...(facts.waited === undefined ? [] : [facts.waited]),
    REFUSED,
    ONE_SERVER,
    ...(facts.scraped ? SCRAPED : [...NOT_SCRAPED, OPEN_WATCHES[identity]]),
    ...(facts.manyLate ? [LATE] : []),
    ...(facts.manyUnfinished ? [UNFINISHED] : []),
  ]
}
