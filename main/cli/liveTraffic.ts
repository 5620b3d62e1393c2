import { ProblemError } from '../../core/contract/errors.ts'
import { CadenceSchema, type SourceSpec, type ServerHealth } from '../../core/contract/source.ts'
import { DraftTally } from '../../core/live/draftTally.ts'
import type { ManifestDocument } from '../../core/manifest/manifest.ts'
import { startMetricsServer } from '../live/metricsServer.ts'
import type { SourceResult, LiveTraffic } from '../ports/source.ts'
import { startSession } from '../workspace/session.ts'
import type { Console, ExitCode } from './console.ts'
import { runDraftBeside } from './liveDraft.ts'
import { rowPrinter } from './liveRows.ts'
import { summaryOf } from './liveSummary.ts'
import { portProblem } from './portProblem.ts'
import { readNumber, type Given, type OptionInfo } from './usage.ts'
import { coveredVersion } from './validate.ts'

/** Options of the commands that look at single requests. */
export const LIVE_OPTIONS = {
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  config: { type: 'string', multiple: true, list: true },
  draft: { type: 'string', multiple: true, list: true },
  'server-version': { type: 'string' },
  'max-requests-inflight': { type: 'string' },
  'max-mutating-requests-inflight': { type: 'string' },
  'metrics-port': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Readonly<Record<string, OptionInfo>>

export const PORTS = { min: 0, max: 65_535, whole: true } as const
const SEATS = { min: 0, max: 100_000, whole: true } as const

/** What the engine of a proxy or a feed is given. */
export function engineFields(given: Given): {
  readonly maxRequestsInFlight?: number
  readonly maxMutatingRequestsInFlight?: number
  readonly version?: string
} {
  const maxRequestsInFlight = readNumber(given, 'max-requests-inflight', SEATS)
  const maxMutatingRequestsInFlight = readNumber(given, 'max-mutating-requests-inflight', SEATS)
  const version = coveredVersion(given, 'server-version')
  return {
    ...(maxRequestsInFlight !== undefined && { maxRequestsInFlight }),
    ...(maxMutatingRequestsInFlight !== undefined && { maxMutatingRequestsInFlight }),
    ...(version !== undefined && { version }),
  }
}

/** File and context of a kubeconfig; empty without either. */
export const kubeconfigOf = (given: Given): { readonly file?: string; readonly context?: string } => ({
  ...(given.value('kubeconfig') !== undefined && { file: given.value('kubeconfig') ?? '' }),
  ...(given.value('context') !== undefined && { context: given.value('context') ?? '' }),
})

export interface LiveCommand {
  readonly given: Given
  readonly console: Console
  readonly spec: SourceSpec
  readonly made: SourceResult
  /** Manifests to be tried beside, applied to the objects of the engine. */
  readonly draft: readonly ManifestDocument[] | undefined
  /** What is printed once it runs, unless rows are. */
  readonly greeting: (traffic: LiveTraffic) => readonly string[]
  /** Ends by itself, when everything that there is to read was read. */
  readonly once?: boolean
}

/**
 * Runs a live source until the command is to end, with a draft beside where there is one; prints its rows as they end with
 * `--json`, and a summary.
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
  if (!made.ok) throw new ProblemError(made.problem.code, made.problem.message, made.problem.details)
  const { live } = made.source
  if (live === undefined) throw new ProblemError('internal', 'The source shows no single requests.')
  const { environment, signal, tell, print } = console
  const cadence = CadenceSchema.parse({ dumpsEveryMs: null })
  made.source.setCadence(cadence)
  const notes = tellNotes(tell)
  const session = startSession({
    id: 1,
    source: made.source,
    spec,
    cadence,
    environment,
    onConnection: ({ servers }) => servers.forEach(notes),
  })
  const metricsPort = readNumber(given, 'metrics-port', PORTS)
  const end = new AbortController()
  const printer = given.flag('json') ? rowPrinter(console) : undefined
  const tally = draft && new DraftTally()
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
      metricsPort === undefined
        ? undefined
        : await startMetricsServer({ port: metricsPort, version: console.version, traffic: () => live }).catch(
            (error: unknown) => {
              throw portProblem(error, 'metrics-port', metricsPort)
            },
          )
    const say = given.flag('json') ? tell : (sentence: string): void => print([sentence])
    for (const line of greeting(live)) say(line)
    if (metrics !== undefined) say(`Metrics: ${metrics.url}`)
    await ended(signal, () => once && session.picture.ended, environment)
    live.settle()
    live.finish?.()
    // What ended within the last moment is still to be told.
    if (printer !== undefined || tally !== undefined) {
      await new Promise<void>((resolve) => void environment.after(LAST_MS, resolve))
    }
    printer?.rest()
    for (const sentence of summaryOf(live, tally?.read())) say(sentence)
    await metrics?.close()
  } finally {
    end.abort()
    await session.end()
  }
  return 0
}

const LAST_MS = 150
const LOOK_MS = 100

/** Settles when the command is to end, or nothing more is to come. */
function ended(signal: AbortSignal, over: () => boolean, { after }: Console['environment']): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
    const look = (): void => {
      if (over()) resolve()
      else after(LOOK_MS, look)
    }
    look()
  })
}

/** Tells each note of a server once. */
function tellNotes(tell: (sentence: string) => void): (server: ServerHealth) => void {
  const told = new Set<string>()
  return ({ notes = [] }) => {
    for (const note of notes) {
      if (!told.has(note)) tell(note)
      told.add(note)
    }
  }
}
