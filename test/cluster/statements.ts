import { falseEvidence, type Window } from './evidence.ts'
import { isRate, number, tidy, windowStarts, type Known, type TrueLevel } from './truePages.ts'

/** What the screens showed at one instant, read in one turn of the page. */
export interface Said {
  readonly headline: string
  readonly evidence: string
  /** Cells of the level table by header; the state as its words. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** `workload-low: 3/24 seats executing, queueing` */
  readonly roster: readonly string[]
  readonly numbers: Readonly<Record<string, string>>
  /** The ledger's account as a whole, and of each level. */
  readonly ledger: string
  readonly accounts: readonly string[]
}

/**
 * The false statements of a reading, if it is of this page. `gone` are levels that are deleted, or were a moment ago:
 * they may be missing. Empty: every statement holds.
 */
export function falseStatements(
  given: Said,
  { pages, dumps }: Known,
  at: number,
  gone: ReadonlySet<string>,
): readonly string[] {
  const page = pages[at]
  if (page === undefined) return ['no page']
  const said = { ...given, headline: tidy(given.headline), evidence: tidy(given.evidence) }
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
  const lent = limited(({ nominal, limit }) => Math.max(0, nominal - limit))
  const borrowed = limited(({ nominal, limit }) => Math.max(0, limit - nominal))
  claim(
    'lent and borrowed',
    said.numbers['lent and borrowed'],
    `${lent === borrowed ? lent : `${lent} · ${borrowed}`}seats`,
  )
  found.push(...falseLedger(said, levels))
  // The console has its own clock: times of its samples differ from the relay's by milliseconds.
  const since = starts
    .filter((start) => start !== page)
    .map((start): Window => ({ start, seconds: (page.at - start.at) / 1_000 }))
  const rate = /^(\S+?)\s*\/s$/.exec(said.numbers['rejected, 10 s'] ?? '')?.[1]
  const windows = since.map(({ seconds }, i) => ({
    seconds,
    count: levels.reduce((all, level) => all + (rejectedSince(level)[i] ?? 0), 0),
  }))
  const rated = rate === '–' || windows.some(({ count, seconds }) => isRate(number(rate), count, seconds))
  if (since.length === starts.length && !rated) {
    found.push(`rejected, 10 s: shows ${rate}, is ${JSON.stringify(windows)}`)
  }
  found.push(...falseHeadline(said, levels, rejecting))
  found.push(...falseEvidence(said, levels, since, { pages, dumps, at, rejecting }))
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
  const flowing = /^No request waits or is rejected in (\d+) levels?\. (\S+) of \S+ seats? in use\.$/.exec(headline)
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
  const queues = /^(\S+) queues\. (\S+) requests? waits?(?: for (\S+) seats?)?\.$/.exec(headline)
  if (queues !== null) {
    const own = level(queues[1])
    return says(own?.queued === number(queues[2]) && own.queuedSeats === number(queues[3] ?? queues[2]))
  }
  const lends = /^(\S+) lends (\S+) seats? while (\S+) requests? waits?\.$/.exec(headline)
  if (lends !== null) {
    const own = level(lends[1])
    return says(own !== undefined && own.nominal - own.limit === number(lends[2]) && own.queued === number(lends[3]))
  }
  const stray = /^catch-all (?:executes (\S+) seats?|serves requests)\.$/.exec(headline)
  if (stray !== null) return says(stray[1] === undefined || level('catch-all')?.executing === number(stray[1]))
  if (headline.startsWith('No request waits. ')) return says(waits.length === 0)
  if (/^\S+ is at its max of /.test(headline)) return []
  return [`a headline that this test does not understand: ${headline}`]
}

/** The account of every seat: as a whole, and level by level. */
function falseLedger({ ledger, accounts }: Said, levels: readonly TrueLevel[]): readonly string[] {
  const own = levels.filter(({ name }) => name !== 'exempt')
  const sum = (of: (level: TrueLevel) => number): number => own.reduce((all, level) => all + of(level), 0)
  const isTrue =
    `Seat ledger: ${sum(({ executing }) => executing)} of ${sum(({ limit }) => limit)} seats are taken, ` +
    `${sum(({ limit, executing }) => Math.max(0, limit - executing))} are free; ` +
    `${sum(({ nominal, limit }) => Math.max(0, nominal - limit))} lent, ` +
    `${sum(({ nominal, limit }) => Math.max(0, limit - nominal))} borrowed; ` +
    `nominal limits sum to ${sum(({ nominal }) => nominal)}`
  const found = ledger === isTrue ? [] : [`${ledger} | is ${isTrue}`]
  for (const { name, executing, limit, nominal } of own) {
    const moved = nominal > limit ? `, ${nominal - limit} lent` : limit > nominal ? `, ${limit - nominal} borrowed` : ''
    const account = `${name}: ${executing} of ${limit} seats executing${moved}, nominal ${nominal}`
    if (!accounts.includes(account)) found.push(`ledger lacks ${account}`)
  }
  return found
}
