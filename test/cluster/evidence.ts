import { readRows } from './independent.ts'
import { isRate, number, type Known, type TrueLevel, type TruePage } from './truePages.ts'

export interface Window {
  readonly start: TruePage
  readonly seconds: number
}

interface Around extends Known {
  readonly at: number
  readonly rejecting: ReadonlySet<string>
}

/** Sentences below the headline; one that this test does not understand counts as false. */
export function falseEvidence(
  { headline, evidence }: { readonly headline: string; readonly evidence: string },
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

/** Rejections of a level since a page, grouped by `key`. */
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

/** How far the time of a sample may be from that of its page, as the relay passed it on. */
const APART_MS = 2_000

/** Whether no page was passed on between two times of day, and one shortly before and after. */
function isGap({ pages, at }: Around, from: string, to: string): boolean {
  const day = new Date(pages[at]?.at ?? 0).toISOString().slice(0, 10)
  const [fromMs = NaN, toMs = NaN] = [from, to].map((clock) => Date.parse(`${day}T${clock}Z`))
  const near = (ms: number): boolean => pages.some((page) => Math.abs(page.at - ms) <= APART_MS)
  const isInside = (ms: number): boolean => ms > fromMs + APART_MS && ms < toMs - APART_MS
  return near(fromMs) && near(toMs) && !pages.some((page) => isInside(page.at))
}

interface Sentence {
  readonly words: RegExp
  holds(match: RegExpExecArray, facts: Facts): boolean
}

const SENTENCES: readonly Sentence[] = [
  {
    words:
      /^((?:queue-full|concurrency-limit|time-out) .+? \/s)(?: answered 429 in the last [^,.]+)?(?:, (all|\S+ %) from flow schema (\S+))?\.$/,
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
      /^No request was rejected in the last (\d+) (s|min|h)(?:; (\S+) last queued at (\S+)|, and none waited in any sample)?\.$/,
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
    words: /^(\S+) of (\S+) seats are taken\.$/,
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
  {
    words: /^The server has no samples from (\S+) to (\S+) \([^)]+\)\.$/,
    holds: ([, from = '', to = ''], facts) => isGap(facts, from, to),
  },
  {
    words: /^Rejections are unknown until two samples count them\.$/,
    holds: (_, { pages, at }) =>
      pages.slice(0, at + 1).filter(({ startedAt }) => startedAt === pages[at]?.startedAt).length <= 2,
  },
  // Explanations: they state no number of now.
  {
    words:
      /^(?:It gets lent seats back within|Its borrowing limit keeps it|No other flow schema|Create a flow schema for them|Whether requests are rejected takes|Wait p99 of the last 30 s: )/,
    holds: () => true,
  },
]
