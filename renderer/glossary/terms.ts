/** Seats and limits: terms in one or two sentences each. */
export const SEATS = {
  apf: [
    'API Priority and Fairness',
    'The part of an API server that divides its capacity among priority levels and, inside each, fairly among flows.',
  ],
  seat: [
    'seat',
    'The unit of capacity: an ordinary request holds one while it executes, a costly list or write holds several.',
  ],
  'seat-second': ['seat-second', 'One seat held for one second: the unit of work and of virtual time.'],
  width: ['width', 'The number of seats that one request holds while it executes.'],
  'initial-seats': [
    'initial seats',
    'The seats that a request holds while it is served, as the work estimator guesses them beforehand.',
  ],
  'final-seats': [
    'final seats',
    'The seats that a write goes on holding for a moment after its answer, while the server still tells the watchers of it.',
  ],
  'additional-latency': [
    'additional latency',
    'How long the final seats of a write linger after its answer: 5 ms of extra work for each watcher’s share.',
  ],
  'work-estimator': [
    'work estimator',
    'The rules that guess how many seats a request is worth before it is served: by size for lists, by the number of watchers for writes, 1 for the rest.',
  ],
  'max-seats': [
    'widest request',
    'The most seats that one request may count in a level: 15 % of its nominal limit or the nominal limit ÷ hand size, whichever is less, and at least 1.',
  ],
  'server-limit': [
    'server concurrency limit',
    'The seats of one API server: --max-requests-inflight plus --max-mutating-requests-inflight, 600 unless set otherwise. Each server of a cluster has as many.',
  ],
  shares: ['shares', 'The weight of a level when the server limit is divided into nominal limits.'],
  'nominal-limit': [
    'nominal limit',
    'The seats of a level by its shares of the server, before any lending or borrowing. Each is rounded up, so they may sum to more than the server limit.',
  ],
  min: ['min', 'The seats that a level keeps whatever others need: its nominal limit less the lendable part.'],
  max: ['max', 'The most seats that a level may reach by borrowing.'],
  lendable: [
    'lendable percent',
    'The part of a level’s nominal limit that others may use while it does not need it. What is left is its min.',
  ],
  'borrowing-limit': [
    'borrowing limit percent',
    'How far a level may grow above its nominal limit by borrowing, as a part of it. Absent means without limit.',
  ],
  'current-limit': [
    'current limit',
    'The seats that a level may use now. It is set anew every 10 seconds and lies between min and max.',
  ],
  lend: [
    'lent',
    'Seats that a level does not need now and gives to the pool; it gets them back within 10 seconds of needing them.',
  ],
  borrow: [
    'borrowed',
    'Seats above the nominal limit, taken from the pool. Borrowing is normal and ends when a lender needs them.',
  ],
  pool: ['pool', 'The seats that lenders do not need now, taken together. Who lent to whom is not recorded.'],
  exempt: [
    'exempt',
    'The level without limit and queues, for the server’s own masters. Its seats come on top of all limits.',
  ],
  'catch-all': [
    'catch-all',
    'The last level: what no other schema matched. Traffic here usually means that a schema is missing.',
  ],
} as const

/** How limits move: terms in one or two sentences each. */
export const ALLOCATION = {
  reallocation: ['reallocation', 'The moment, every 10 seconds, at which all current limits are computed anew.'],
  demand: ['demand', 'Seats that executing and waiting requests ask for together.'],
  'high-watermark': ['high watermark', 'The largest seat demand, executing and queued, since the last reallocation.'],
  'average-demand': ['average demand', 'The mean of the seat demand since the last reallocation, weighted by time.'],
  deviation: ['σ, standard deviation', 'How much the seat demand went up and down since the last reallocation.'],
  envelope: ['envelope', 'Average demand plus its standard deviation over the last 10 seconds.'],
  'smoothed-demand': ['smoothed demand', 'Demand as remembered: it rises at once and halves in about five minutes.'],
  target: ['target', 'The seats that a level would like: from smoothed demand, never below what it needs at once.'],
  floor: ['floor', 'The smallest limit of a level at a reallocation: its min, or more while it really used more.'],
  'fair-fraction': [
    'fair fraction p',
    'The one number that divides seats at a reallocation: every level gets p × its target, kept between its floor and its max.',
  ],
  verdict: [
    'verdict',
    'What decided the limit of a level in this reallocation: its floor, its max, or the fair fraction p.',
  ],
  torn: ['torn page', 'One page of metrics that holds values of two reallocations; what spans both is shown with ≈.'],
  sampled: ['≈, sampled', 'Read from pages of metrics, so that what happened between two of them is not known.'],
} as const

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

/** Rejections: terms in one or two sentences each. */
export const REJECTIONS = {
  rejected: ['rejected', 'Requests answered 429 by priority and fairness, with a reason.'],
  'http-429': [
    '429',
    'The HTTP status of a rejected request: too many requests. With client-side throttling the server never saw the request.',
  ],
  'queue-full': [
    'queue-full',
    'Every queue of the flow’s hand was as long as the level allows. Flows with other hands are not affected.',
  ],
  'time-out': ['time-out', 'The request waited in its queue for a quarter of its deadline and was answered 429.'],
  'concurrency-limit': [
    'concurrency-limit',
    'The level was full and has no queues, so the request was answered at once.',
  ],
  'retry-after': ['Retry-After', 'The seconds after which a rejected client is asked to try again.'],
  cancelled: [
    'cancelled',
    'The client went away while its request waited. It is reported with the same reason as a time-out.',
  ],
  'priority-inversion': [
    'priority inversion',
    'A request that waits for another request in the same or a lower level, as one that calls a webhook which asks the server again. Each holds seats that the other needs.',
  ],
} as const

/** Schemas and matching: terms in one or two sentences each. */
export const OBJECTS = {
  'flow-schema': [
    'flow schema',
    'A rule that matches requests, in order of precedence, and sends them to a priority level.',
  ],
  'matching-precedence': [
    'matching precedence',
    'The place of a schema in the order in which schemas are tried: lower numbers first, the name decides between equals, and the first match wins.',
  ],
  subject: ['subject', 'Whom a rule of a schema is about: a user, a group or a service account.'],
  rule: [
    'rule',
    'A part of a schema: subjects, and what they ask for. A request matches when one subject and one resource or non-resource entry of the same rule do.',
  ],
  'cluster-scope': [
    'clusterScope',
    'Whether a rule matches requests that name no namespace. The namespace * does not match them.',
  ],
  dangling: [
    'dangling',
    'A schema that names a priority level which does not exist. The server skips it when it matches requests.',
  ],
  shadowed: ['shadowed', 'A schema that never gets a request because those before it take all that it would match.'],
  'long-running': [
    'long-running request',
    'A watch, or a request such as exec, attach, log or proxy, that stays open. It does not hold seats for as long as it is open.',
  ],
  watch: [
    'watch',
    'A request that stays open to tell changes. It holds seats only until its first objects are sent; writes cost more the more watches there are.',
  ],
  probes: [
    'probes',
    'The requests to /healthz, /livez and /readyz by which a load balancer or the kubelet sees whether the server is well. The built-in schema probes exempts them.',
  ],
  mandatory: [
    'mandatory object',
    'The levels and schemas exempt and catch-all. The server always has them and puts back what is changed, except the seats of exempt.',
  ],
  suggested: [
    'suggested object',
    'A built-in level or schema that the server creates and keeps as in its release unless its annotation says that you keep it.',
  ],
  quiescing: [
    'quiescing',
    'A level whose object was deleted while requests were still in it. It serves them, keeps its seats and then goes.',
  ],
  'resource-uid': [
    'UID headers',
    'Two headers of every answer name the schema and the level that the request went through, by UID.',
  ],
} as const

/** Changing objects: terms in one or two sentences each. */
export const CHANGES = {
  draft: [
    'draft',
    'Changes that are not applied: they are checked, previewed and kept across restarts, and touch nothing.',
  ],
  'seat-impact': [
    'seat impact',
    'What a draft does to the seats of every level: nominal limit, min, max and widest request, before and after.',
  ],
  'guard-rail': [
    'guard rail',
    'A check of a draft against what must not break: probes, leases, heartbeats, system traffic, objects that somebody else puts back.',
  ],
  'dry-run': [
    'dry run',
    'Asking the server what it would say to a change: it validates and admits it and stores nothing.',
  ],
  'server-side-apply': [
    'server-side apply',
    'A way to write an object in which the server remembers who set which field and refuses to overwrite the fields of others.',
  ],
  'field-manager': [
    'field manager',
    'The name under which a writer owns the fields that it set. This console has its own.',
  ],
  'resource-version': [
    'resourceVersion',
    'The version of a stored object; it changes with every write. A change that was made from an older one is a conflict.',
  ],
  reconciler: [
    'reconciler',
    'The part of the API server that looks at the built-in objects once a minute and puts back what it is told to keep.',
  ],
  'autoupdate-spec': [
    'autoupdate-spec',
    'The annotation apf.kubernetes.io/autoupdate-spec: “true” lets the server put a suggested object back as its release has it, “false” leaves it to you.',
  ],
  journal: [
    'journal',
    'Every change that was applied from here, with what was before, so that it can be undone and redone.',
  ],
  drift: [
    'drift',
    'How the objects differ from those that they should equal: the built-in ones, another cluster’s, or a folder’s.',
  ],
} as const

/** Where numbers come from: terms in one or two sentences each. */
export const SOURCES = {
  scrape: [
    'scrape',
    'Reading one page of metrics of a server. What happens between two readings is seen only in sums.',
  ],
  'debug-dump': [
    'debug dump',
    'Three pages of an API server that list its levels, queues and requests of one instant. Reading them holds its flow control up for a moment.',
  ],
  'metric-family': [
    'metric family',
    'All series that share a metric name. Availability depends on the server version.',
  ],
  simulation: [
    'simulation',
    'A server that runs inside the console on the same rules as an API server, with clients that behave as real ones do.',
  ],
  stale: ['stale', 'Nothing new was read for a while: values are the last known ones, not the present ones.'],
} as const
