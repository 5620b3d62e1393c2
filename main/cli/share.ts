import { EXPORTS } from '../../core/alerts/exports.ts'
import {
  importRecording,
  exportRecording,
  isRecordingFile,
  startOfFile,
  type ExportOptions,
} from '../recordings/recordingFile.ts'
import type { ListedRecording } from '../recordings/library.ts'
import type { Console, ExitCode } from './console.ts'
import { exportRules, RULES_OPTIONS } from './exportRules.ts'
import { importFiles } from './importFiles.ts'
import { refuseExisting } from './refuseExisting.ts'
import { readInputFiles } from './inputFiles.ts'
import { RANGE_OPTIONS, rangeFrom, recordingNamed } from './recordingOptions.ts'
import { tellProblems } from './recordings.ts'
import { refuseOptions, UsageError, type Command, type Given } from './usage.ts'

const RECORDING_OPTIONS = { ...RANGE_OPTIONS, anonymise: { type: 'boolean' } } as const

/**
 * Writes a recording, or a range of it, to one file; or what the console knows for Prometheus, Alertmanager and Grafana. No id of a
 * recording is the name of such an export, and a file of that name is `./rules`.
 */
export const exportCommand: Command = {
  options: { ...RECORDING_OPTIONS, ...RULES_OPTIONS, force: { type: 'boolean' } },
  operands: 'files',
  subcommands: EXPORTS,
  run: runExport,
}

async function runExport(given: Given, console: Console): Promise<ExitCode> {
  const [name, file, ...more] = given.operands
  const kind = EXPORTS.find((one) => one === name)
  // An option of the other kind of export means that something else was meant.
  const others = Object.keys(kind === undefined ? RULES_OPTIONS : RECORDING_OPTIONS)
  refuseOptions(given, others, `does not go with export ${name ?? ''}.`)
  if (kind !== undefined && more.length === 0) return exportRules(kind, file, given, console)
  if (name === undefined || file === undefined || more.length > 0) {
    throw new UsageError(
      `export needs a recording and the file to write, export 20261120T03 incident.apfrec, or one of ${EXPORTS.join(', ')}: export rules apf.rules.yaml.`,
    )
  }
  await refuseExisting(file, given.flag('force'))
  const options = { range: rangeFrom(given), anonymise: given.flag('anonymise') }
  return exportTo(await recordingNamed(name, console), file, options, console)
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
