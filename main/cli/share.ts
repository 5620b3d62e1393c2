import { EXPORTS, exportText, LABELLED, type ExportKind } from '../../core/alerts/exports.ts'
import { equals } from '../../core/prom/promql.ts'
import { writeAtomically } from '../files/files.ts'
import { exportRecording, isRecordingFile, startOfFile, type ExportOptions } from '../recordings/recordingFile.ts'
import { type ListedRecording, recordingId } from '../recordings/library.ts'
import type { Console, ExitCode } from './console.ts'
import { lists, texts } from './options.ts'
import { refuseExisting } from './refuseExisting.ts'
import { readInputFiles } from './inputFiles.ts'
import { imported, RANGE_OPTIONS, rangeFrom, recordingNamed } from './recordingOptions.ts'
import { tellProblems } from './recordings.ts'
import { matcherFrom } from './sourceOptions.ts'
import { readNumber, refuseOptions, UsageError, type Command, type Given, type OptionInfo } from './usage.ts'
import { versionFrom } from './validate.ts'
import { createHash } from 'node:crypto'
import type { LiveRequest } from '../../core/contract/live.ts'
import { ProblemError } from '../../core/errors.ts'
import type { UploadedFile } from '../../core/contract/source.ts'
import { instantOf, type TimedEvent } from '../../core/source/recording.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { rfc3339 } from '../../core/units.ts'
import { shelve } from '../recordings/shelving.ts'
import { createFilesSource } from '../sources/files.ts'

const RECORDING_OPTIONS = { ...RANGE_OPTIONS, anonymise: { type: 'boolean' } } as const

/** Options of the exports for Prometheus, Alertmanager and Grafana. */
const RULES_OPTIONS = {
  'kube-version': { type: 'string' },
  ...lists('prometheus-label', 'label'),
  ...texts('cluster-label', 'instance-label', 'interval'),
} as const satisfies Readonly<Record<string, OptionInfo>>

/**
 * Writes a recording, or a range of it, to one file; or the exports for Prometheus, Alertmanager and Grafana. No
 * recording id equals the name of such an export, and a file of that name is `./rules`.
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
  // An option of the other kind of export is probably a mistake.
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

/** Writes alert rules, recording rules, routes or a dashboard to a file, or prints them. */
async function exportRules(
  kind: ExportKind,
  file: string | undefined,
  given: Given,
  console: Console,
): Promise<ExitCode> {
  const seconds = readNumber(given, 'interval', { min: 1, max: 300, whole: true })
  if (!LABELLED.includes(kind)) refuseOptions(given, ['label'], `goes with export ${LABELLED.join(', ')} alone.`)
  const place = {
    version: versionFrom(given),
    matchers: given.values('prometheus-label').map((one) => {
      const { label, value } = matcherFrom(one)
      return equals(label, value)
    }),
    intervalMs: seconds === undefined ? undefined : seconds * 1_000,
    clusterLabel: labelFrom(given, 'cluster-label'),
    instanceLabel: labelFrom(given, 'instance-label'),
  }
  const text = exportText(kind, place, Object.fromEntries(given.values('label').map((one) => ownLabel(kind, one))))
  if (file === undefined) console.printText(text)
  else {
    await refuseExisting(file, given.flag('force'))
    await writeAtomically(file, text)
  }
  return 0
}

/** A label of an object is a name of Kubernetes, and one of an alert a name of Prometheus. */
function ownLabel(kind: ExportKind, text: string): readonly [name: string, value: string] {
  const form = kind === 'prometheusrule' ? OBJECT_LABEL : ALERT_LABEL
  const [, name, value] = form.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new UsageError(`--label takes NAME=VALUE such as release=prometheus, not ${JSON.stringify(text)}.`)
}

const OBJECT_LABEL =
  /^((?:[a-z0-9][-.a-z0-9]*\/)?[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)=((?:[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)?)$/
const ALERT_LABEL = /^([a-zA-Z_]\w*)=(.*)$/

function labelFrom(given: Given, option: string): string | undefined {
  const name = given.value(option)
  if (name === undefined || /^[a-zA-Z_]\w*$/.test(name)) return name
  throw new UsageError(`--${option} takes the name of a label such as cluster, not ${JSON.stringify(name)}.`)
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

/** Adds recordings to those of this user: exported ones, and one made of all other files together. */
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
    const id = await imported(file, console)
    console.print([`${file}: recording ${id}`])
  }
  if (others.length === 0) return 0
  const id = await importFiles(await readInputFiles(others, console), console)
  console.print([`${others.join(', ')}: recording ${id}`])
  return 0
}

/** Most rows in one event. */
const MOST_ROWS = 1_000

/**
 * Stores the contents of files as one recording: pages, frames, a dump, objects, requests of logs. Resolves to its id.
 * Rejects with `ProblemError`.
 */
async function importFiles(files: readonly UploadedFile[], console: Console): Promise<string> {
  const made = await createFilesSource(files, console.environment)
  if (!made.ok) throw ProblemError.of(made.problem)
  const { source } = made
  const events: SourceEvent[] = []
  const take = (event: SourceEvent): void => void events.push(event)
  source.start(console.signal, take)
  source.objects?.start(console.signal, (reading) => take({ kind: 'objects', origin: 'files', reading }))
  const timed = inOrder(events, source.live?.log.before(Number.MAX_SAFE_INTEGER) ?? [])
  const [first] = timed
  if (first === undefined) throw new ProblemError('not-found', 'These files contain nothing that can be recorded.')
  const hash = createHash('sha256')
  for (const { name, text } of files) hash.update(`${name.length} ${name} ${text.length} ${text}`)
  const recording = recordingId(first.at, hash.digest('hex'))
  const about = { recording, startedAt: rfc3339(first.at), source: source.info }
  await shelve(
    console.stateDir,
    about,
    timed.map((one) => ({ timed: one, held: false })),
  )
  return recording
}

/** In chronological order; events without a time are dated to the first sample. */
function inOrder(events: readonly SourceEvent[], rows: readonly LiveRequest[]): readonly TimedEvent[] {
  const timed = events.flatMap((event): TimedEvent[] => {
    const at = event.kind === 'frame' || event.kind === 'dump' ? instantOf({ at: Number.NaN, event }) : Number.NaN
    return Number.isNaN(at) ? [] : [{ at, event }]
  })
  const done = rows.filter(({ state }) => state !== 'waiting' && state !== 'executing')
  for (let from = 0; from < done.length; from += MOST_ROWS) {
    const requests = done.slice(from, from + MOST_ROWS)
    const at = requests[0]?.at
    const changes = { event: from + requests.length, from, requests, dropped: 0 }
    if (at !== undefined) timed.push({ at, event: { kind: 'requests', changes } })
  }
  timed.sort((a, b) => a.at - b.at)
  const at = timed[0]?.at
  if (at === undefined) return []
  const known = events
    .filter(({ kind }) => kind !== 'frame' && kind !== 'dump')
    .map((event): TimedEvent => ({ at, event }))
  return [...known, ...timed]
}
