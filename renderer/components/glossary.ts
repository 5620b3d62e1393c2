/** Terms of the field, each in one or two sentences; `Term`, the palette and the `?` dialog read them here. */
export const GLOSSARY = {
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
  'priority-level': [
    'priority level',
    'A share of the server’s seats with its own limit, queues and fairness; what happens in one does not starve another.',
  ],
  'flow-schema': [
    'flow schema',
    'A rule that matches requests, in order of precedence, and sends them to a priority level.',
  ],
  flow: ['flow', 'The requests of one user or one namespace inside a flow schema; fairness is between flows.'],
  'nominal-limit': [
    'nominal limit',
    'The seats of a level by its shares of the server, before any lending or borrowing. Each is rounded up, so they may sum to more than the server limit.',
  ],
  'current-limit': [
    'current limit',
    'The seats that a level may use now. It is set anew every 10 seconds and lies between min and max.',
  ],
  min: ['min', 'The seats that a level keeps whatever others need: its nominal limit less the lendable part.'],
  max: ['max', 'The most seats that a level may reach by borrowing.'],
  lend: [
    'lent',
    'Seats that a level does not need now and gives to the pool; it gets them back within 10 seconds of needing them.',
  ],
  borrow: [
    'borrowed',
    'Seats above the nominal limit, taken from the pool. Borrowing is normal and ends when a lender needs them.',
  ],
  shares: ['shares', 'The weight of a level when the server limit is divided into nominal limits.'],
  executing: ['executing', 'Requests that hold seats now.'],
  queued: ['queued', 'Requests that wait in a queue of their level for seats.'],
  rejected: ['rejected', 'Requests answered 429 by priority and fairness, with a reason.'],
  'queue-full': [
    'queue-full',
    'Every queue of the flow’s hand was as long as the level allows. Flows with other hands are not affected.',
  ],
  'time-out': ['time-out', 'The request waited in its queue for a quarter of its deadline and was answered 429.'],
  'concurrency-limit': [
    'concurrency-limit',
    'The level was full and has no queues, so the request was answered at once.',
  ],
  'fair-fraction': [
    'fair fraction p',
    'The one number that divides seats at a reallocation: every level gets p × its target, kept between its floor and its max.',
  ],
  floor: ['floor', 'The smallest limit of a level at a reallocation: its min, or more while it really used more.'],
  target: ['target', 'The seats that a level would like: from smoothed demand, never below what it needs at once.'],
  'high-watermark': ['high watermark', 'The largest seat demand, executing and queued, since the last reallocation.'],
  demand: ['demand', 'Seats that executing and waiting requests ask for together.'],
  'smoothed-demand': ['smoothed demand', 'Demand as remembered: it rises at once and halves in about five minutes.'],
  envelope: ['envelope', 'Average demand plus its standard deviation over the last 10 seconds.'],
  reallocation: ['reallocation', 'The moment, every 10 seconds, at which all current limits are computed anew.'],
  hand: ['hand', 'The few queues dealt to a flow by its hash; a request joins the shortest of them.'],
  'virtual-time': [
    'virtual time R',
    'The fair share of work, in seat-seconds, that every busy queue has been offered. The queue that would finish earliest in virtual time is next.',
  ],
  exempt: [
    'exempt',
    'The level without limit and queues, for the server’s own masters. Its seats come on top of all limits.',
  ],
  'catch-all': [
    'catch-all',
    'The last level: what no other schema matched. Traffic here usually means that a schema is missing.',
  ],
  'retry-after': ['Retry-After', 'The seconds after which a rejected client is asked to try again.'],
  'http-429': [
    '429',
    'The HTTP status of a rejected request: too many requests. With client-side throttling the server never saw the request.',
  ],
  'no-accommodation': ['no accommodation', 'The head of a queue was chosen and did not fit into the free seats.'],
  torn: ['torn page', 'One page of metrics that holds values of two reallocations; what spans both is shown with ≈.'],
  imbalance: [
    'peak ÷ mean',
    'Executing seats of the busiest server over the mean of all. Limits are per server, so 1 is ideal.',
  ],
} as const satisfies Readonly<Record<string, readonly [term: string, sentence: string]>>

export type TermId = keyof typeof GLOSSARY
