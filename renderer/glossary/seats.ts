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
