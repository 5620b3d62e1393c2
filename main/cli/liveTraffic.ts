import { SEATS } from '../../core/scenario/read.ts'
import { plain } from '../../core/text/format.ts'
import { ALGORITHMS, type Algorithm } from '../../core/engine/profiles.ts'
import { ProblemError } from '../../core/errors.ts'
import { CadenceSchema, type SourceSpec } from '../../core/contract/source.ts'
import { DraftTally, hasLeft, type DecidedSide, type DraftComparison } from '../../core/live/draftTally.ts'
import type { ManifestDocument } from '../../core/manifest/manifest.ts'
import type { LiveEvent, LiveRequest } from '../../core/contract/live.ts'
import { hasDecided } from '../../core/run/candidate.ts'
import { LACKING } from '../../core/feeds/placing.ts'
import { REJECT_REASONS } from '../../core/frame/reading.ts'
import { allRejected } from '../../core/frame/recent.ts'
import { trustSentences } from '../../core/live/feedWaits.ts'
import { NO_OUTCOME, outcomeOf, plus, type Outcome } from '../../core/live/outcome.ts'
import { engineMetrics, type MetricsServerOptions, startMetricsServer } from '../live/metricsServer.ts'
import type { SourceResult, LiveTraffic } from '../ports/source.ts'
import { startSession } from '../workspace/session.ts'
import { type Console, type ExitCode, portProblem, tellOnce } from './console.ts'
import { texts } from './options.ts'
import { runDraftBeside } from './liveObjects.ts'
import { READ_OPTIONS, readsFrom } from './sourceOptions.ts'
import { coveredVersion, PORTS, readChoice, readNumber, type Given, type OptionInfo } from './usage.ts'

/** Options of the commands that observe single requests. */
export const LIVE_OPTIONS = {
  ...texts('kubeconfig', 'context'),
  config: { type: 'string', multiple: true, list: true },
  draft: { type: 'string', multiple: true, list: true },
  ...texts('server-version', 'algorithm'),
  ...READ_OPTIONS,
  ...texts('max-requests-inflight', 'max-mutating-requests-inflight', 'metrics-port'),
  json: { type: 'boolean' },
} as const satisfies Readonly<Record<string, OptionInfo>>

/** Configures the engine of a proxy or a feed. */
export function engineFields(given: Given): {
  readonly maxRequestsInFlight?: number
  readonly maxMutatingRequestsInFlight?: number
  readonly version?: string
  readonly algorithm?: Algorithm
  readonly consistentReadsFromCache?: false
} {
  const maxRequestsInFlight = readNumber(given, 'max-requests-inflight', SEATS)
  const maxMutatingRequestsInFlight = readNumber(given, 'max-mutating-requests-inflight', SEATS)
  const version = coveredVersion(given, 'server-version')
  const algorithm = readChoice(given, 'algorithm', ALGORITHMS)
  return {
    ...(algorithm !== undefined && { algorithm }),
    ...(maxRequestsInFlight !== undefined && { maxRequestsInFlight }),
    ...(maxMutatingRequestsInFlight !== undefined && { maxMutatingRequestsInFlight }),
    ...(version !== undefined && { version }),
    ...readsFrom(given),
  }
}

export interface LiveCommand {
  readonly given: Given
  readonly console: Console
  readonly spec: SourceSpec
  readonly made: SourceResult
  /** Manifests to try beside the engine, applied to its objects. */
  readonly draft: readonly ManifestDocument[] | undefined
  /** Printed at the start; on standard error if rows are printed. */
  readonly greeting: (traffic: LiveTraffic) => readonly string[]
  /** The source ends by itself once all input is read. */
  readonly once?: boolean
}

/**
 * Runs a live source until the command is to end, with a draft beside it if there is one; with `--json` prints its rows
 * as they end; prints a summary.
 */
export async function runLive({
  given,
  console,
  spec,
  made,
  draft,
  greeting,
  once = false,
}: LiveCommand): Promise<ExitCode> {
  if (!made.ok) throw ProblemError.of(made.problem)
  const { live } = made.source
  if (live === undefined) throw new ProblemError('internal', 'The source does not report individual requests.')
  const { environment, signal, tell, print } = console
  const cadence = CadenceSchema.parse({ dumpsEveryMs: null })
  made.source.setCadence(cadence)
  const note = tellOnce(tell)
  const session = startSession({
    id: 1,
    source: made.source,
    spec,
    cadence,
    environment,
    onConnection: ({ servers }) => servers.flatMap(({ notes = [] }) => notes).forEach(note),
  })
  const metricsPort = readNumber(given, 'metrics-port', PORTS)
  const begun = process.cpuUsage()
  const end = new AbortController()
  const printer = given.flag('json') ? rowPrinter(console) : undefined
  const tally = draft && new DraftTally()
  let isEmpty = false
  try {
    if (draft !== undefined) {
      const before = given.values('config').length > 0 ? 'applied' : 'live'
      runDraftBeside(draft, { live, objects: session.objects }, { before, signal: end.signal, tell })
    }
    if (printer !== undefined || tally !== undefined) {
      session.requests.subscribe((event) => {
        printer?.take(event)
        tally?.note(event.requests)
      }, end.signal)
    }
    const metrics =
      metricsPort === undefined ? undefined : await serveMetrics(metricsPort, console, () => engineMetrics(live))
    const say = given.flag('json') ? tell : (sentence: string): void => print([sentence])
    for (const line of greeting(live)) say(line)
    if (metrics !== undefined) say(`Metrics: ${metrics.url}`)
    await ended(signal, once ? () => session.picture.ended : undefined, environment)
    live.settle()
    live.finish?.()
    // Rows that ended within the last moment are still to be printed.
    if (printer !== undefined || tally !== undefined) {
      await new Promise<void>((resolve) => void environment.after(LAST_MS, resolve))
    }
    printer?.rest()
    const { waits, arrived, heldBack = 0 } = live.state()
    isEmpty = once && arrived + heldBack === 0
    if (printer !== undefined && waits !== undefined) console.printJson({ waits })
    for (const sentence of summaryOf(live, tally?.read())) say(sentence)
    if (spec.kind === 'proxy' && arrived > 0) say(costOf(arrived, process.cpuUsage(begun), process.memoryUsage.rss()))
    await metrics?.close()
  } finally {
    end.abort()
    await session.end()
  }
  return isEmpty ? 1 : 0
}

const LAST_MS = 150
const LOOK_MS = 100

/** Settles when the command is to end, or when the source has ended. */
function ended(
  signal: AbortSignal,
  over: (() => boolean) | undefined,
  { after }: Console['environment'],
): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
    // A source that does not end by itself needs no check.
    if (over === undefined) return
    const look = (): void => {
      if (over()) resolve()
      else after(LOOK_MS, look)
    }
    look()
  })
}

/** A row that changes after it was printed is recognized at least this many printed rows back. */
const REMEMBERED = 50_000

interface RowPrinter {
  take(event: Pick<LiveEvent, 'requests' | 'dropped'>): void
  /** The source has ended: prints the rows that have ended, even if not in the draft. */
  rest(): void
}

/** Prints each row once, as a line of JSON: when it has ended, also in a draft if there is one. */
export function rowPrinter({ printJson, tell }: Pick<Console, 'printJson' | 'tell'>): RowPrinter {
  let printed = new Set<number>()
  let before = new Set<number>()
  /** Rows that have ended but still wait or run in the draft: at most as many as it has queues and seats for. */
  const held = new Map<number, LiveRequest>()
  const printOnce = (row: LiveRequest): void => {
    held.delete(row.seq)
    printed.add(row.seq)
    printJson(row)
  }
  return {
    take({ requests, dropped }) {
      for (const row of requests) {
        if (!hasEnded(row) || printed.has(row.seq) || before.has(row.seq)) continue
        if (goesOnInDraft(row)) held.set(row.seq, row)
        else printOnce(row)
      }
      if (printed.size > REMEMBERED) [before, printed] = [printed, new Set()]
      if (dropped > 0) tell(`${dropped} changes were dropped: too many to print.`)
    },
    rest() {
      for (const row of held.values()) printOnce(row)
    },
  }
}

/** If the engine only observes, a row also waits for the server's own answer. */
const hasEnded = (row: LiveRequest): boolean =>
  hasLeft(row) || (row.state !== 'waiting' && row.state !== 'executing' && row.status !== undefined)

/** In a draft, a request whose client left never leaves its queue. */
const goesOnInDraft = (row: LiveRequest): boolean =>
  !hasLeft(row) && row.candidate !== undefined && (!hasDecided(row.candidate) || row.candidate.state === 'executing')

const NO_REQUEST_LINES =
  'It has no lines of klog with "HTTP": run the API server with -v=3 or more, and name its log as it was written or exported.'
const NO_EVENTS = 'It has no events of audit.k8s.io: set --audit-log-path and a policy that logs requests.'

/** What the process of a proxy costs, with forwarding and all that it keeps and prints. */
export const costOf = (arrived: number, { user, system }: NodeJS.CpuUsage, bytes: number): string =>
  `The proxy took ${plain.ms((user + system) / 1_000 / arrived)} of processor time per request, and ${plain.bytes(bytes)} of memory.`

const OUTSIDE =
  'None of them reached flow control: they were rejected before it, are served without it or left its queues, or the lines of the log name no flow schema (apf_fs).'

/** How the engine decided its requests, in sentences; and how the draft decided them, if one ran. */
function summaryOf(traffic: LiveTraffic, comparison?: DraftComparison): readonly string[] {
  const {
    arrived,
    heldBack = 0,
    unreadable,
    lastUnreadable,
    refused,
    agreement,
    mode,
    waits,
    title,
    findings = [],
    limits,
  } = traffic.state()
  const left = lastUnreadable === undefined ? [] : [`Last record that could not be read: ${lastUnreadable}`]
  if (arrived + heldBack === 0 && refused === undefined) {
    const count = unreadable === 0 ? '' : `; ${plain.counted(unreadable, 'record')} could not be read`
    const remedy = title.startsWith('request log') ? NO_REQUEST_LINES : NO_EVENTS
    return [`No requests in the ${title}${count}.`, ...findings, ...(unreadable === 0 ? [remedy] : left)]
  }
  const snapshot = traffic.engine.snapshot()
  const outcome = plus(traffic.before ?? NO_OUTCOME, outcomeOf(snapshot))
  const noneWaits = snapshot.levels.every(({ lanes }) => lanes.every(({ waitingRequests }) => waitingRequests === 0))
  const isOutside = arrived > 0 && outcome.dispatched + allRejected(outcome.rejected) === 0 && noneWaits
  const first = [
    requests(arrived),
    // With a draft, both are summarized together.
    comparison === undefined
      ? `: ${decided(outcome)}${mode === 'enforce' ? '' : ' by the engine, not by the server'}`
      : '',
    heldBack === 0 ? '' : `, ${heldBack} more held back and read again at the next start`,
    unreadable === 0 ? '' : `, ${unreadable} could not be read`,
    agreement.compared === 0
      ? ''
      : `; ${agreement.schemaAndLevel} of the last ${agreement.compared} placed as the server did`,
    '.',
  ]
  return [
    first.join(''),
    ...(isOutside ? [OUTSIDE] : []),
    ...findings,
    ...left,
    ...(refused === undefined ? [] : [`The console itself refused ${refused.count}. Last: ${refused.last}`]),
    ...(comparison === undefined ? [] : draftSummary(comparison)),
    ...(waits === undefined ? [] : trustSentences(waits)),
    ...limits.filter((sentence) => Object.values(LACKING).includes(sentence)),
  ]
}

/** How the decisions of a draft differ from those of the current objects, in sentences. */
export function draftSummary({ compared, undecided, missed, a, b, different }: DraftComparison): readonly string[] {
  const ways = [
    [different.rejectedByB, 'rejected only with the draft'],
    [different.rejectedByA, 'rejected only without it'],
    [different.elsewhere, 'in another flow schema or level'],
  ] as const
  const parts = ways.flatMap(([count, way]) => (count === 0 ? [] : [`${count} ${way}`]))
  const differ = ways.reduce((sum, [count]) => sum + count, 0)
  return [
    `Compared ${requests(compared)}: without the draft ${decided(a)}${gone(compared, a)}; with it ${decided(b)}${gone(compared, b)}.`,
    differ === 0
      ? 'All decisions are the same.'
      : `${plain.counted(differ, 'was', 'were')} decided differently: ${parts.join(', ')}.`,
    ...waitSentences(a, b),
    ...(undecided === 0 ? [] : [`${requests(undecided)} still waited in one of the two.`]),
    ...(missed === 0 ? [] : [`${requests(missed)} came too fast to be compared and are counted on neither side.`]),
  ]
}

/** Sentences for the levels whose waits differ. */
function waitSentences(a: DecidedSide, b: DecidedSide): readonly string[] {
  const levels = [...new Set([...Object.keys(a.waitP99), ...Object.keys(b.waitP99)])].toSorted()
  return levels.flatMap((level) => {
    const [without, beside] = [a.waitP99[level], b.waitP99[level]]
    if (without === beside) return []
    return [`Wait in ${level}, 99th percentile: ${waited(without)} without the draft, ${waited(beside)} with it.`]
  })
}

const waited = (ms: number | undefined): string => (ms === undefined ? 'no request' : plain.ms(ms))

function decided({ dispatched, rejected }: Outcome): string {
  const parts = REJECT_REASONS.flatMap((reason) => (rejected[reason] === 0 ? [] : [`${rejected[reason]} ${reason}`]))
  return `${dispatched} dispatched, ${parts.length === 0 ? 'none rejected' : `rejected ${parts.join(', ')}`}`
}

/** Requests whose clients left before they were dispatched or rejected. */
function gone(compared: number, { dispatched, rejected }: Outcome): string {
  const count = REJECT_REASONS.reduce((rest, reason) => rest - rejected[reason], compared - dispatched)
  return count === 0 ? '' : `, ${count} cancelled while waiting`
}

const requests = (count: number): string => plain.counted(count, 'request')

/** Serves the metrics of `--metrics-port`. */
export const serveMetrics = (port: number, { version }: Console, engine: MetricsServerOptions['engine']) =>
  startMetricsServer({ port, version, engine }).catch((error: unknown) => {
    throw portProblem(error, 'metrics-port', port)
  })
