import type { Problem } from '../../core/errors.ts'
import { frameOf, type ServerFrame } from '../../core/frame/frame.ts'
import { byCodeUnits } from '../../core/text/text.ts'
import { createPause } from '../ports/pause.ts'
import { readRecording, type ListedRecording, type RecordingRange } from '../recordings/library.ts'
import { GATHER_MS } from '../workspace/session.ts'
import type { Console, ExitCode } from './console.ts'
import { noSamples, RANGE_OPTIONS, rangeFrom, recordedSource, recordingNamed } from './recordingOptions.ts'
import { tellProblems } from './recordings.ts'
import { readNumber, UsageError, type Command, type Given } from './usage.ts'

/** Prints the frames of a recording the way `watch` prints those of a source. */
export const replay: Command = {
  options: { ...RANGE_OPTIONS, speed: { type: 'string' }, count: { type: 'string' }, json: { type: 'boolean' } },
  operands: 'files',
  run: runReplay,
}

async function runReplay(given: Given, console: Console): Promise<ExitCode> {
  const [name, ...more] = given.operands
  if (name === undefined || more.length > 0) throw new UsageError('replay needs one recording: its ID or its file.')
  const speed = readNumber(given, 'speed', { min: 0.1, max: 1_000 })
  const count = readNumber(given, 'count', { min: 1, max: Number.MAX_SAFE_INTEGER, whole: true })
  return printFrames(await recordingNamed(name, console), { range: rangeFrom(given), speed, count }, console)
}

export interface Playing {
  readonly range: RecordingRange
  /** Playback rate relative to the recording; without it, no waiting. */
  readonly speed?: number | undefined
  readonly count?: number | undefined
}

/** One frame of all servers per line. */
export async function printFrames(entry: ListedRecording, playing: Playing, console: Console): Promise<ExitCode> {
  const { range, speed, count = Infinity } = playing
  const problems: Problem[] = []
  const pause = createPause(console.environment)
  const latest = new Map<string, ServerFrame>()
  let printed = 0
  /** When the first frame was printed, and when it was recorded. */
  let start: { readonly at: number; readonly timed: number } | undefined
  for (const { at, servers } of momentsIn(entry, range, problems)) {
    for (const server of servers) latest.set(server.id, server)
    start ??= { at: console.environment.now(), timed: at }
    if (speed !== undefined) {
      const due = start.at + (at - start.timed) / speed
      await pause.wait(Math.max(0, due - console.environment.now()), console.signal)
    }
    if (console.signal.aborted || printed >= count) break
    const known = [...latest.values()].toSorted((a, b) => byCodeUnits(a.id, b.id))
    console.printJson(frameOf(recordedSource(entry), known))
    printed++
  }
  if (printed === 0 && problems.length === 0 && !console.signal.aborted) throw noSamples(entry)
  return tellProblems(problems, console)
}

const FRAMES = new Set(['frame'] as const)

/** Frames of several servers that arrive within moments of each other form one moment. */
function* momentsIn(
  entry: ListedRecording,
  range: RecordingRange,
  problems: Problem[],
): Generator<{ readonly at: number; readonly servers: readonly ServerFrame[] }, void> {
  let moment: { readonly at: number; readonly servers: Map<string, ServerFrame> } | undefined
  for (const { timed, held } of readRecording(entry, range, problems, FRAMES)) {
    if (held || timed.event.kind !== 'frame') continue
    const { frame } = timed.event
    if (moment !== undefined && (moment.servers.has(frame.id) || timed.at - moment.at > GATHER_MS)) {
      yield { at: moment.at, servers: [...moment.servers.values()] }
      moment = undefined
    }
    moment ??= { at: timed.at, servers: new Map() }
    moment.servers.set(frame.id, frame)
  }
  if (moment !== undefined) yield { at: moment.at, servers: [...moment.servers.values()] }
}
