import type { Cadence, ServerHealth, SourceSpec, Connected } from '../../core/contract/source.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { Frame } from '../../core/frame/frame.ts'
import { notesOfFiles } from '../../core/frame/lacking.ts'
import type { ServerFacts } from '../../core/engine/facts.ts'
import { versionNote } from '../../core/metrics/versions.ts'
import { ProblemError } from '../../core/errors.ts'
import { knownObjects, type ObjectsReading, type SourceEvent } from '../../core/source/sourceEvent.ts'
import { pluginUnderWay } from '../cluster/execCredential.ts'
import { startSession, type Session } from '../workspace/session.ts'
import { ALERT_OPTIONS, alertOptions, changeJson, counts, createExplainer, printRecordedAlerts } from './alerts.ts'
import { switches } from './options.ts'
import { createAlertWatch } from '../../core/alerts/watch.ts'
import { type Console, type ExitCode, problemLines, tellOnce } from './console.ts'
import { createWebhook, webhookUrl } from './webhook.ts'
import { assertLevels } from './withoutLevels.ts'
import { recordingNamed } from './recordingOptions.ts'
import { printFrames } from './replay.ts'
import { cadenceFrom, defaultSource, SOURCE_OPTIONS, sourceFrom } from './sourceOptions.ts'
import { readNumber, refuseOptions, UsageError, type Command, type Given } from './usage.ts'
import { OF_LOGS } from '../ports/source.ts'

export const snapshot: Command = {
  options: {
    ...SOURCE_OPTIONS,
    timeout: { type: 'string' },
    ...switches('compact', 'json'),
  },
  run: runSnapshot,
}

const DEFAULT_TIMEOUT_SECONDS = 30

async function runSnapshot(given: Given, console: Console): Promise<ExitCode> {
  const seconds = readNumber(given, 'timeout', { min: 1, max: 300 }) ?? DEFAULT_TIMEOUT_SECONDS
  const spec = (await sourceFrom(given, false, console)) ?? defaultSource(given, false)

  const read = await readFrame(console, spec, cadenceFrom(given, false), seconds)
  return read === undefined ? 2 : report(console, read, given.flag('compact'))
}

/** Prints the frame and reports what is missing. */
function report(console: Console, { frame, servers, findings }: ReadFrame, compact: boolean): ExitCode {
  const notes = servers.flatMap(({ notes: list }) => list ?? [])
  if (frame === undefined) {
    for (const sentence of findings.length > 0 ? findings : ['No server answered.']) console.tell(sentence)
    return 2
  }
  const versions = frame.servers.flatMap(({ version }) => versionNote(version) ?? [])
  for (const sentence of new Set([...findings, ...notes, ...versions])) console.tell(sentence)
  console.printJson(frame, compact ? undefined : 2)
  return findings.every(isOfLogs) ? 0 : 1
}

/** Whether a finding says whose levels those of logs are: then nothing is missing. */
export const isOfLogs = (finding: string): boolean => finding.startsWith(OF_LOGS)

/** The result of reading a source once. */
export interface ReadFrame {
  /** Absent when no server answered. */
  readonly frame: Frame | undefined
  readonly servers: readonly ServerHealth[]
  /** Sentences: which servers did not answer, and why; what of files could not be read. */
  readonly findings: readonly string[]
  /** Object counts, sizes and watches of the first server of the frame, if the source reports them. */
  readonly facts: ServerFacts | undefined
  /** The latest debug dump of that server, if the source has one. */
  readonly dump: DumpFrame | undefined
  /** Absent unless requested. */
  readonly objects: ObjectsReading | undefined
}

/** Reads every server of a source once, and its objects if `withObjects`. `undefined` when the command is to end. */
export async function readFrame(
  console: Console,
  spec: SourceSpec,
  cadence: Cadence,
  seconds: number,
  withObjects = false,
): Promise<ReadFrame | undefined> {
  let frame: Frame | undefined
  let objects: ObjectsReading | undefined
  let servers: readonly ServerHealth[] = []
  const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
  const look = (): void => {
    const known = new Set(frame?.servers.map(({ id }) => id))
    const answered = servers.length > 0 && servers.every(({ id, status }) => known.has(id) || status === 'failing')
    if (answered && (!withObjects || (objects !== undefined && objects.state !== 'loading'))) settle()
  }
  const session = await openSession(console, spec, cadence, (connection) => {
    servers = connection.servers
    look()
  })
  console.signal.addEventListener('abort', () => settle(), { once: true })
  const cancel = console.environment.after(seconds * 1_000, settle)
  session.frames.subscribe((event) => {
    frame = event.frame
    look()
  }, console.signal)
  if (withObjects) {
    session.readObjects((reading) => {
      objects = reading
      look()
    })
  }
  await settled
  cancel()
  const plugin = pluginUnderWay(seconds * 1_000)
  const first = frame?.servers[0]?.id
  const facts = first === undefined ? undefined : session.picture.facts(first)
  const dump = first === undefined ? undefined : session.picture.dump(first)
  await session.end()
  if (console.signal.aborted) return undefined
  const known = new Set(frame?.servers.map(({ id }) => id))
  const found = servers.flatMap((server) => {
    if (known.has(server.id)) return []
    const problem = server.failures.at(-1)?.problem
    if (problem !== undefined) return problemLines(problem)
    return [plugin ?? `${server.id} did not answer within ${seconds} s.`]
  })
  return {
    frame,
    servers,
    findings: [...new Set([...found, ...notesOfFiles(frame?.source, servers)])],
    facts,
    dump,
    objects,
  }
}

/**
 * Connects a command to its source; ends with the command. Throws `ProblemError` when the source cannot be created, and
 * for a recording of an etcd proxy, which contains nothing that a command prints.
 */
export async function openSession(
  console: Console,
  spec: SourceSpec,
  cadence: Cadence,
  onConnection: (connection: Connected) => void,
  onEvent: (event: SourceEvent) => void = () => undefined,
): Promise<Session> {
  const { environment, signal } = console
  const made = await console.access.makeSource(spec, environment)
  if (!made.ok) throw ProblemError.of(made.problem)
  made.source.setCadence?.(cadence)
  const session = startSession({ id: 1, ...made, spec, cadence, environment, onConnection, onEvent })
  signal.addEventListener('abort', () => void session.end(), { once: true })
  if (session.picture.etcd === undefined) return session
  await session.end()
  throw new ProblemError('unsupported', ETCD_RECORDED)
}

const ETCD_RECORDED =
  'This recording is of an etcd proxy, which has no priority levels. Open it with apf-console web, or print its events with apf-console recordings.'

export const watch: Command = {
  options: {
    ...SOURCE_OPTIONS,
    ...ALERT_OPTIONS,
    count: { type: 'string' },
    alert: { type: 'boolean' },
    webhook: { type: 'string' },
    json: { type: 'boolean' },
  },
  run: runWatch,
}

async function runWatch(given: Given, console: Console): Promise<ExitCode> {
  const count = readNumber(given, 'count', { min: 1, max: Number.MAX_SAFE_INTEGER, whole: true }) ?? Infinity
  const rules = given.flag('alert') ? alertOptions(given) : undefined
  const hook = given.value('webhook')
  const address = hook === undefined ? undefined : webhookUrl(hook)
  if (rules === undefined) refuseOptions(given, [...Object.keys(ALERT_OPTIONS), 'webhook'], 'goes with --alert.')
  const spec = (await sourceFrom(given, false, console)) ?? defaultSource(given, false)
  if (spec.kind === 'recording') {
    if (address !== undefined) throw new UsageError('--webhook does not go with a recording.')
    const range = { from: spec.at ?? -Infinity, to: Infinity }
    if (rules !== undefined) {
      if (count !== Infinity) throw new UsageError('--count does not go with --alert of a recording.')
      return printRecordedAlerts(await recordingNamed(spec.ids[0] ?? '', console), range, rules, true, console)
    }
    return printFrames(await recordingNamed(spec.ids[0] ?? '', console), { range, count }, console)
  }

  const tellChanges = createTeller(console)
  const { promise: over, resolve: finish } = Promise.withResolvers<void>()
  const session = await openSession(console, spec, cadenceFrom(given, false), ({ servers }) =>
    servers.forEach(tellChanges),
  )
  if (rules !== undefined) await assertLevels(session)
  const end = new AbortController()
  console.signal.addEventListener('abort', () => finish(), { once: true })
  const webhook = address && createWebhook(address, console)
  const watching = rules === undefined ? undefined : createAlertWatch(rules)
  const explainer = createExplainer()
  if (watching !== undefined) {
    session.readObjects((reading) => {
      watching.takeObjects(knownObjects(reading))
      // The session leaves deleted levels out already.
      explainer.take({ kind: 'objects', origin: 'files', reading })
    })
  }
  let [printed, failed] = [0, false]
  session.frames.subscribe(({ frame, derived }) => {
    if (watching === undefined) console.printJson(frame)
    else {
      const changes = frame.servers.flatMap((server, i) => {
        const own = derived[i]
        explainer.take({ kind: 'frame', frame: server })
        return own === undefined ? [] : watching.take(server, own)
      })
      for (const change of changes.map(explainer.change)) {
        console.printJson(changeJson(change))
        if (!change.alert.silenced) webhook?.send(changeJson(change))
      }
      failed ||= rules?.fail === true && changes.some(counts)
    }
    printed++
    if (!failed && printed < count && !session.connection.still) return
    end.abort()
    finish()
  }, end.signal)
  await over
  end.abort()
  await Promise.all([session.end(), webhook?.done()])
  return failed ? 1 : 0
}

/** Reports when a server begins to fail, fails differently, or answers again; and each note once. */
export function createTeller(console: Console): (server: ServerHealth) => void {
  const failing = new Map<string, string>()
  const note = tellOnce(console.tell)
  return ({ id, status, failures, notes = [] }) => {
    notes.forEach(note)
    const problem = status === 'failing' ? failures.at(-1)?.problem : undefined
    if (problem !== undefined && problem.message !== failing.get(id)) {
      const [sentence = problem.message, ...details] = problemLines(problem)
      console.tell(`${sentence} Retrying.`)
      details.forEach(console.tell)
      failing.set(id, problem.message)
    } else if (status === 'ok' && failing.delete(id)) {
      console.tell(`${id} answers again.`)
    }
  }
}
