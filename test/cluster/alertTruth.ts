import { labelValues, readSamples, total, type Sample } from './independent.ts'
import type { KeptPage } from './recordingRelay.ts'

/**
 * When the conditions of docs/alerts.md held on a server, read from its pages by regular expressions and written down a
 * second time: no line is shared with the console's rules. R7 needs three servers, R8 the objects, R11 and R12 hours.
 */
export interface Held {
  /** `R1 workload-low queue-full`. */
  readonly alert: string
  /** The longest time for which the condition held without a break, and the time that it has to, seconds. */
  readonly heldSeconds: number
  readonly holdSeconds: number
  /** Whether it held to the last page. */
  readonly toTheEnd: boolean
}

interface Page {
  readonly at: number
  readonly samples: readonly Sample[]
}

const CRITICAL = ['system', 'node-high', 'leader-election', 'workload-high']
const REASONS = ['queue-full', 'concurrency-limit', 'time-out']
const EVERY_MS = 4_500

/** Of a condition, whether it holds on a page; the pages before it come along, the page itself last. */
type Condition = (pages: readonly Page[]) => boolean | undefined

const value = (page: Page | undefined, name: string, labels: Readonly<Record<string, string>>): number =>
  page === undefined ? 0 : (total(page.samples, name, labels) ?? 0)

/** The newest page that is so much older than the last one; the first one where none is. */
function before(pages: readonly Page[], seconds: number): { readonly page: Page | undefined; readonly whole: boolean } {
  const end = pages.at(-1)?.at ?? 0
  const found = pages.findLast(({ at }) => at <= end - 1_000 * seconds)
  return { page: found ?? pages[0], whole: found !== undefined }
}

/** How much a counter rose in the last seconds. */
const rise = (
  pages: readonly Page[],
  seconds: number,
  name: string,
  labels: Readonly<Record<string, string>>,
): number => value(pages.at(-1), name, labels) - value(before(pages, seconds).page, name, labels)

/** The part of what a histogram counted in the last seconds that was at most `le`; `undefined` where it counted nothing. */
function partUpTo(
  pages: readonly Page[],
  seconds: number,
  name: string,
  labels: Readonly<Record<string, string>>,
  le: string,
): number | undefined {
  const all = rise(pages, seconds, `${name}_count`, labels)
  return all === 0 ? undefined : rise(pages, seconds, `${name}_bucket`, { ...labels, le }) / all
}

const conditionsOf = (level: string): readonly (readonly [string, number, Condition])[] => {
  const labels = { priority_level: level }
  const of = (pages: readonly Page[], name: string): number => value(pages.at(-1), name, labels)
  return [
    ...REASONS.map((reason): readonly [string, number, Condition] => [
      `R1 ${level} ${reason}`,
      CRITICAL.includes(level) ? 0 : 120,
      (pages) => {
        const { page } = before(pages, 120)
        const seconds = Math.max(120, ((pages.at(-1)?.at ?? 0) - (page?.at ?? 0)) / 1_000)
        return rise(pages, 120, 'rejected_requests_total', { ...labels, reason }) / seconds > 0.1
      },
    ]),
    [
      `R2 ${level}`,
      600,
      (pages) => {
        const part = partUpTo(pages, 60, 'priority_level_seat_utilization', { ...labels, phase: 'executing' }, '0.99')
        if (!before(pages, 60).whole || part === undefined) return undefined
        return part < 0.99 && of(pages, 'current_limit_seats') > 1
      },
    ],
    ...(CRITICAL.includes(level)
      ? [
          [
            `R3 ${level}`,
            60,
            (pages: readonly Page[]) => (partUpTo(pages, 30, 'request_wait_duration_seconds', labels, '1') ?? 1) < 0.99,
          ] as const,
        ]
      : []),
    [
      `R4 ${level}`,
      300,
      (pages) => {
        const current = of(pages, 'current_limit_seats')
        return current >= 0.98 * of(pages, 'upper_limit_seats') && of(pages, 'demand_seats_smoothed') > current
      },
    ],
    [
      `R5 ${level}`,
      60,
      (pages) => {
        const [current, lower] = [of(pages, 'current_limit_seats'), of(pages, 'lower_limit_seats')]
        return current <= lower && lower < of(pages, 'nominal_limit_seats') && of(pages, 'current_inqueue_requests') > 0
      },
    ],
    ...(level === 'catch-all'
      ? [
          [
            'R9 catch-all',
            300,
            (pages: readonly Page[]) =>
              rise(pages, 300, 'dispatched_requests_total', labels) +
                rise(pages, 300, 'rejected_requests_total', labels) >
              0,
          ] as const,
        ]
      : []),
  ]
}

const ofServer: readonly (readonly [string, number, Condition])[] = [
  [
    'R6',
    120,
    (pages) => {
      const levels = labelValues(pages.at(-1)?.samples ?? [], 'priority_level')
      const sum = (name: string, names: readonly string[]): number =>
        names.reduce((all, level) => all + value(pages.at(-1), name, { priority_level: level }), 0)
      const limited = levels.filter((level) => level !== 'exempt')
      const nominal = sum('nominal_limit_seats', levels)
      const [least, most] = [sum('current_limit_seats', limited), sum('current_limit_seats', levels)]
      return Math.max(least - nominal, nominal - most) >= levels.length
    },
  ],
  [
    'R10',
    600,
    (pages) => {
      const exempt = value(pages.at(-1), 'current_executing_seats', { priority_level: 'exempt' })
      return exempt >= 5 && exempt > 0.1 * value(pages.at(-1), 'current_executing_seats', {})
    },
  ],
]

/** Every condition that held at some time, with how long. */
export function conditionsHeld(kept: readonly KeptPage[]): readonly Held[] {
  const pages: Page[] = []
  for (const { at, text } of kept) {
    if (at - (pages.at(-1)?.at ?? 0) >= EVERY_MS) pages.push({ at, samples: readSamples(text) })
  }
  const levels = labelValues(pages.at(-1)?.samples ?? [], 'priority_level').filter((level) => level !== 'exempt')
  return [...levels.flatMap(conditionsOf), ...ofServer].flatMap(([alert, holdSeconds, holds]) => {
    let [since, longest, last] = [undefined as number | undefined, -1, false]
    pages.forEach((page, index) => {
      // A tenth of an hour is more than any of these windows.
      const held = index > 0 && holds(pages.slice(Math.max(0, index - 80), index + 1))
      if (held === undefined) return
      since = held ? (since ?? page.at) : undefined
      last = held
      if (since !== undefined) longest = Math.max(longest, (page.at - since) / 1_000)
    })
    return longest < 0 ? [] : [{ alert, heldSeconds: longest, holdSeconds, toTheEnd: last }]
  })
}
