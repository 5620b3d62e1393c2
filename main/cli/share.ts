import { stat } from 'node:fs/promises'
import { ProblemError } from '../../core/contract/errors.ts'
import {
  importRecording,
  exportRecording,
  isRecordingFile,
  startOfFile,
  type ExportOptions,
} from '../recordings/recordingFile.ts'
import type { ListedRecording } from '../recordings/library.ts'
import type { Console, ExitCode } from './console.ts'
import { importFiles } from './importFiles.ts'
import { readInputFiles } from './inputFiles.ts'
import { RANGE_OPTIONS, rangeFrom, recordingNamed } from './recordingOptions.ts'
import { tellProblems } from './recordings.ts'
import { UsageError, type Command, type Given } from './usage.ts'

/** Writes a recording, or a range of it, to one file. */
export const exportCommand: Command = {
  options: { ...RANGE_OPTIONS, anonymise: { type: 'boolean' }, force: { type: 'boolean' } },
  operands: 'files',
  run: runExport,
}

async function runExport(given: Given, console: Console): Promise<ExitCode> {
  const [name, file, ...more] = given.operands
  if (name === undefined || file === undefined || more.length > 0) {
    throw new UsageError('export needs a recording and the file to write: export 20261120T03 incident.apfrec.')
  }
  await refuseExisting(file, given.flag('force'))
  const options = { range: rangeFrom(given), anonymise: given.flag('anonymise') }
  return exportTo(await recordingNamed(name, console), file, options, console)
}

/** A file that somebody keeps is not replaced unasked. */
export async function refuseExisting(file: string, force: boolean): Promise<void> {
  if (force || (await stat(file).catch(() => undefined)) === undefined) return
  throw new ProblemError('invalid-input', `${file} exists; name another file, or replace it with --force.`)
}

/** Exports a recording and reports what is in the file. */
export async function exportTo(
  entry: ListedRecording,
  file: string,
  options: Omit<ExportOptions, 'version'>,
  console: Console,
): Promise<ExitCode> {
  const { head, events, sha256, problems } = await exportRecording(entry, file, {
    ...options,
    version: console.version,
  })
  console.print([
    `${file}: ${events} events of ${head.source.name}, ${head.from} to ${head.to}`,
    `SHA-256 of its content: ${sha256}`,
  ])
  return tellProblems(problems, console)
}

/** Adds recordings to those of this user: exported ones, and what other files tell together. */
export const importCommand: Command = {
  options: {},
  operands: 'files',
  run: runImport,
}

async function runImport({ operands }: Given, console: Console): Promise<ExitCode> {
  if (operands.length === 0) throw new UsageError('import needs files: import incident.apfrec, or import capture/.')
  const others: string[] = []
  for (const file of operands) {
    const start = await startOfFile(file).catch(() => undefined)
    if (!/\.apfrec$/i.test(file) && (start === undefined || !isRecordingFile(start))) {
      others.push(file)
      continue
    }
    const id = await importRecording(file, console.stateDir, console.signal)
    console.print([`${file}: recording ${id}`])
  }
  if (others.length === 0) return 0
  const id = await importFiles(await readInputFiles(others, console), console)
  console.print([`${others.join(', ')}: recording ${id}`])
  return 0
}
