import type { ObjectSet } from '../../core/config/objects.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import type { LiveRequest } from '../../core/contract/live.ts'
import { CadenceSchema, type SourceSpec } from '../../core/contract/source.ts'
import { NEWEST_VERSION } from '../../core/engine/profiles.ts'
import { startMetricsServer } from '../live/metricsServer.ts'
import type { LiveTraffic } from '../live/traffic.ts'
import type { SourceResult } from '../sources/source.ts'
import { startSession } from '../workspace/session.ts'
import type { Console, ExitCode } from './console.ts'
import { readConfiguration } from './manifestFiles.ts'
import { portProblem } from './portProblem.ts'
import { tellNotes } from './tellNotes.ts'
import { readNumber, UsageError, type Given, type OptionInfo } from './usage.ts'

/** Options of the commands that look at single requests. */
export const LIVE_OPTIONS = {
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  config: { type: 'string', multiple: true },
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
  const version = given.value('server-version')
  if (version !== undefined && !/^v1\.\d+(?:\.\d+)?$/.test(version)) {
    throw new UsageError('--server-version takes a version such as v1.33 or v1.33.4.')
  }
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

/** The objects of `--config`, which are the whole configuration; `undefined` without it. */
export async function objectsFrom(given: Given, console: Console): Promise<ObjectSet | undefined> {
  const files = given.values('config')
  if (files.length === 0) return undefined
  const version = given.value('server-version') ?? NEWEST_VERSION
  const { objects, findings } = await readConfiguration(files, { version, stdin: console.readStdin })
  const errors = findings.filter(({ severity }) => severity === 'error')
  const [error] = errors
  if (error !== undefined) {
    const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more; see apf-console validate)`
    throw new ProblemError('invalid-input', `${error.file}:${error.line}: ${error.field}: ${error.message}${more}`)
  }
  if (objects.levels.length + objects.schemas.length === 0) {
    throw new ProblemError('not-found', `${files.join(', ')} holds no FlowSchema and no PriorityLevelConfiguration.`)
  }
  return objects
}

export interface LiveCommand {
  readonly given: Given
  readonly console: Console
  readonly spec: SourceSpec
  readonly made: SourceResult
  /** What is printed once it runs, unless rows are. */
  readonly greeting: (traffic: LiveTraffic) => readonly string[]
  /** Whether there is nothing more to come. */
  readonly over?: () => boolean
}

/** Rows that ended and were printed are told apart from those that change again as far back as this. */
const REMEMBERED = 50_000

/** Runs a live source until the command is to end; prints its rows as they end with `--json`, and a summary. */
export async function runLive({ given, console, spec, made, greeting, over }: LiveCommand): Promise<ExitCode> {
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
  try {
    const metrics =
      metricsPort === undefined
        ? undefined
        : await startMetricsServer({ port: metricsPort, version: console.version, traffic: () => live }).catch(
            (error: unknown) => {
              throw portProblem(error, 'metrics-port', metricsPort)
            },
          )
    const say = given.flag('json') ? tell : (sentence: string): void => print(`${sentence}\n`)
    for (const line of greeting(live)) say(line)
    if (metrics !== undefined) say(`Metrics: ${metrics.url}`)
    if (given.flag('json')) session.live?.rows.subscribe(rowPrinter(console), end.signal)
    await ended(signal, over, environment)
    live.settle()
    // What ended within the last moment is still to be told.
    if (given.flag('json')) await new Promise<void>((resolve) => void environment.after(LAST_MS, resolve))
    say(summaryOf(live))
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
function ended(
  signal: AbortSignal,
  over: (() => boolean) | undefined,
  { after }: Console['environment'],
): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
    const look = (): void => {
      if (over?.() === true) resolve()
      else if (over !== undefined) after(LOOK_MS, look)
    }
    look()
  })
}

function rowPrinter({ print, tell }: Console): (event: { requests: readonly LiveRequest[]; dropped: number }) => void {
  let printed = new Set<number>()
  let before = new Set<number>()
  return ({ requests, dropped }) => {
    for (const row of requests) {
      if (!hasEnded(row) || printed.has(row.seq) || before.has(row.seq)) continue
      printed.add(row.seq)
      print(`${JSON.stringify(row)}\n`)
    }
    if (printed.size > REMEMBERED) [before, printed] = [printed, new Set()]
    if (dropped > 0) tell(`${dropped} changes were too many to print.`)
  }
}

/** Beside a decision of an engine that only watches, the server's own answer is waited for. */
const hasEnded = ({ state, status }: LiveRequest): boolean =>
  state === 'cancelled' || state === 'failed' || (state !== 'waiting' && state !== 'executing' && status !== undefined)

function summaryOf(traffic: LiveTraffic): string {
  const { arrived, unreadable, agreement } = traffic.state()
  const lanes = traffic.engine.snapshot().levels.flatMap((level) => level.lanes)
  const total = (of: (lane: (typeof lanes)[number]) => number): number => lanes.reduce((sum, lane) => sum + of(lane), 0)
  const rejected = (['queue-full', 'concurrency-limit', 'time-out'] as const).flatMap((reason) => {
    const count = total((lane) => lane.rejected[reason])
    return count === 0 ? [] : [`${count} ${reason}`]
  })
  return [
    `${arrived} ${arrived === 1 ? 'request' : 'requests'}: ${total(({ dispatched }) => dispatched)} dispatched`,
    rejected.length === 0 ? ', none rejected' : `, rejected ${rejected.join(', ')}`,
    unreadable === 0 ? '' : `, ${unreadable} could not be read`,
    agreement.compared === 0
      ? ''
      : `; ${agreement.schemaAndLevel} of the last ${agreement.compared} placed as the server did`,
    '.',
  ].join('')
}
