import { plain } from '../text/format.ts'
import { methodOfVerb } from '../classify/requestFields.ts'
import { type LiveRequest, LiveRequestSchema } from '../contract/live.ts'
import { REALLOCATION_MS } from '../frame/derive.ts'
import type { FeedListener } from '../feeds/feedEngine.ts'
import { createFeedRun } from '../feeds/feedRun.ts'
import { createLogReader, mergedByTime, logKindOf, readLog } from '../feeds/logReader.ts'
import { readRequestLine } from '../request/requestInfo.ts'
import type { LiveRow } from '../live/requestLog.ts'
import type { RunRequest } from '../run/run.ts'
import { UsualDurations } from '../run/usualDurations.ts'
import { msToNs, type Nanoseconds, type UnixMs, unixMsAfter } from '../units.ts'
import type { Arrival, Arrivals } from './arrivals.ts'
import { engineOptions, type Variant } from './variant.ts'
import { otherText } from '../text/otherTexts.ts'
import { fewOf, parseJson, linesOf } from '../text/text.ts'

/** A recording with one request or event per line. */
export interface RecordedText {
  readonly file: string
  readonly text: string
}

export type ReadArrivals =
  { readonly ok: true; readonly arrivals: Arrivals } | { readonly ok: false; readonly problem: string }

/** The end of a request log of `proxy --json`, or of a feed that was read to its end. */
const isSummary = (value: object): boolean => 'waits' in value && !('seq' in value)

type Format = 'requests' | 'audit' | 'httplog'

/**
 * Reads recorded requests: lines of `apf-console proxy --json` or `feed --json`, an audit log, or a request log
 * (`-v=3`). A log's combined times of waiting and executing are separated by an engine like the baseline, as in a feed.
 * Other files, which folders and archives also contain, are left out. `nowMs` determines the year, which klog omits.
 */
export function readRecorded(texts: readonly RecordedText[], baseline: Variant, nowMs: UnixMs): ReadArrivals {
  const found = texts.map((one) => ({ ...one, format: formatOf(one.text) }))
  const recordings = found.filter(({ format }) => format !== undefined)
  const formats = new Set(recordings.map(({ format }) => format))
  if (formats.size > 1) {
    const problem =
      'The files are of several kinds; name files of one kind: a request log, an audit log or lines of --json.'
    return { ok: false, problem }
  }
  const [format = 'httplog'] = formats
  const used = recordings.length > 0 ? recordings : found
  const read = format === 'requests' ? readRequests(used) : readFeed(used, format, baseline, nowMs)
  const others = found.filter((one) => !used.includes(one)).map(({ file }) => file)
  if (!read.ok || others.length === 0) return read
  const left = `${plain.counted(others.length, 'other file')} left out: ${fewOf(others, MOST_NAMED)}`
  return { ok: true, arrivals: { ...read.arrivals, notes: [...read.arrivals.notes, `${left}.`] } }
}

/** Names beyond these are counted. */
const MOST_NAMED = 5

function formatOf(text: string): Format | undefined {
  const [first = ''] = /\S[^\n]*/.exec(text) ?? []
  return first.startsWith('{') && first.includes('"seq"') ? 'requests' : logKindOf(text)
}

/** An arrival whose duration may become known later. */
interface Recorded {
  readonly atMs: UnixMs
  /** Milliseconds since the start of the engine that placed it, if known. */
  readonly engineMs: number | undefined
  readonly request: RunRequest
  readonly row: Pick<LiveRequest, 'user' | 'verb' | 'resource' | 'namespace' | 'url'>
  executionNs: Nanoseconds | undefined
  watchNs: Nanoseconds | undefined
  leavesAfterNs: Nanoseconds | undefined
}

function readRequests(texts: readonly RecordedText[]): ReadArrivals {
  const rows: LiveRequest[] = []
  for (const one of texts) {
    let number = 0
    for (const line of linesOf(one.text)) {
      number += 1
      if (line.trim() === '') continue
      const value = parseJson(line)
      if (typeof value === 'object' && value !== null && isSummary(value)) continue
      const row = LiveRequestSchema.safeParse(value)
      if (!row.success) {
        const [issue] = row.error.issues
        const why = value === undefined ? 'it is not JSON' : `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`
        return {
          ok: false,
          problem: `${one.file}:${number}: This is not a line of proxy --json or feed --json: ${why}.`,
        }
      }
      rows.push(row.data)
    }
  }
  return arrivalsOfRows(rows)
}

/** Requests as a live source shows them, in any order. */
export function arrivalsOfRows(given: readonly LiveRequest[]): ReadArrivals {
  // Of two at the same instant, the one that arrived first was placed first.
  const rows = given.toSorted((a, b) => a.at - b.at || a.seq - b.seq)
  const recorded: Recorded[] = []
  let [shortened, crowdedOut] = [0, 0]
  for (const row of rows) {
    // Rejected before flow control.
    if (row.state === 'crowded-out') {
      crowdedOut += 1
      continue
    }
    const read = recordedOf(row)
    if (read === undefined) shortened += 1
    else recorded.push(read)
  }
  const watches = recorded.some(({ request }) => request.info.verb === 'watch')
  return arrivalsOf(recorded, [
    ...(shortened > 0
      ? [`${plain.counted(shortened, 'request')} left out: the log shortened their address or groups.`]
      : []),
    ...(crowdedOut > 0
      ? [`${plain.counted(crowdedOut, 'request')} left out: the proxy rejected them for lack of room.`]
      : []),
    ...(watches ? ['The log does not record the end of watches: they stay open to the end.'] : []),
  ])
}

/** Marks a text in a row that was truncated (`keptText`). */
const CUT = /… \(\d+ more (?:characters|groups)\)$/

function recordedOf(row: LiveRequest): Recorded | undefined {
  const { user, groups, verb, url, at, runMs, engineMs } = row
  if (CUT.test(url) || CUT.test(user) || groups.some((group) => CUT.test(group))) return undefined
  const line = readRequestLine(methodOfVerb(verb), url)
  if (!line.ok) return undefined
  const request: RunRequest = { user: { name: user, groups }, info: line.info, query: line.query }
  const executionNs = runMs === undefined ? undefined : msToNs(runMs)
  return { atMs: at, engineMs, request, row, executionNs, watchNs: undefined, leavesAfterNs: undefined }
}

/** Collects the events of a feed's engine. */
class FeedArrivals implements FeedListener {
  readonly recorded: Recorded[] = []
  private readonly byRow = new WeakMap<LiveRow, Recorded>()
  private startMs: UnixMs = 0
  private nowNs: Nanoseconds = 0

  began(startUnixMs: UnixMs): void {
    this.startMs = startUnixMs
    this.nowNs = 0
  }

  moved(ns: Nanoseconds): void {
    this.nowNs = ns
  }

  arrived(row: LiveRow, request: RunRequest): void {
    const lengths = { executionNs: undefined, watchNs: undefined, leavesAfterNs: undefined }
    const { user, verb, resource, namespace, url } = row
    const kept = { user, verb, resource, namespace, url }
    const recorded: Recorded = { atMs: this.nowMs, engineMs: undefined, request, row: kept, ...lengths }
    this.recorded.push(recorded)
    this.byRow.set(row, recorded)
  }

  lasted(row: LiveRow, durationNs: Nanoseconds): void {
    const recorded = this.byRow.get(row)
    if (recorded !== undefined) recorded.executionNs ??= durationNs
  }

  watchEnded(row: LiveRow): void {
    const recorded = this.byRow.get(row)
    if (recorded !== undefined)
      recorded.watchNs ??= Math.max(0, this.sinceArrival(recorded) - (recorded.executionNs ?? 0))
  }

  abandoned(row: LiveRow): void {
    const recorded = this.byRow.get(row)
    if (recorded !== undefined) recorded.leavesAfterNs ??= this.sinceArrival(recorded)
  }

  /** Facts come from a scrape, which a file does not have. */
  onFacts(): void {}

  private get nowMs(): UnixMs {
    return unixMsAfter(this.startMs, this.nowNs)
  }

  private sinceArrival({ atMs }: Recorded): Nanoseconds {
    return Math.max(0, msToNs(this.nowMs - atMs))
  }
}

function readFeed(
  texts: readonly RecordedText[],
  format: 'audit' | 'httplog',
  baseline: Variant,
  nowMs: UnixMs,
): ReadArrivals {
  const { mode: _mode, startUnixMs: _start, ...engine } = engineOptions(baseline, nowMs, 0)
  const run = createFeedRun({ engine, identity: format, startUnixMs: nowMs, kept: 1, untold: 1 })
  run.configure(baseline.objects)
  const listener = new FeedArrivals()
  run.subscribe(listener)
  const [only, ...others] = texts
  if (only !== undefined && others.length === 0) {
    const reader = createLogReader(format, { placed: true })
    for (const line of linesOf(only.text)) run.take(reader.read(line, nowMs), nowMs)
    run.take(reader.end(nowMs), nowMs)
  } else run.take(mergedByTime(texts.map(({ text }) => readLog(format, text, nowMs))), nowMs)
  run.finish()
  const { unreadable, lastUnreadable } = run.counts
  const unread =
    unreadable > 0 ? [`Cannot read ${plain.counted(unreadable, 'line')}. Last error: ${lastUnreadable ?? ''}`] : []
  const saved = texts.flatMap(({ file, text }) => {
    const other = otherText(text)
    return other === undefined ? [] : [`${file} ${other}.`]
  })
  return arrivalsOf(listener.recorded, [...unread, ...run.limits], [...unread, ...saved.slice(0, 1)])
}

function arrivalsOf(
  recorded: readonly Recorded[],
  notes: readonly string[],
  unread: readonly string[] = [],
): ReadArrivals {
  const ordered = recorded.toSorted((a, b) => a.atMs - b.atMs)
  const [first] = ordered
  if (first === undefined) {
    const problem =
      'The files contain no request that reached flow control. Name a request log of the console, an audit log or a log of -v=3.'
    return { ok: false, problem: [problem, ...unread].join(' ') }
  }
  const usual = new UsualDurations()
  let unknown = 0
  // Limits are recomputed at the same instants as in the recording.
  const startUnixMs = first.atMs - ((first.engineMs ?? 0) % REALLOCATION_MS)
  let endNs = 0
  for (const { row, executionNs } of ordered) if (executionNs !== undefined) usual.note(row, executionNs)
  const list = ordered.map((one): Arrival => {
    const { atMs, request, row, watchNs, leavesAfterNs } = one
    if (one.executionNs === undefined) unknown += 1
    const executionNs = one.executionNs ?? usual.of(row)
    const atNs = msToNs(atMs - startUnixMs)
    endNs = Math.max(endNs, atNs + executionNs)
    return { atNs, request, client: row.user, executionNs, watchNs, leavesAfterNs }
  })
  const guessed =
    unknown === 0
      ? []
      : [
          `${plain.counted(unknown, 'request')} never ran or never ended in the recording: if a variant executes them, they take as long as others of their kind.`,
        ]
  return {
    ok: true,
    arrivals: { startUnixMs, fromNs: msToNs(first.atMs - startUnixMs), endNs, list, notes: [...guessed, ...notes] },
  }
}
