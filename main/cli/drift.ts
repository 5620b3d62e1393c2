import { driftBetween, driftFromBuiltIn, isDrifted, type Drift } from '../../core/drift/drift.ts'
import {
  CONFIGURATION_OPTIONS,
  configurationFrom,
  namesCluster,
  type GivenConfiguration,
} from './configurationSource.ts'
import type { Console, ExitCode } from './console.ts'
import { driftJson, driftText, type Compared } from './driftReport.ts'
import { HELP } from './help.ts'
import { readConfiguration, tellFindings } from './manifestFiles.ts'
import { printHelp, readOptions, UsageError, type Given, type OptionInfo } from './usage.ts'

const OPTIONS = {
  ...CONFIGURATION_OPTIONS,
  against: { type: 'string', multiple: true, list: true },
  'against-kubeconfig': { type: 'string' },
  'against-context': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Readonly<Record<string, OptionInfo>>

/**
 * How the objects of a cluster or of files differ from the built-in ones of the server's version, or from another cluster
 * or files. 1 when they do; people's own objects are no drift from the built-in ones.
 */
export async function drift(args: readonly string[], console: Console): Promise<ExitCode> {
  const given = readOptions(args, OPTIONS)
  if (given.flag('help')) {
    printHelp(console, HELP.drift)
    return 0
  }
  const inFiles = given.values('config').length > 0
  if (!inFiles && !namesCluster(given)) {
    throw new UsageError('drift needs objects to look at: --config FILE, or --kubeconfig FILE or --context NAME.')
  }
  if (inFiles && namesCluster(given)) {
    throw new UsageError('--config does not go with --kubeconfig and --context: the objects come from one place.')
  }
  const configuration = await configurationFrom(given, console)
  for (const note of configuration.notes) console.tell(note)
  tellFindings(configuration.errors, console)
  const { compared, drifted } = await compare(configuration, given, console)
  if (given.flag('json')) console.printJson(driftJson(compared), 2)
  else console.print(driftText(compared, true))
  return drifted || configuration.errors.length > 0 ? 1 : 0
}

interface Comparison {
  readonly compared: Compared
  readonly drifted: boolean
}

async function compare(configuration: GivenConfiguration, given: Given, console: Console): Promise<Comparison> {
  const { objects, version, name: current } = configuration
  const answer = (reference: string, found: Drift, drifted: boolean): Comparison => ({
    compared: { reference, current, version, drift: found },
    drifted,
  })
  const files = given.values('against')
  const [file, context] = [given.value('against-kubeconfig'), given.value('against-context')]
  if (files.length > 0 && (file ?? context) !== undefined) {
    throw new UsageError('--against does not go with --against-kubeconfig and --against-context.')
  }
  if (files.length > 0) {
    const other = await readConfiguration(files, { version, reading: console })
    const found = driftBetween(objects, other.objects, version)
    return answer(`files ${files.join(', ')}`, found, found.rows.length > 0)
  }
  if (file === undefined && context === undefined) {
    const found = driftFromBuiltIn(objects, version)
    return answer(`the built-in objects of ${version}`, found, isDrifted(found))
  }
  const other = await console.access.readClusterObjects({
    kind: 'kubeconfig',
    ...(file !== undefined && { file }),
    ...(context !== undefined && { context }),
  })
  for (const note of other.notes) console.tell(note)
  const found = driftBetween(objects, other.objects, version)
  return answer(`cluster ${other.name}`, found, found.rows.length > 0)
}
