/** Queues and flows: terms in one or two sentences each. */
export const QUEUES = {
  'priority-level': [
    'priority level',
    'A share of the server’s seats with its own limit, queues and fairness; what happens in one does not starve another.',
  ],
  flow: ['flow', 'The requests of one user or one namespace inside a flow schema; fairness is between flows.'],
  'flow-distinguisher': [
    'flow distinguisher',
    'What tells the flows of a schema apart: the user name, the namespace, or nothing, in which case the schema is one flow.',
  ],
  'flow-hash': [
    'flow hash',
    '64 bits computed from the names of schema and flow. They decide the hand, on every server alike; another name of the schema deals new hands.',
  ],
  'shuffle-sharding': [
    'shuffle sharding',
    'Dealing each flow a few of many queues, so that flows which send a lot hardly ever fill all queues of one that sends little.',
  ],
  dealer: [
    'dealer',
    'What turns a flow hash into a hand: it deals as from a shuffled deck of all queues and may use 60 bits of the hash.',
  ],
  hand: ['hand', 'The few queues dealt to a flow by its hash; a request joins the one with the least work waiting.'],
  'hand-size': [
    'hand size (handSize)',
    'How many queues each flow is dealt. A larger hand finds a free queue more easily, lets one flow fill more of them, and narrows the widest request.',
  ],
  queues: [
    'queues',
    'How many queues a level has. More of them keep flows better apart and make each dispatch dearer.',
  ],
  'queue-length-limit': [
    'queue length limit',
    'How many requests may wait in one queue. Beyond it a request is rejected with reason queue-full while the level’s limit is used up.',
  ],
  'limit-response': [
    'limit response',
    'What a level does with a request when its seats are taken: Queue lets it wait, Reject answers 429 at once.',
  ],
  'entropy-bits': [
    'entropy bits',
    'The bits of the flow hash that dealing a hand uses up: log2 of the queues × hand size, rounded up. More than 60 is refused.',
  ],
  elephant: [
    'elephant and mouse',
    'A flow that sends so much that it fills its whole hand, and one that sends little and should not have to wait for it.',
  ],
  executing: ['executing', 'Requests that hold seats now.'],
  queued: ['queued', 'Requests that wait in a queue of their level for seats.'],
  wait: ['wait', 'The time that a request spends in its queue before it is served or given up.'],
  quantile: [
    'p50, p99',
    'Half, or 99 of 100, of the values are at most this. Read from histogram buckets, it is as exact as they are.',
  ],
  dispatched: ['dispatched', 'Requests that left their queue, or passed without one, and began to be served.'],
  'virtual-time': [
    'virtual time R',
    'The fair share of work, in seat-seconds, that every busy queue has been offered. The queue that would finish earliest in virtual time is next.',
  ],
  'bound-s': [
    'bound of S, anti-windup',
    'A queue’s virtual start never lies before the arrival of its oldest request, so that an idle queue cannot save up time and then block others.',
  ],
  epoch: [
    'epoch',
    'The counting of virtual time is set back by half its range before it overflows, which happens after decades. Order and fairness are not affected.',
  ],
  'no-accommodation': ['no accommodation', 'The head of a queue was chosen and did not fit into the free seats.'],
  'fair-share': [
    'fair share',
    'What a flow would get if the level’s seats were divided evenly among its flows, none getting more than it asks for.',
  ],
  imbalance: [
    'peak ÷ mean',
    'Executing seats of the busiest server over the mean of all. Limits are per server, so 1 is ideal.',
  ],
} as const
