export type FeedIdentity = 'audit' | 'httplog'

export interface FeedFacts {
  readonly objectCounts: boolean
}

const QUEUES =
  'The feed tells what the server did, not what it held back: queues, waits and seats here are those of the engine, which is given the same requests and lets each take as long as it took on the server.'
const REFUSED =
  'What the server refused never ran there; where the engine lets it run, it takes as long as requests of its verb and resource usually do.'
const OPEN_WATCHES =
  'Watches that were open before the feed began are not counted, so changes may get too few final seats.'

/** What a feed cannot know, in sentences (docs/feeds.md). */
export function limitsOf(identity: FeedIdentity, { objectCounts }: FeedFacts): readonly string[] {
  return [
    ...(identity === 'audit'
      ? [
          'An audit log names no flow schema and no level, so there is nothing to compare with; a log of -v=3 has both.',
          'It has a queue wait only of requests that took more than half a second; of others the wait in the engine is taken for it.',
          'When a watch was initialised is not in it; the beginning of its answer stands in, and watches end when they end there.',
        ]
      : [
          'The log names no user. Each request is placed where apf_fs says, with a stand-in whom that flow schema admits: that is a check of our objects, not of who asked.',
          'One program on one address stands in for one user, so flows by user are an estimate.',
          'The log has a watch only when it ends: open watches are not counted, and changes may get too few final seats.',
        ]),
    QUEUES,
    REFUSED,
    ...(identity === 'audit' ? [OPEN_WATCHES] : []),
    ...(objectCounts
      ? ['Object counts and sizes are those of the last scrape, not of the time of the request.']
      : ['Object counts and sizes are not known without a scrape of the server: every list counts as one seat.']),
  ]
}
