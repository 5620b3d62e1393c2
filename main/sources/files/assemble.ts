import { KEPT_FAMILIES } from '../scrape/readPage.ts'
import { createFrameBuilder } from '../../../core/metrics/buildFrame.ts'
import type { ServerFrame, LevelFrame } from '../../../core/frame/frame.ts'
import type { ServerFacts } from '../../../core/engine/facts.ts'
import { type ReportedTimes, timesOf } from '../../../core/live/reportedTimes.ts'
import { factsOf } from '../../../core/live/serverFacts.ts'
import { MOST_LEVELS } from '../../../core/metrics/layout.ts'
import { createParser, type Parser } from '../../../core/metrics/parse.ts'
import { emptyDump, withDump, type DumpKind } from '../../../core/metrics/dumps.ts'
import { withPresentNames } from '../../../core/metrics/draftNames.ts'
import { FAMILY } from '../../../core/metrics/familyNames.ts'
import type { Page } from '../../../core/metrics/page.ts'
import type { DumpFrame, DumpRequest } from '../../../core/frame/dump.ts'
import { NEEDED_FAMILIES, typeOf } from '../../../core/metrics/catalogue.ts'
import { median } from '../../../core/frame/quantile.ts'
import { MS_PER_SECOND, rfc3339, unixMsAfter, unixMsOf } from '../../../core/units.ts'
import { type Body, NO_FLOW_CONTROL, type Recognised } from './recognise.ts'
import { endsOpen } from './scrapes.ts'

/** The contents of files about one server, in chronological order. */
export interface StillServer {
  readonly id: string
  readonly frames: readonly ServerFrame[]
  readonly dump?: DumpFrame
  readonly earlierDumps?: readonly DumpFrame[]
  /** From the newest page. */
  readonly facts?: ServerFacts
  /** From the pages whose capture time was recorded. */
  readonly times: readonly ReportedTimes[]
  /** Its only page tells no time, so that of reading is shown. */
  readonly isUndated?: boolean
  /** Sentences about what could not be read. */
  readonly notes: readonly string[]
}

export interface Assembled {
  /** At least one frame each. */
  readonly servers: readonly StillServer[]
  /** What was recognised but could not be read. */
  readonly sentences: readonly string[]
}

interface FoundPage {
  /** Absent where nothing tells it. */
  readonly at: number | undefined
  readonly body: Body
  readonly page: Page
  /** What `pageTime` reads in it. */
  readonly told: number | undefined
}
type TimedPage = FoundPage & { readonly at: number; readonly isUndated?: true }

/** Beyond this number, sentences are only counted. */
const MOST_SENTENCES = 8

/**
 * Assembles the contents of files. Pages of one file belong to one server, and so do files whose pages contain the same
 * process start time. Dumps do not identify their server, so they go to the first that was scraped when they were taken.
 */
export function assemble(found: readonly Recognised[], now: number): Assembled {
  const problems = found.flatMap((part) => (part.kind === 'unreadable' ? [part.sentence] : []))
  const groups = groupPages(found, problems, now)
  const dumps = gatherDumps(found, problems, now)
  const version = found.find((part) => part.kind === 'version')?.version
  const sentences = [...atMost(problems, MOST_SENTENCES)]

  const servers = [...groups.map((pages) => stillServer(pages, version)), ...framesOf(found)]
  if (servers.length > 0) {
    const owner = dumps && ownerOf(dumps.dump, servers)
    const own = (dump: DumpFrame): DumpFrame => ({ ...dump, server: owner?.id ?? '' })
    const withDumps = dumps && { dump: own(dumps.dump), earlierDumps: dumps.earlier.map(own) }
    const complete = servers.map((server) => ({ ...server, ...(server === owner && withDumps), notes: sentences }))
    return { servers: complete, sentences }
  }
  if (dumps === undefined) return { servers: [], sentences }
  const { dump, earlier } = dumps
  const all = [...earlier, dump].map(frameFromDump)
  const frames = all.map((frame) => ({ ...frame, levels: frame.levels.slice(0, MOST_LEVELS) }))
  if (all.some(({ levels }) => levels.length > MOST_LEVELS))
    sentences.push(`${dump.server} contains more than ${MOST_LEVELS} priority levels; the first are shown.`)
  if (frames.every(({ levels }) => levels.length === 0))
    return { servers: [], sentences: [...sentences, `${dump.server} ${NO_ROW}`] }
  return {
    servers: [
      {
        id: dump.server,
        frames,
        times: [],
        dump,
        earlierDumps: earlier,
        notes: sentences,
      },
    ],
    sentences,
  }
}

const ownerOf = <Server extends Pick<StillServer, 'frames'>>(
  { at }: DumpFrame,
  servers: readonly Server[],
): Server | undefined =>
  servers.find(({ frames }) => (frames[0]?.at ?? '') <= at && at <= (frames.at(-1)?.at ?? '')) ?? servers[0]

/** Pages by server, each group in the order of the files; unreadable parts are added to `problems`. */
function groupPages(found: readonly Recognised[], problems: string[], now: number): TimedPage[][] {
  const groups = new Map<string, FoundPage[]>()
  const files = new Map<string, { readonly parser: Parser; readonly group: FoundPage[] }>()
  const encoder = new TextEncoder()
  for (const part of found) {
    if (part.kind !== 'page') continue
    const known = files.get(part.file)
    const parser = known?.parser ?? createParser({ keep: KEPT_FAMILIES, typeOf, format: formatOf(part.text) })
    const page = parser.parse(encoder.encode(withPresentNames(closed(part.text))))
    const isShown = hasFlowControl(page)
    if (page.problem !== undefined) problems.push(problemSentence(part, page.problem, isShown))
    if (!isShown) {
      if (page.problem === undefined) problems.push(`${place(part)} ${NO_FLOW_CONTROL}.`)
      continue
    }
    const key = String(startOf(page) ?? part.file)
    const group = known?.group ?? groups.get(key) ?? []
    files.set(part.file, { parser, group })
    groups.set(key, group)
    const told = pageTime(page)
    group.push({ at: part.t ?? told ?? part.written, body: part, page, told })
  }
  return [...new Set(groups.values())].map((group) => inOneTime(withTimes(group, problems, now)))
}

/** Without the pages of an unknown time: no rate can be computed from them. The last one is of now if all are. */
function withTimes(group: readonly FoundPage[], problems: string[], now: number): TimedPage[] {
  const timed = group.flatMap((one) => (one.at === undefined ? [] : [{ ...one, at: one.at }]))
  const left = group.length - timed.length
  const last = group.at(-1)
  if (left > 1 || (left > 0 && timed.length > 0)) {
    const shown = timed.length > 0 ? 'The others are shown.' : 'The last one is shown.'
    problems.push(
      `${last?.body.file}: ${left} pages have no time, so nothing can be said about rates between them. ${shown} Write the time before each page (date -u +%FT%TZ), or save whole pages.`,
    )
  }
  return timed.length > 0 || last === undefined ? timed : [{ ...last, at: now, isUndated: true }]
}

/** A page tells its time some seconds early, each of a process by as much: those whose time is known show how much. */
function inOneTime(group: TimedPage[]): TimedPage[] {
  const processes = Map.groupBy(group, ({ page }) => startOf(page))
  const lags = new Map(
    [...processes].map(([start, pages]) => {
      const known = pages.flatMap(({ body: { written, t = written }, told }) =>
        t === undefined || told === undefined ? [] : [t - told],
      )
      return [start, median(known) ?? 0]
    }),
  )
  return group.map((one) =>
    one.body.t !== undefined || one.told === undefined
      ? one
      : { ...one, at: one.at + (lags.get(startOf(one.page)) ?? 0) },
  )
}

const startOf = (page: Page): number | undefined => page.families.get(FAMILY.startedAt)?.values[0]

const closed = (text: string): string => (endsOpen(text) ? `${text}\n` : text)

/** Frames by server, in chronological order; of two at the same instant, the later one. */
function framesOf(found: readonly Recognised[]): Omit<StillServer, 'notes'>[] {
  const servers = new Map<string, Map<string, ServerFrame>>()
  for (const part of found) {
    for (const server of part.kind === 'frame' ? part.frame.servers : []) {
      const known = servers.get(server.id) ?? new Map<string, ServerFrame>()
      servers.set(server.id, known.set(server.at, server))
    }
  }
  return [...servers].map(([id, frames]) => ({
    id,
    frames: [...frames.values()].toSorted((a, b) => unixMsOf(a.at) - unixMsOf(b.at)),
    times: [],
  }))
}

const NO_ROW = 'contains the header of a debug dump without a row: no request waited or executed, or the text was cut.'

const hasFlowControl = ({ families }: Page): boolean =>
  [...families].some(([name, { values }]) => name.startsWith('apiserver_flowcontrol_') && values.length > 0)

function atMost(sentences: readonly string[], most: number): readonly string[] {
  const more = sentences.length - most
  return more > 0 ? [...sentences.slice(0, most), `${more} more parts could not be read.`] : sentences
}

const formatOf = (text: string): 'text' | 'openmetrics' =>
  /^# EOF\s*$/m.test(text.slice(-16)) ? 'openmetrics' : 'text'

function stillServer(pages: readonly TimedPage[], version: string | undefined): Omit<StillServer, 'notes'> {
  const ordered = pages.toSorted((a, b) => a.at - b.at)
  const id = ordered[0]?.body.file ?? 'file'
  const build = createFrameBuilder({ id })
  const newest = ordered.at(-1)?.page
  const read = ordered.map(({ at, body, page }) => ({
    t: body.t,
    frame: build(page, {
      at: new Date(at).toISOString(),
      ...(page.families.has(FAMILY.buildInfo) ? {} : { version }),
      acquisition: {
        bytes: Buffer.byteLength(body.text),
        families: [...page.families.keys()].filter((name) => NEEDED_FAMILIES.has(name)).length,
      },
    }),
  }))
  return {
    id,
    isUndated: ordered.some((one) => one.isUndated),
    ...(newest && { facts: factsOf(newest) }),
    times: read.flatMap(({ t, frame }) => (t === undefined ? [] : [timesOf(frame, t)])),
    frames: read.map(({ frame }) => frame),
  }
}

/** Dumps that are this close were fetched together, such as the requests with details and without. */
const TOGETHER_MS = 500
/** Request rows in readings before the newest. */
const MOST_ROWS = 1_000_000

interface Dumps {
  /** The newest of each kind. */
  readonly dump: DumpFrame
  /** Dumps of earlier instants, where the files contain their time. */
  readonly earlier: readonly DumpFrame[]
}

function gatherDumps(found: readonly Recognised[], sentences: string[], now: number): Dumps | undefined {
  const parts = found
    .filter((part) => part.kind === 'dump')
    .toSorted((a, b) => (a.t ?? Number.MAX_VALUE) - (b.t ?? Number.MAX_VALUE))
  const earlier: DumpFrame[] = []
  const read = new Set<DumpKind>()
  let dump: DumpFrame | undefined
  let at: number | undefined
  let rows = 0
  for (const part of parts) {
    const isLater = at !== undefined && part.t !== undefined && part.t >= at + TOGETHER_MS
    if (dump !== undefined && at !== undefined && isLater && read.has(part.dump)) {
      rows += dump.requests?.length ?? 0
      if (rows <= MOST_ROWS) earlier.push(reading(dump, read, at))
      read.clear()
    }
    const before = read.has('requests') ? dump?.requests : undefined
    read.add(part.dump)
    dump = withDump(dump ?? emptyDump(part.file, now), part.dump, closed(part.text), place(part))
    // The same requests without their users say less.
    if (before?.some(hasUser) && !dump.requests?.some(hasUser)) dump = { ...dump, requests: before }
    at = part.t ?? at
  }
  if (dump === undefined) return undefined
  if (rows > MOST_ROWS) sentences.push('The dumps hold more than a million requests; of the others the newest is kept.')
  const isEmpty =
    dump.errors.length > 0 && [dump.levels, dump.queues, dump.requests].every((all = []) => all.length === 0)
  for (const { path, message } of dump.errors)
    sentences.push(`${path}: ${message}${isEmpty ? '' : ' The other rows are shown; save the dump again.'}`)
  if (isEmpty) return undefined
  return { dump: { ...dump, at: rfc3339(at ?? latestEvent(dump) ?? now) }, earlier }
}

const hasUser = ({ user }: DumpRequest): boolean => user !== undefined

/** The parts of the newest dumps that were read at that time. */
const reading = (
  { levels, queues, requests, ...about }: DumpFrame,
  kinds: ReadonlySet<DumpKind>,
  at: number,
): DumpFrame => ({
  ...about,
  at: rfc3339(at),
  ...(kinds.has('levels') && levels && { levels }),
  ...(kinds.has('queues') && queues && { queues }),
  ...(kinds.has('requests') && requests && { requests }),
})

const place = ({ file, line }: Body): string => (line === undefined ? file : `${file}, line ${line},`)

function problemSentence(body: Body, problem: NonNullable<Page['problem']>, isShown: boolean): string {
  const inside = `line ${problem.line}, column ${problem.column}`
  const where =
    body.line === undefined ? `${body.file}, ${inside}` : `${body.file}, line ${body.line}, in ${inside} of its page`
  const remedy = isShown
    ? 'What comes before it is shown; save the page again to see the rest.'
    : 'Save the page again.'
  return `${where}: ${problem.message} ${remedy}`
}

/**
 * When a page was written, in Unix milliseconds, derived from its contents; a metrics text has no date. The
 * time-weighted histograms count every nanosecond since the priority level was created, up to the scrape (specification
 * 8.2), so the longest of them added to the start of the process is the time of the scrape, some seconds early. The
 * distance between two pages of one server is exact. `undefined` when the page lacks either.
 */
function pageTime(page: Page): number | undefined {
  const started = startOf(page)
  const utilization = page.families.get(FAMILY.seatUtilization)
  if (started === undefined || utilization === undefined) return undefined
  let longestNs = 0
  utilization.series.forEach(({ name }, index) => {
    if (name.endsWith('_count')) longestNs = Math.max(longestNs, utilization.values[index] ?? 0)
  })
  return longestNs > 0 ? unixMsAfter(started * MS_PER_SECOND, longestNs) : undefined
}

/**
 * Unix milliseconds of the latest event in a reading: approximately when it was taken; `undefined` without any request.
 */
function latestEvent({ requests }: DumpFrame): number | undefined {
  const times = requests?.flatMap(({ arrivedAt, startedAt }) => [arrivedAt, startedAt ?? arrivedAt]) ?? []
  return times.length > 0 ? times.reduce((a, b) => Math.max(a, b)) : undefined
}

/**
 * The part of a frame that debug dumps contain: numbers of requests, and seats where the queues were dumped too. The
 * level named exempt has no queues, so its seats stay unknown.
 */
function frameFromDump(dump: DumpFrame): ServerFrame {
  const { levels: ofLevels = [], queues: ofQueues = [], requests: ofRequests } = dump
  const all = new Set(ofLevels.map(({ name }) => name))
  for (const { level } of ofQueues) all.add(level)
  for (const { level } of ofRequests ?? []) all.add(level)
  // One more than is shown, to notice that.
  const names = new Set([...all].toSorted().slice(0, MOST_LEVELS + 1))
  const isOfOne = ({ level }: { readonly level: string }): boolean => names.has(level)
  // Of rows about the same level, the first.
  const levels = new Map(
    ofLevels
      .filter(({ name }) => names.has(name))
      .toReversed()
      .map((level) => [level.name, level]),
  )
  const queues = Map.groupBy(ofQueues.filter(isOfOne), ({ level }) => level)
  const requests = ofRequests && Map.groupBy(ofRequests.filter(isOfOne), ({ level }) => level)
  const rowsOf = (name: string): LevelRows => ({
    level: levels.get(name),
    queues: queues.get(name) ?? [],
    requests: requests && (requests.get(name) ?? []),
    waitingOnly: dump.waitingOnly === true,
  })
  const note = 'Only debug dumps were opened; open the /metrics text of the same server to see it.'
  return {
    id: dump.server,
    at: dump.at,
    levels: Array.from(names, (name) => levelFromDump(name, rowsOf(name))),
    missing: [...NEEDED_FAMILIES].toSorted().map((family) => ({ family, reason: 'not-exposed', note })),
  }
}

interface LevelRows {
  readonly level: NonNullable<DumpFrame['levels']>[number] | undefined
  readonly queues: NonNullable<DumpFrame['queues']>
  readonly requests: DumpFrame['requests']
  readonly waitingOnly: boolean
}

function levelFromDump(name: string, { level, queues, requests, waitingOnly }: LevelRows): LevelFrame {
  const waiting = requests?.filter(({ startedAt }) => startedAt === undefined).length
  const sum = (of: (queue: (typeof queues)[number]) => number): number | undefined =>
    queues.length > 0 ? queues.reduce((total, queue) => total + of(queue), 0) : undefined
  return {
    name,
    limits: {},
    seats: { executing: sum(({ seatsInUse }) => seatsInUse), queued: sum(({ maxSeats }) => maxSeats) },
    requests: {
      executing:
        level?.executing ?? (waiting === undefined || waitingOnly ? undefined : (requests?.length ?? 0) - waiting),
      queued: level?.waiting ?? waiting,
    },
    demand: {},
    dispatched: level?.dispatched,
    schemas: [],
  }
}
