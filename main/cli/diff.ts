import { driftBetween } from '../../core/drift/drift.ts'
import type { Console, ExitCode } from './console.ts'
import { driftJson, driftPatch, driftText, type Compared } from './driftReport.ts'
import { HELP } from './help.ts'
import type { Output } from './output.ts'
import { readConfiguration, tellFindings } from './manifestFiles.ts'
import { printHelp, readOptions, readOutput, UsageError, type OptionInfo } from './usage.ts'
import { versionFrom } from './validate.ts'

const OPTIONS = {
  'kube-version': { type: 'string' },
  output: { type: 'string', short: 'o' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Readonly<Record<string, OptionInfo>>

const OUTPUTS = ['text', 'json', 'patch'] as const

/** What differs between two configurations; 1 when anything does, or when a server would reject an object. */
export async function diff(args: readonly string[], console: Console): Promise<ExitCode> {
  const given = readOptions(args, OPTIONS, 'files')
  if (given.flag('help')) {
    printHelp(console, HELP.diff)
    return 0
  }
  const output = readOutput(given, OUTPUTS)
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
  const errors = [...reference.findings, ...current.findings].filter(({ severity }) => severity === 'error')
  tellFindings(errors, console)
  const drift = driftBetween(current.objects, reference.objects, version)
  REPORTS[output]({ reference: before, current: after, version, drift }, console)
  return drift.rows.length > 0 || errors.length > 0 ? 1 : 0
}

const REPORTS: Readonly<Record<(typeof OUTPUTS)[number], (compared: Compared, output: Output) => void>> = {
  text: (compared, { print }) => print(driftText(compared, false)),
  json: (compared, { printJson }) => printJson(driftJson(compared), 2),
  patch: (compared, { print }) => print(driftPatch(compared)),
}
