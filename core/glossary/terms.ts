/** Seats and limits: terms in one or two sentences each. */
export const SEATS = {
  acs: [
    'ACS, ACV',
    'Assured concurrency shares, and the value in seats that follows: the names until 1.25 of what are nominal shares and limit.',
  ],
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
    'The seats that a request holds while it is served, estimated beforehand by the work estimator.',
  ],
  'final-seats': [
    'final seats',
    'The seats that a write keeps for a moment after its response, while the server notifies the watchers of the object.',
  ],
  'additional-latency': [
    'additional latency',
    'How long a write keeps its final seats after its response: 5 ms, longer if the widest request caps them.',
  ],
  'work-estimator': [
    'work estimator',
    'The rules that estimate the seats of a request before it is served: by size for lists, by the number of watchers for writes, 1 for everything else.',
  ],
  'max-seats': [
    'widest request',
    'The most seats that one request in a level may count as: 15 % of its nominal limit or the nominal limit ÷ hand size, whichever is less, and at least 1.',
  ],
  'server-limit': [
    'server concurrency limit',
    'The seats of one API server: --max-requests-inflight plus --max-mutating-requests-inflight, 600 unless set otherwise. Every server of a cluster has its own.',
  ],
  shares: ['shares', 'The weight of a level when the server limit is divided into nominal limits.'],
  'nominal-limit': [
    'nominal limit',
    'The seats of a level by its shares of the server, before any lending or borrowing. Each is rounded up, so they may sum to more than the server limit.',
  ],
  min: ['min', 'The seats that a level always keeps: its nominal limit minus the lendable part.'],
  max: ['max', 'The most seats that a level may reach by borrowing.'],
  lendable: [
    'lendable percent',
    'The part of a level’s nominal limit that others may use while it does not need it. The rest is its min.',
  ],
  'borrowing-limit': [
    'borrowing limit percent',
    'How far a level may grow above its nominal limit by borrowing, in percent of it. Absent means no limit.',
  ],
  'current-limit': [
    'current limit',
    'The seats that a level may use now. The server recomputes it every 10 seconds; it lies between min and max.',
  ],
  lend: [
    'lent',
    'Seats that a level does not need now and gives to the pool. It gets them back within 10 seconds of needing them.',
  ],
  borrow: [
    'borrowed',
    'Seats above the nominal limit, taken from the pool. Borrowing is normal and ends when a lender needs them.',
  ],
  pool: ['pool', 'All seats that lenders do not need now. Metrics do not show which level lent to which.'],
  exempt: [
    'exempt',
    'The level without limit and queues, for the server’s own masters. Its seats come on top of all limits.',
  ],
  'catch-all': [
    'catch-all',
    'The last level, for requests that no other schema matched. Traffic here usually means that a schema is missing.',
  ],
} as const

/** How limits move: terms in one or two sentences each. */
export const ALLOCATION = {
  reallocation: ['reallocation', 'The moment, every 10 seconds, when the server recomputes all current limits.'],
  demand: ['demand', 'The seats that executing and queued requests need together.'],
  'high-watermark': ['high watermark', 'The largest seat demand, executing and queued, since the last reallocation.'],
  'average-demand': ['average demand', 'The mean of the seat demand since the last reallocation, weighted by time.'],
  deviation: ['σ, standard deviation', 'How much the seat demand varied since the last reallocation.'],
  envelope: ['envelope', 'Average demand plus its standard deviation over the last 10 seconds.'],
  'smoothed-demand': ['smoothed demand', 'Demand with slow decay: it rises at once and halves in about five minutes.'],
  target: [
    'target',
    'The limit that a level would get if there were enough seats: its smoothed demand, and at least its floor.',
  ],
  floor: [
    'floor',
    'The smallest limit that a level can get at a reallocation: its min, or its peak demand up to the nominal limit if that is more.',
  ],
  'fair-fraction': [
    'fair fraction p',
    'The factor that divides the seats at a reallocation: every level gets p × its target, at least its floor and at most its max.',
  ],
  verdict: [
    'verdict',
    'What decided the limit of a level in this reallocation: its floor, its max, or the fair fraction p.',
  ],
  torn: ['torn page', 'A metrics page that mixes values of two reallocations. Values that span both are marked ≈.'],
  sampled: ['≈, sampled', 'Read from metrics pages, so what happened between two pages is unknown.'],
} as const

/** Queues and flows: terms in one or two sentences each. */
export const QUEUES = {
  'work-conserving': ['work-conserving', 'Leaving no seat idle while a request waits that could use it.'],
  'max-min': [
    'max-min fairness',
    'A division in which nobody can get more without taking from somebody who has no more: who wants little gets all of it.',
  ],
  squished: [
    'squished',
    'Said of a mouse all of whose queues are also used by elephants, so that it waits as they do.',
  ],
  g: [
    'G, assumed service time',
    'The service time that virtual time charges for a request before it ends: 3 ms today, one minute in the first design.',
  ],
  'thundering-herd': ['thundering herd', 'Many clients that act at the same moment, such as after a restart.'],
  'priority-level': [
    'priority level',
    'A share of the server’s seats with its own limit, queues and fairness. A flood in one level does not starve another.',
  ],
  flow: ['flow', 'The requests of one user or one namespace inside a flow schema; fairness is between flows.'],
  'flow-distinguisher': [
    'flow distinguisher',
    'What separates the flows of a schema: the user name, the namespace, or nothing, which makes the whole schema one flow.',
  ],
  'flow-hash': [
    'flow hash',
    '64 bits computed from the names of schema and flow. They decide the hand, the same on every server; renaming the schema changes the hands.',
  ],
  'shuffle-sharding': [
    'shuffle sharding',
    'Gives each flow a few of many queues, so that busy flows rarely fill all queues of a quiet one.',
  ],
  dealer: [
    'dealer',
    'Turns a flow hash into a hand, as if dealing from a shuffled deck of all queues. It can use 60 bits of the hash.',
  ],
  hand: ['hand', 'The few queues dealt to a flow by its hash; a request joins the one with the least work waiting.'],
  'hand-size': [
    'hand size (handSize)',
    'How many queues each flow is dealt. A larger hand finds a free queue more easily, lets one flow fill more of them, and narrows the widest request.',
  ],
  queues: [
    'queues',
    'How many queues a level has. More queues isolate flows better and make each dispatch more expensive.',
  ],
  'queue-length-limit': [
    'queue length limit',
    'How many requests may wait in one queue. Beyond it a request is rejected with reason queue-full while the level’s limit is used up.',
  ],
  'limit-response': [
    'limit response',
    'What a level does with a request when its seats are taken: Queue makes it wait, Reject answers 429 at once.',
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
  wait: ['wait', 'The time that a request spends in its queue, until it is dispatched, rejected or cancelled.'],
  quantile: [
    'p50, p99',
    'Half, or 99 of 100, of the values are at most this. Its precision is that of the histogram buckets.',
  ],
  dispatched: ['dispatched', 'Requests that left their queue, or passed without one, and started to execute.'],
  'virtual-time': [
    'virtual time R',
    'The fair share of work, in seat-seconds, that every busy queue has been offered. The queue that would finish first in virtual time is served next.',
  ],
  'bound-s': [
    'bound of S, anti-windup',
    'A queue’s virtual start never lies before the arrival of its oldest request, so that an idle queue cannot save up time and then block others.',
  ],
  epoch: [
    'epoch',
    'Virtual time is set back by half its range before it overflows, which takes decades. Order and fairness stay the same.',
  ],
  'no-accommodation': [
    'no accommodation',
    'The request at the head of the selected queue did not fit into the free seats.',
  ],
  'fair-share': [
    'fair share',
    'What a flow would get if the level’s seats were divided evenly among its flows, and none got more than it needs.',
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
    'The HTTP status of a rejected request: too many requests. With client-side throttling the request never reached the server.',
  ],
  'queue-full': [
    'queue-full',
    'Every queue of the flow’s hand was as long as the level allows. Flows with other hands are not affected.',
  ],
  'time-out': ['time-out', 'The request waited in its queue for a quarter of its deadline and was answered 429.'],
  'concurrency-limit': [
    'concurrency-limit',
    'The level was full and has no queues, so the server rejected the request at once.',
  ],
  'retry-after': ['Retry-After', 'How many seconds a rejected client should wait before it tries again.'],
  cancelled: [
    'cancelled',
    'The client gave up while its request waited. Metrics report it with the same reason as a time-out.',
  ],
  'priority-inversion': [
    'priority inversion',
    'A request that waits for another one in the same or a lower level, for example because it calls a webhook that calls the server. Each holds seats that the other needs.',
  ],
} as const

/** Schemas and matching: terms in one or two sentences each. */
export const OBJECTS = {
  jail: ['jail', 'A level with a small limit and no borrowing, for traffic that is heavier than it looks.'],
  backstop: [
    'backstop',
    'The implicit object of the draft design for requests that no real object matches; catch-all took its place.',
  ],
  'flow-schema': [
    'flow schema',
    'A rule that matches requests, in order of precedence, and sends them to a priority level.',
  ],
  'matching-precedence': [
    'matching precedence',
    'The order in which schemas are tried: lower numbers first, then by name. The first match wins.',
  ],
  subject: ['subject', 'Who a rule applies to: a user, a group or a service account.'],
  rule: [
    'rule',
    'A part of a schema: subjects, and the requests they may make. A request matches if one subject and one resource or non-resource entry of the same rule match.',
  ],
  'cluster-scope': [
    'clusterScope',
    'Whether a rule matches requests that name no namespace. The namespace * does not match them.',
  ],
  dangling: ['dangling', 'A schema that references a priority level that does not exist. The server skips it.'],
  shadowed: [
    'shadowed',
    'A schema that never gets a request, because schemas before it match everything that it would.',
  ],
  'long-running': [
    'long-running request',
    'A watch, or a request such as exec, attach, log or proxy, that stays open. It does not hold seats for as long as it is open.',
  ],
  watch: [
    'watch',
    'A request that stays open to send changes. It holds seats only until its first objects are sent; writes cost more the more watches there are.',
  ],
  probes: [
    'probes',
    'The requests to /healthz, /livez and /readyz with which a load balancer or the kubelet checks whether the server is healthy. The built-in schema probes exempts them.',
  ],
  mandatory: [
    'mandatory object',
    'The levels and schemas exempt and catch-all. The server always has them and restores them after a change, except for the seats of exempt.',
  ],
  suggested: [
    'suggested object',
    'A built-in level or schema that the server creates and keeps as in its release, unless its annotation disables that.',
  ],
  quiescing: [
    'quiescing',
    'A level whose object was deleted while it still had requests. It keeps its seats until the last request finishes.',
  ],
  'resource-uid': [
    'UID headers',
    'Two headers of every response that name the schema and the level of the request, by UID.',
  ],
} as const

/** Changing objects: terms in one or two sentences each. */
export const CHANGES = {
  thrashing: ['thrashing', 'Two servers or controllers that keep overwriting each other’s version of an object.'],
  draft: ['draft', 'Changes that are not applied yet. They are checked, previewed and kept across restarts.'],
  'seat-impact': [
    'seat impact',
    'What a draft does to the seats of every level: nominal limit, min, max and widest request, before and after.',
  ],
  'guard-rail': [
    'guard rail',
    'A check that a draft does not break probes, leases, heartbeats or other system traffic, or change objects that something else restores.',
  ],
  'dry-run': ['dry run', 'A request that the server validates and admits but does not store.'],
  'server-side-apply': [
    'server-side apply',
    'A way to write an object in which the server records who set which field, and refuses to overwrite the fields of others.',
  ],
  'field-manager': [
    'field manager',
    'The name under which a writer owns the fields that it set. This console uses its own.',
  ],
  'resource-version': [
    'resourceVersion',
    'The version of a stored object; every write changes it. A change that is based on an older version is a conflict.',
  ],
  reconciler: [
    'reconciler',
    'The part of the API server that checks the built-in objects once a minute and restores those that it manages.',
  ],
  'autoupdate-spec': [
    'autoupdate-spec',
    'The annotation apf.kubernetes.io/autoupdate-spec: “true” lets the server restore a suggested object as in its release, “false” leaves it to you.',
  ],
  journal: [
    'journal',
    'Every change that was applied from this console, with the values before it, so that you can undo and redo it.',
  ],
  drift: [
    'drift',
    'Differences between objects and a reference: the built-in objects, another cluster’s, or a folder’s.',
  ],
} as const

/** Where numbers come from: terms in one or two sentences each. */
export const SOURCES = {
  scrape: ['scrape', 'Reading one metrics page of a server. What happens between two scrapes shows only in totals.'],
  'debug-dump': [
    'debug dump',
    'Three pages of an API server that list its levels, queues and requests at one instant. Reading them locks flow control for a moment.',
  ],
  'metric-family': [
    'metric family',
    'All series that share a metric name. Availability depends on the server version.',
  ],
  simulation: [
    'simulation',
    'A server that runs inside the console on the same rules as an API server, with clients that behave as real ones do.',
  ],
  stale: ['stale', 'No new data for a while: the values are the last known ones.'],
} as const
