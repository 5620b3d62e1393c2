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
