import type { KeptPage } from './recordingRelay.ts'
import { labelValues, readSamples, total, type Sample } from './independent.ts'

/** What the screens said at one instant, read in one turn of the page. */
export interface Said {
  readonly headline: string
  readonly evidence: string
  /** Cells of the level table by header; the state as its words. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** `workload-low: 3/24 seats executing, queueing` */
  readonly roster: readonly string[]
  readonly numbers: Readonly<Record<string, string>>
}

/** One level on one page, by an independent reading. */
export interface TrueLevel {
  readonly name: string
  readonly executing: number
  readonly limit: number
  readonly nominal: number
  readonly queued: number
  readonly queuedSeats: number
  /** Since the server started. */
  readonly rejected: number
}
export interface TruePage {
  readonly at: number
  readonly startedAt: string
  readonly levels: readonly TrueLevel[]
}

export function readTruth({ at, text }: KeptPage): TruePage {
  const samples = readSamples(text)
  return {
    at,
    startedAt: /^process_start_time_seconds (\S+)$/m.exec(text)?.[1] ?? '',
    levels: labelValues(samples, 'priority_level').map((name) => levelOf(samples, name)),
  }
}

function levelOf(samples: readonly Sample[], name: string): TrueLevel {
  const of = (family: string): number => total(samples, family, { priority_level: name }) ?? 0
  return {
    name,
    executing: of('current_executing_seats'),
    limit: of('current_limit_seats'),
    nominal: of('nominal_limit_seats'),
    queued: of('current_inqueue_requests'),
    queuedSeats: of('current_inqueue_seats'),
    rejected: of('rejected_requests_total'),
  }
}

const WINDOW_MS = 10_000

/** Pages with which the window of the present may begin: the console's clock and the relay's differ by milliseconds. */
function windowStarts(pages: readonly TruePage[], at: number): readonly TruePage[] {
  const now = pages[at]
  const own = pages.slice(0, at + 1).filter(({ startedAt }) => startedAt === now?.startedAt)
  const first = own.findLastIndex((page) => page.at <= (now?.at ?? 0) - WINDOW_MS)
  return first < 0 ? own.slice(0, 1) : own.slice(Math.max(0, first - 1), first + 2)
}

const number = (text: string | undefined): number => Number((text ?? '').replaceAll(/[\s\u202f]/g, ''))

/**
 * What is false of a reading if it is of this page. `gone` are levels that are deleted, or were a moment ago: they may be
 * missing. Empty: every statement holds.
 */
export function falseStatements(
  said: Said,
  pages: readonly TruePage[],
  at: number,
  gone: ReadonlySet<string>,
): readonly string[] {
  const page = pages[at]
  if (page === undefined) return ['no page']
  const found: string[] = []
  const claim = (what: string, shown: unknown, isTrue: unknown): void => {
    if (shown !== isTrue) found.push(`${what}: shows ${String(shown)}, is ${String(isTrue)}`)
  }
  const levels = page.levels.filter(({ name }) => !gone.has(name) || name in said.rows)
  const starts = windowStarts(pages, at)
  const rejectedSince = (level: TrueLevel): readonly number[] =>
    starts.map((start) => level.rejected - (start.levels.find(({ name }) => name === level.name)?.rejected ?? 0))
  const single = starts.length === 1 && starts[0] === page

  claim(
    'levels',
    Object.keys(said.rows).toSorted().join(' '),
    levels
      .map(({ name }) => name)
      .toSorted()
      .join(' '),
  )
  const rejecting = new Set<string>()
  for (const level of levels) {
    const { name } = level
    const row = said.rows[name]
    if (row === undefined) continue
    claim(`${name} executing`, number(row['Executing']), level.executing)
    if (name !== 'exempt') claim(`${name} limit`, number(row['Limit']), level.limit)
    if (row['Nominal'] !== undefined) claim(`${name} nominal`, number(row['Nominal']), level.nominal)
    claim(`${name} queued`, number(row['Queued']), level.queued)
    const state = row['State'] ?? ''
    const counts = rejectedSince(level)
    if (state.includes('rejecting')) rejecting.add(name)
    if (!single && !counts.some((count) => count > 0 === state.includes('rejecting'))) {
      found.push(`${name}: ${state}, rejected ${counts.join(' or ')} in 10 s`)
    }
    claim(`${name} queueing`, state.includes('queueing'), level.queued > 0)
    const trouble = state.includes('rejecting') ? ', rejecting' : state.includes('queueing') ? ', queueing' : ''
    const count = name === 'exempt' ? String(level.executing) : `${level.executing}/${level.limit}`
    const item = said.roster.find((title) => title.startsWith(`${name}: `))
    claim(`${name} in the roster`, item, `${name}: ${count} seats executing${trouble}`)
  }
  const sum = (of: (level: TrueLevel) => number): number => levels.reduce((all, level) => all + of(level), 0)
  const limited = (of: (level: TrueLevel) => number): number =>
    sum((level) => (level.name === 'exempt' ? 0 : of(level)))
  const executing = /^(\S+?)\/ (\S+) seats$/.exec(said.numbers['executing'] ?? '')
  claim(
    'executing',
    number(executing?.[1]),
    sum((level) => level.executing),
  )
  claim(
    'seats',
    number(executing?.[2]),
    limited((level) => level.nominal),
  )
  const queued = /^(\S+?)requests · (\S+) seats$/.exec(said.numbers['queued'] ?? '')
  claim(
    'queued',
    number(queued?.[1]),
    sum((level) => level.queued),
  )
  claim(
    'queued seats',
    number(queued?.[2]),
    sum((level) => level.queuedSeats),
  )
  found.push(...falseHeadline(said, levels, rejecting))
  return found
}

function falseHeadline(
  { headline }: Said,
  levels: readonly TrueLevel[],
  rejecting: ReadonlySet<string>,
): readonly string[] {
  const level = (name: string | undefined): TrueLevel | undefined => levels.find((one) => one.name === name)
  const waits = levels.filter(({ queued }) => queued > 0)
  const executing = levels.reduce((sum, one) => sum + one.executing, 0)
  const says = (holds: boolean): readonly string[] => (holds ? [] : [`headline: ${headline}`])
  const flowing = /^All (\d+) levels are flowing now\. (\S+) of \S+ seats are executing\.$/.exec(headline)
  if (flowing !== null) {
    return says(
      number(flowing[1]) === levels.length &&
        number(flowing[2]) === executing &&
        waits.length === 0 &&
        rejecting.size === 0,
    )
  }
  const rejects = /^(\S+) is (full and )?rejecting\.$/.exec(headline)
  if (rejects !== null) {
    const [, name = '', full] = rejects
    const own = level(name)
    return says(rejecting.has(name) && own !== undefined && own.executing >= own.limit === (full !== undefined))
  }
  const queues = /^(\S+) queues\. (\S+) requests? waits? for (\S+) seats?\.$/.exec(headline)
  if (queues !== null) {
    const own = level(queues[1])
    return says(own?.queued === number(queues[2]) && own.queuedSeats === number(queues[3]))
  }
  const lends = /^(\S+) lends (\S+) seats? while (\S+) requests? waits?\.$/.exec(headline)
  if (lends !== null) {
    const own = level(lends[1])
    return says(own !== undefined && own.nominal - own.limit === number(lends[2]) && own.queued === number(lends[3]))
  }
  const stray = /^catch-all (?:executes (\S+) seats?|serves requests)\.$/.exec(headline)
  if (stray !== null) return says(stray[1] === undefined || level('catch-all')?.executing === number(stray[1]))
  if (headline.startsWith('No level queues. ')) return says(waits.length === 0)
  if (/^\S+ is at its max of /.test(headline)) return []
  return [`a headline that this test does not understand: ${headline}`]
}
