import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ProblemError } from '../../core/errors.ts'
import type { SourceInfo } from '../../core/frame/frame.ts'
import type { Archive } from '../ports/archive.ts'
import { createArchive } from '../recordings/archive.ts'
import { listRecordings, RECORDINGS, type ListedRecording, type RecordingRange } from '../recordings/library.ts'
import { importRecording } from '../recordings/recordingFile.ts'
import { createPresence } from '../store/database.ts'
import { progressOf, type Console } from './console.ts'
import { texts } from './options.ts'
import { timeFrom, UsageError, type Given, type OptionInfo } from './usage.ts'

/** Options that select a part of a recording, both instants included. */
export const RANGE_OPTIONS = {
  ...texts('from', 'to'),
} as const satisfies Readonly<Record<string, OptionInfo>>

/** The dependencies of looking up a recording. */
export type Shelf = Pick<Console, 'stateDir' | 'signal'> & Partial<Pick<Console, 'environment' | 'tell'>>

/** The recordings of this console's state folder, the latest first. */
export function allRecordings({ stateDir }: Pick<Console, 'stateDir'>): readonly ListedRecording[] {
  const presence = createPresence(stateDir)
  return listRecordings(join(stateDir, RECORDINGS), (writer) => presence.runs(writer))
}

/** Imports a file, reporting the progress where there is an output. Resolves to its id; rejects with `ProblemError`. */
export const imported = (file: string, { stateDir, signal, environment, tell }: Shelf): Promise<string> =>
  importRecording(file, stateDir, {
    signal,
    ...(environment &&
      tell && {
        onPart: progressOf(
          { environment, tell },
          (part, seconds) => `${file}: ${Math.round(part * 100)} % imported, about ${seconds} s left.`,
        ),
      }),
  })

/**
 * A recording by an unambiguous prefix of its id, or by the path of a file with one, which is imported first. Rejects
 * with `ProblemError` or `UsageError`.
 */
export async function recordingNamed(text: string, console: Shelf): Promise<ListedRecording> {
  const isFile = (await stat(text).catch(() => undefined))?.isFile() === true
  const id = isFile ? await imported(text, console) : text
  const found = allRecordings(console).filter((entry) => entry.id.startsWith(id))
  const [entry] = found
  if (entry === undefined) {
    throw new ProblemError('not-found', `There is no recording ${JSON.stringify(id)}.`)
  }
  if (found.length > 1) {
    throw new UsageError(`${JSON.stringify(id)} matches ${found.length} recordings; give a longer prefix.`)
  }
  return entry
}

/** Where nothing was recorded that a command could say something of. */
export const noSamples = ({ id }: ListedRecording): ProblemError =>
  new ProblemError('not-found', `The recording ${id} has no samples in this range.`)

/** The recorded source, if the recording has it. */
export const recordedSource = ({ id, source }: ListedRecording): SourceInfo =>
  source ?? { kind: 'recording', name: id, via: 'recording' }

/** Returns the state at every instant of a recording, as on the screens. */
export const archiveOf = (
  entry: ListedRecording,
  { stateDir, environment }: Pick<Console, 'stateDir' | 'environment'>,
): Archive =>
  createArchive({
    folder: join(stateDir, RECORDINGS),
    ids: new Set([entry.id]),
    source: recordedSource(entry),
    now: () => environment.now(),
  })

/** A bound that is not given is infinite. */
export function rangeFrom(given: Given): RecordingRange {
  const [from, to] = [timeFrom(given, 'from') ?? -Infinity, timeFrom(given, 'to') ?? Infinity]
  if (from <= to) return { from, to }
  throw new UsageError('--from is later than --to.')
}
