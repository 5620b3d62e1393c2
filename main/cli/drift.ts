import { driftBetween, driftFromBuiltIn, isDrifted, type Drift } from '../../core/drift/drift.ts'
import { presentDrift, referenceName, type Reference } from '../../core/drift/present.ts'
import { exportDiff } from '../../core/manifest/export.ts'
import {
  CONFIGURATION_OPTIONS,
  configurationFrom,
  fromRecording,
  namesCluster,
  type GivenConfiguration,
} from './configurationSource.ts'
import { texts } from './options.ts'
import { timeFrom, OUTPUT_OPTIONS, UsageError, type Given, readOutput, type Command } from './usage.ts'
import type { Console, ExitCode } from './console.ts'
import { isError, readConfiguration, refuseEmpty, tellFindings } from './inputFiles.ts'
import type { Said } from './print/terminal.ts'
import { kubeconfigOf, RECORDING_OPTIONS, recordingSpec } from './sourceOptions.ts'
import { versionFrom } from './validate.ts'

/**
 * How the objects of a cluster, of files or of a recording differ from the built-in ones of the server's version, or
 * from those of another place or instant. 1 when they do; user-created objects do not count as drift from the built-in
 * ones.
 */
export const drift: Command = {
  options: {
    ...CONFIGURATION_OPTIONS,
    against: { type: 'string', multiple: true, list: true },
    ...texts('against-kubeconfig', 'against-context'),
    ...RECORDING_OPTIONS,
    ...texts('against-recording', 'against-at'),
    ...OUTPUT_OPTIONS,
  },
  run: runDrift,
}

async function runDrift(given: Given, console: Console): Promise<ExitCode> {
  const form = readOutput(given, ['markdown'])
  const recording = given.value('recording')
  const named = [
    given.values('config').length > 0 && '--config',
    namesCluster(given) && '--kubeconfig and --context',
    recording !== undefined && '--recording',
  ].filter((one) => one !== false)
  if (named.length === 0) {
    throw new UsageError(
      'drift needs objects to compare: --config FILE, --kubeconfig FILE, --context NAME or --recording ID.',
    )
  }
  if (named.length > 1) {
    throw new UsageError(`${named.join(' does not go with ')}: the objects come from one place.`)
  }
  const at = timeFrom(given, 'at')
  if (recording === undefined && at !== undefined) throw new UsageError('--at goes with --recording.')
  const configuration =
    recording === undefined
      ? await configurationFrom(given, console)
      : await fromRecording(given, await recordingSpec(recording, at, console), console)
  for (const note of configuration.notes) console.tell(note)
  tellFindings(configuration.errors, console)
  const { objects, version, name: current } = configuration
  const other = await referenceFrom(version, given, console)
  const found = other === undefined ? driftFromBuiltIn(objects, version) : driftBetween(objects, other.objects, version)
  const reference: Reference =
    other === undefined ? { kind: 'built-in', version } : { kind: 'elsewhere', name: other.name }
  const compared = { reference, current, version, found }
  const drifted = other === undefined ? isDrifted(found) : found.rows.length > 0
  console.answer(form, driftJson(compared), saidOf(compared, true))
  return drifted || configuration.errors.length > 0 ? 1 : 0
}

/** What the objects are compared with; `undefined` for the built-in ones. */
async function referenceFrom(
  version: string,
  given: Given,
  console: Console,
): Promise<Pick<GivenConfiguration, 'name' | 'objects'> | undefined> {
  const files = given.values('against')
  const cluster = kubeconfigOf(given, 'against-')
  const namesOther = Object.keys(cluster).length > 0
  const at = timeFrom(given, 'against-at')
  const recording = given.value('against-recording') ?? (at === undefined ? undefined : given.value('recording'))
  const named = [
    files.length > 0 && '--against',
    namesOther && '--against-kubeconfig and --against-context',
    recording !== undefined && '--against-recording and --against-at',
  ].filter((one) => one !== false)
  if (named.length > 1) throw new UsageError(`${named.join(' does not go with ')}: compare with one configuration.`)
  if (at !== undefined && recording === undefined) {
    throw new UsageError('--against-at goes with --recording or --against-recording.')
  }
  if (recording !== undefined) return fromRecording(given, await recordingSpec(recording, at, console), console)
  if (files.length > 0) {
    const read = await readConfiguration(files, { version, reading: console })
    refuseEmpty(read, files)
    return { name: `files ${files.join(', ')}`, objects: read.objects }
  }
  if (!namesOther) return undefined
  const { name, objects, notes } = await console.access.readClusterObjects({ kind: 'kubeconfig', ...cluster })
  for (const note of notes) console.tell(note)
  return { name: `cluster ${name}`, objects }
}

/** Two configurations. */
interface Compared {
  readonly reference: Reference
  readonly current: string
  readonly version: string
  readonly found: Drift
}

/** As `apf-console diff --json` and `drift --json` print it (docs/drift.md). */
const driftJson = ({ reference, current, version, found }: Compared): unknown => ({
  reference: referenceName(reference),
  current,
  kubeVersion: version,
  same: found.same,
  differences: found.rows.map(({ kind, name, change, fields, builtIn, server }) => ({
    kind,
    name,
    change,
    ...(builtIn !== undefined && { builtIn }),
    fields: fields.map(({ field, from, to }) => ({ field, from: from ?? null, to: to ?? null })),
    server,
  })),
})

/** The differences; `withServer` adds what the API server will do on its own. */
function saidOf({ reference, current, found }: Compared, withServer: boolean): Said {
  const changed = found.rows.filter(({ change }) => change === 'changed')
  return [
    presentDrift(found, reference, [`Objects of ${current}.`]),
    ...(withServer && changed.length > 0 ? ['', ...changed.map(({ server }) => server.why)] : []),
  ]
}

/** A unified diff that turns the reference into the current configuration. */
const driftPatch = ({ found }: Compared): readonly string[] =>
  exportDiff(found.rows.map(({ kind, name, reference, current }) => ({ kind, name, from: reference, to: current })))
    .split('\n')
    .slice(0, -1)

/** What differs between two configurations; 1 when anything does, or when a server would reject an object. */
export const diff: Command = {
  options: { 'kube-version': { type: 'string' }, ...OUTPUT_OPTIONS },
  operands: 'files',
  run: runDiff,
}

async function runDiff(given: Given, console: Console): Promise<ExitCode> {
  const output = readOutput(given, ['patch', 'markdown'])
  const version = versionFrom(given)
  const [before, after, ...more] = given.operands
  if (before === undefined || after === undefined || more.length > 0) {
    throw new UsageError('diff compares two configurations: give two files or folders, or - for standard input.')
  }
  if (before === '-' && after === '-') throw new UsageError('Only one of the two can be the standard input.')
  const reading = console
  const [reference, current] = [
    await readConfiguration([before], { version, reading }),
    await readConfiguration([after], { version, reading }),
  ]
  refuseEmpty(reference, [before])
  refuseEmpty(current, [after])
  const errors = [...reference.findings, ...current.findings].filter(isError)
  tellFindings(errors, console)
  const found = driftBetween(current.objects, reference.objects, version)
  const compared: Compared = { reference: { kind: 'elsewhere', name: before }, current: after, version, found }
  if (output === 'patch') console.print(driftPatch(compared))
  else console.answer(output, driftJson(compared), saidOf(compared, false))
  return found.rows.length > 0 || errors.length > 0 ? 1 : 0
}
