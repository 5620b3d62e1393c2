import type { KeptPage } from './recordingRelay.ts'
import { labelValues, readRows, readSamples, total, type Sample } from './independent.ts'

/** What the screens said at one instant, read in one turn of the page. */
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
  /** The same by flow schema and reason. */
  readonly rejections: readonly { readonly schema: string; readonly reason: string; readonly count: number }[]
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
    rejections: samples
      .filter((sample) => sample.name === 'rejected_requests_total' && sample.labels.get('priority_level') === name)
      .map(({ labels, value }) => ({
        schema: labels.get('flow_schema') ?? '',
        reason: labels.get('reason') ?? '',
        count: value,
      })),
  }
}

/** What the relay has passed on so far. */
export interface Known {
  readonly pages: readonly TruePage[]
  readonly dumps: readonly KeptPage[]
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

/** Without separators of thousands, and with plain spaces. */
const tidy = (text: string): string =>
  text.replaceAll(/(?<=\d)[\u00a0\u202f](?=\d)/g, '').replaceAll(/[\u00a0\u202f]/g, ' ')

/**
 * What is false of a reading if it is of this page. `gone` are levels that are deleted, or were a moment ago: they may be
 * missing. Empty: every statement holds.
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
  const flowing = /^None of the (\d+) levels queues or rejects\. (\S+) of \S+ seats are executing\.$/.exec(headline)
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

/** A busy machine passes a request on so much later than the console dates it, in seconds. */
const CLOCKS_APART = 0.5

/** Whether a rate in three digits is that of so many requests in the seconds between two pages. */
const isRate = (shown: number, count: number, seconds: number): boolean =>
  shown >= count / (seconds + CLOCKS_APART) - 0.006 &&
  shown <= (count / Math.max(CLOCKS_APART, seconds - CLOCKS_APART)) * 1.006 + 0.006

/** The account of every seat: as a whole, and level by level. */
function falseLedger({ ledger, accounts }: Said, levels: readonly TrueLevel[]): readonly string[] {
  const own = levels.filter(({ name }) => name !== 'exempt')
  const sum = (of: (level: TrueLevel) => number): number => own.reduce((all, level) => all + of(level), 0)
  const isTrue =
    `Seat ledger: ${sum(({ executing }) => executing)} of ${sum(({ limit }) => limit)} seats execute, ` +
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

interface Window {
  readonly start: TruePage
  readonly seconds: number
}

interface Around extends Known {
  readonly at: number
  readonly rejecting: ReadonlySet<string>
}

/** Sentences below the headline; one that this test does not understand counts as false. */
function falseEvidence(
  { headline, evidence }: Said,
  levels: readonly TrueLevel[],
  since: readonly Window[],
  around: Around,
): readonly string[] {
  const name = /^(\S+?)(?: |$)/.exec(headline)?.[1]
  const own = levels.find((level) => level.name === name)
  const found: string[] = []
  for (const sentence of evidence.split(/(?<=\.) (?=\S)/).filter((text) => text !== '')) {
    const rule = SENTENCES.find(({ words }) => words.test(sentence))
    const match = rule?.words.exec(sentence) ?? null
    if (rule === undefined || match === null) found.push(`evidence that this test does not understand: ${sentence}`)
    else if (!rule.holds(match, { own, levels, since, ...around })) found.push(`evidence: ${sentence}`)
  }
  return found
}

interface Facts extends Around {
  /** The level that the headline is about. */
  readonly own: TrueLevel | undefined
  readonly levels: readonly TrueLevel[]
  readonly since: readonly Window[]
}

/** Rejections of a level since a page, by what `key` makes of them. */
function increases(
  level: TrueLevel,
  start: TruePage,
  key: (one: TrueLevel['rejections'][number]) => string,
): ReadonlyMap<string, number> {
  const before = start.levels.find(({ name }) => name === level.name)?.rejections ?? []
  const sums = new Map<string, number>()
  for (const one of level.rejections) {
    const then = before.find(({ schema, reason }) => schema === one.schema && reason === one.reason)?.count ?? 0
    sums.set(key(one), (sums.get(key(one)) ?? 0) + one.count - then)
  }
  return sums
}

/** How many requests were rejected in the seconds before a page, of one level or of all; of each process by itself. */
function rejectedBefore({ pages }: Known, end: number, seconds: number, name?: string): number {
  const from = (pages[end]?.at ?? 0) - seconds * 1_000
  let sum = 0
  for (let i = 1; i <= end; i++) {
    const [before, now] = [pages[i - 1], pages[i]]
    if (before === undefined || now === undefined || before.at < from || before.startedAt !== now.startedAt) continue
    for (const level of now.levels) {
      if (name !== undefined && level.name !== name) continue
      sum += level.rejected - (before.levels.find((one) => one.name === level.name)?.rejected ?? 0)
    }
  }
  return sum
}

const UNITS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3_600 }
/** The history of the range comes some seconds after the page. */
const LAG_PAGES = 6

/** Whether so many were rejected within a range named in whole seconds or minutes. */
function holdsInRange(count: number, amount: number, unit: string, about: Around, name?: string): boolean {
  const size = UNITS[unit] ?? 1
  const least = rejectedBefore(about, Math.max(0, about.at - LAG_PAGES), (amount - 1) * size - 2, name)
  const most = rejectedBefore(about, about.at, (amount + 1) * size + LAG_PAGES + 2, name)
  return count >= Math.floor(least * 0.98) && count <= Math.ceil(most * 1.02) + 1
}

const clockOf = (at: number): string => new Date(at).toISOString().slice(11, 19)

/** Whether the last rejection that some page shows up to now is of this level and was seen at this time of day. */
function lastRejection({ pages, at }: Around, name: string, clock: string): boolean {
  for (let end = at; end >= Math.max(1, at - LAG_PAGES); end--) {
    for (let i = end; i > 0; i--) {
      const [before, now] = [pages[i - 1], pages[i]]
      if (before === undefined || now === undefined || before.startedAt !== now.startedAt) continue
      const who = now.levels.filter(
        (level) => level.rejected > (before.levels.find((one) => one.name === level.name)?.rejected ?? 0),
      )
      if (who.length === 0) continue
      const times = [-1_000, 0, 1_000].map((ms) => clockOf(now.at + ms))
      if (who.some((level) => level.name === name) && times.includes(clock)) return true
      break
    }
  }
  return false
}

/** The requests of a level in the dump that was taken at this time of day, and how many of them are of one flow. */
function inDump({ dumps }: Known, clock: string, level: string, waits: boolean, flow: string) {
  return dumps
    .filter(({ at }) => [-2_000, -1_000, 0, 1_000].some((ms) => clockOf(at + ms) === clock))
    .map(({ text }) => {
      const requests = readRows(text).filter(
        (row) => row['PriorityLevelName'] === level && (row['StartTime'] ?? '').startsWith('0001-') === waits,
      )
      const from = requests.filter(({ FlowDistingsher = '', FlowSchemaName }) =>
        FlowDistingsher === '' ? flow === `all of ${FlowSchemaName}` : FlowDistingsher.endsWith(flow),
      )
      return { of: requests.length, count: from.length }
    })
}

interface Sentence {
  readonly words: RegExp
  holds(match: RegExpExecArray, facts: Facts): boolean
}

const SENTENCES: readonly Sentence[] = [
  {
    words:
      /^((?:queue-full|concurrency-limit|time-out) .+? \/s)(?: answered 429 in the last 10 s)?(?:, (all|\S+ %) from flow schema (\S+))?\.$/,
    holds([, detail = '', share, schema], { own, since }) {
      if (own === undefined) return false
      return since.some(({ start, seconds }) => {
        const byReason = increases(own, start, ({ reason }) => reason)
        const bySchema = increases(own, start, (one) => one.schema)
        const all = [...bySchema.values()].reduce((a, b) => a + b, 0)
        const part = (bySchema.get(schema ?? '') ?? 0) / all
        const said = detail.split(', ').map((text) => /^(\S+) (\S+) \/s$/.exec(text))
        return (
          said.every((one) => isRate(number(one?.[2]), byReason.get(one?.[1] ?? '') ?? 0, seconds)) &&
          said.length === [...byReason.values()].filter((count) => count > 0).length &&
          (share === undefined ||
            (share === 'all' ? part === 1 : Math.abs(number(share.replace('%', '')) / 100 - part) <= 0.0101))
        )
      })
    },
  },
  {
    words: /^(?:≈ )?(\S+) requests? rejected in the last (\d+) (s|min|h)\.$/,
    holds: ([, count, amount, unit = ''], facts) =>
      holdsInRange(number(count), Number(amount), unit, facts, facts.own?.name),
  },
  {
    words: /^(?:≈ )?(\S+) requests? rejected in the last (\d+) (s|min|h), last by (\S+) at (\S+)\.$/,
    holds: ([, count, amount, unit = '', name = '', clock = ''], facts) =>
      holdsInRange(number(count), Number(amount), unit, facts) && lastRejection(facts, name, clock),
  },
  {
    words:
      /^No request was rejected in the last (\d+) (s|min|h)(?:; (\S+) last queued at (\S+)|, and no sample saw one wait)?\.$/,
    holds: ([, amount, unit = '', name, clock], facts) =>
      holdsInRange(0, Number(amount), unit, facts) &&
      (name === undefined ||
        facts.pages.some(
          ({ at, levels }) =>
            [-1_000, 0, 1_000].some((ms) => clockOf(at + ms) === clock) &&
            levels.some((level) => level.name === name && level.queued > 0),
        )),
  },
  {
    words: /^(.+) had (?:the|all (\S+)|(\S+) % of the (\S+)) (waiting|executing) requests? at (\S+)\.$/,
    holds: ([, flow = '', all, share, of, what, clock = ''], facts) =>
      inDump(facts, clock, facts.own?.name ?? '', what === 'waiting', flow).some(
        (dump) =>
          dump.of === number(all ?? of ?? '1') &&
          (share === undefined
            ? dump.count === dump.of
            : Math.abs(number(share) / 100 - dump.count / dump.of) <= 0.0101),
      ),
  },
  {
    words: /^(\S+) of (\S+) seats execute\.$/,
    holds: ([, executing, limit], { own }) => number(executing) === own?.executing && number(limit) === own.limit,
  },
  {
    words: /^(\S+) seats? free: the next request may be wider than that\.$/,
    holds: ([, free], { own }) => own !== undefined && number(free) === own.limit - own.executing,
  },
  {
    words: /^Its limit is (\S+?)(?:, its floor)?, of (\S+) nominal seats\.$/,
    holds: ([, limit, nominal], { own }) => number(limit) === own?.limit && number(nominal) === own.nominal,
  },
  {
    words: /^Also waiting or rejecting: (.+?)(?:, and (\d+) more)?\.$/,
    holds([, names = '', more = '0'], { own, levels, rejecting }) {
      const others = levels
        .filter((level) => level.name !== own?.name && (level.queued > 0 || rejecting.has(level.name)))
        .map(({ name }) => name)
      const said = names.split(' and ')
      return said.every((name) => others.includes(name)) && others.length === said.length + Number(more)
    },
  },
  ...Object.entries({
    'queue-full': /^(?:The shortest queue of the flow’s hand|Flows with another hand are not affected)/,
    'concurrency-limit': /^All seats were taken and the level does not queue/,
    'time-out': /^The request waited in its queue for a quarter of its deadline/,
  }).map(([cause, words]): Sentence => ({
    words,
    // The cause of most of them.
    holds: (_, { own, since }) =>
      since.some(({ start }) => {
        const byReason = own === undefined ? new Map<string, number>() : increases(own, start, ({ reason }) => reason)
        return (byReason.get(cause) ?? 0) === Math.max(...byReason.values())
      }),
  })),
  // Explanations: they state no number of now.
  {
    words:
      /^(?:It gets lent seats back within|Its borrowing limit keeps it|No other flow schema|A schema of their own|Whether requests are rejected takes|Wait p99 of the last 30 s: )/,
    holds: () => true,
  },
]
