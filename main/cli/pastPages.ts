import type { ServerHealth, SourceSpec } from '../../core/contract/source.ts'
import { ProblemError, type Problem } from '../../core/errors.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import { frameOf, type Frame, type ServerFrame, type SourceInfo } from '../../core/frame/frame.ts'
import { MS_PER_SECOND, unixMsOf } from '../../core/units.ts'
import type { ObjectsReading, SourceEvent } from '../../core/source/sourceEvent.ts'
import { readRecording } from '../recordings/library.ts'
import { type Console, problemLines } from './console.ts'
import { allRecordings, noSamples } from './recordingOptions.ts'
import { notesOfFiles } from '../../core/frame/lacking.ts'
import { openSession } from './snapshot.ts'
import { pluginUnderWay } from '../cluster/execCredential.ts'
import { assertLevels, refuseWithoutLevels } from './withoutLevels.ts'
import { cadenceFrom, type RecordingSpec } from './sourceOptions.ts'
import type { Given } from './usage.ts'

/** The pages of one server over a period. */
export interface PastPages {
  readonly frames: readonly ServerFrame[]
  readonly dumps: readonly DumpFrame[]
  /** The newest page, as a frame. */
  readonly frame: Frame | undefined
  /** Absent unless requested. */
  readonly objects: ObjectsReading | undefined
  /** Sentences about what could not be read. */
  readonly findings: readonly string[]
}

/** Objects arrive with the first pages, or not at all. */
const PATIENCE_SECONDS = 30

interface Reading {
  readonly spec: SourceSpec
  readonly seconds: number
  readonly server: string | undefined
  readonly withObjects: boolean
  /** At least this many of the seconds must be live, if the source is: its past has no dumps. */
  readonly liveSeconds?: number
}

/**
 * The events of a recording in the time before an instant of it, or before its end. Parts that cannot be read are added
 * to `problems`. Throws `ProblemError` at the end of a time without samples.
 */
export function* eventsBefore(
  { ids, at }: RecordingSpec,
  ms: number,
  console: Console,
  problems: Problem[],
): Generator<SourceEvent, void> {
  const entries = allRecordings(console).filter(({ id }) => ids.includes(id))
  const to = at ?? Math.max(0, ...entries.map(({ last }) => last ?? 0))
  // The newest recording comes first in the list.
  const [newest] = entries
  let isEmpty = true
  for (const entry of entries.toReversed()) {
    refuseWithoutLevels(entry.source)
    for (const { timed } of readRecording(entry, { from: to - ms, to }, problems)) {
      isEmpty &&= timed.event.kind === 'health' || timed.event.kind === 'objects'
      yield timed.event
    }
  }
  if (isEmpty && newest !== undefined && problems.length === 0) throw noSamples(newest)
}

/** The outcome of reading a source. */
interface Listened extends Pick<PastPages, 'objects' | 'findings'> {
  readonly source: SourceInfo
  readonly server: string
}

/**
 * Reads the pages of one server for a while, including the past that the source supplies. `undefined` when the command
 * is to end.
 */
export async function readPages(given: Given, console: Console, reading: Reading): Promise<PastPages | undefined> {
  const pages: ServerFrame[] = []
  const dumps: DumpFrame[] = []
  const listened = await listen(given, console, reading, (event) => {
    if (event.kind === 'frame') pages.push(event.frame)
    else if (event.kind === 'dump') dumps.push(event.dump)
  })
  if (listened === undefined) return undefined
  const { source, server, objects, findings } = listened
  const frames = pages.filter(({ id }) => id === server)
  const last = frames.toSorted((a, b) => unixMsOf(a.at) - unixMsOf(b.at)).at(-1)
  return {
    frames,
    dumps: dumps.filter((dump) => dump.server === last?.id),
    frame: last && frameOf(source, [last]),
    objects,
    findings,
  }
}

/**
 * Reads a source until the pages of a server span that many seconds, including the past that the source supplies.
 * `server` is an id; without it, the first server. `undefined` when the command is to end. Throws `ProblemError` when no
 * server can be read.
 */
export async function listen(
  given: Given,
  console: Console,
  { spec, seconds, server, withObjects, liveSeconds = 0 }: Reading,
  onEvent: (event: SourceEvent) => void,
): Promise<Listened | undefined> {
  const spans = new Map<string, { first: number; last: number }>()
  const live = { first: Infinity, last: -Infinity }
  const health = new Map<string, ServerHealth>()
  let objects: ObjectsReading | undefined
  const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
  let still = false
  const chosen = (): string => server ?? [...spans.keys()].toSorted()[0] ?? ''
  const look = (): void => {
    const { first, last } = spans.get(chosen()) ?? { first: 0, last: 0 }
    // What has been read of a file is all that there is.
    if (still && spans.size > 0) return settle()
    // Nothing was read, and nothing will be.
    if (spans.size === 0 && health.size > 0 && [...health.values()].every(({ failures }) => failures.length > 0))
      return settle()
    const knowsObjects = !withObjects || (objects !== undefined && objects.state !== 'loading')
    const isLive = liveSeconds === 0 || live.last - live.first >= liveSeconds * MS_PER_SECOND
    if (last - first >= seconds * MS_PER_SECOND && knowsObjects && isLive) settle()
  }
  const takeFrame = ({ id, at }: ServerFrame, past: boolean): void => {
    const ms = unixMsOf(at)
    const { first, last } = spans.get(id) ?? { first: ms, last: ms }
    if (!past) {
      live.first = Math.min(live.first, ms)
      live.last = Math.max(live.last, ms)
    }
    spans.set(id, { first: Math.min(first, ms), last: Math.max(last, ms) })
  }
  const take = (event: SourceEvent): void => {
    onEvent(event)
    if (event.kind === 'frame') takeFrame(event.frame, event.past === true)
    else if (event.kind === 'health') health.set(event.health.id, event.health)
    else if (event.kind !== 'dump') return
    look()
  }
  const session = await openSession(console, spec, cadenceFrom(given, true), () => undefined, take)
  await assertLevels(session)
  console.signal.addEventListener('abort', () => settle(), { once: true })
  const { after } = console.environment
  const cancels = [
    after((seconds + PATIENCE_SECONDS) * MS_PER_SECOND, settle),
    after(PATIENCE_SECONDS * MS_PER_SECOND, () => spans.size === 0 && settle()),
  ]
  if (withObjects) {
    session.readObjects((reading) => {
      objects = reading
      look()
    })
  }
  still = session.connection.still
  look()
  await settled
  for (const cancel of cancels) cancel()
  const plugin = pluginUnderWay(PATIENCE_SECONDS * MS_PER_SECOND)
  const { source } = session.connection
  await session.end()
  if (console.signal.aborted) return undefined
  const problems = [...health.values()].flatMap(({ failures }) => failures.at(-1)?.problem ?? [])
  const [first] = problems
  if (spans.size === 0 && first !== undefined) throw ProblemError.of(first)
  if (spans.size === 0 && plugin !== undefined) throw new ProblemError('credentials', plugin)
  const findings = [...new Set([...problems.flatMap(problemLines), ...notesOfFiles(source, health.values())])]
  return { source, server: chosen(), objects, findings }
}
