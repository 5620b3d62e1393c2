import { COVERED_MINORS, COVERED_RANGE, isCovered } from '../../core/metrics/catalogue.ts'
import type { Console, ExitCode } from './console.ts'
import { HELP } from './help.ts'
import type { Output } from './output.ts'
import { readConfiguration } from './manifestFiles.ts'
import { printHelp, readOptions, readOutput, UsageError, type Given, type OptionInfo } from './usage.ts'
import { githubReport, jsonReport, textReport, type Validated } from './validateReport.ts'
import { sarifReport } from './validateSarif.ts'

const OPTIONS = {
  'kube-version': { type: 'string' },
  output: { type: 'string', short: 'o' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Readonly<Record<string, OptionInfo>>

const OUTPUTS = ['text', 'json', 'github', 'sarif'] as const
const REPORTS: Readonly<Record<(typeof OUTPUTS)[number], (validated: Validated, output: Output) => void>> = {
  text: (validated, { print }) => print(textReport(validated)),
  json: (validated, { printJson }) => printJson(jsonReport(validated), 2),
  github: (validated, { annotate }) => annotate(githubReport(validated)),
  sarif: (validated, { printJson }) => printJson(sarifReport(validated), 2),
}

/** Checks manifests as a server of some version would, and tells every problem with its place. */
export async function validate(args: readonly string[], console: Console): Promise<ExitCode> {
  const given = readOptions(args, OPTIONS, 'files')
  if (given.flag('help')) {
    printHelp(console, HELP.validate)
    return 0
  }
  const output = readOutput(given, OUTPUTS)
  const version = versionFrom(given)
  if (given.operands.length === 0)
    throw new UsageError('validate needs files or folders to check, or - for standard input.')
  const { files, findings, notes } = await readConfiguration(given.operands, { version, reading: console })
  const objects = files.reduce((sum, { documents }) => sum + documents.length, 0)
  const validated: Validated = { findings, notes, version, objects, files: files.length, tool: console.version }
  REPORTS[output](validated, console)
  return findings.some(({ severity }) => severity === 'error') ? 1 : 0
}

/** The version whose rules apply, the newest by default. */
export const versionFrom = (given: Given): string =>
  coveredVersion(given, 'kube-version') ?? `v1.${COVERED_MINORS.newest}`

/** A version that an option names; one whose rules are not known is refused rather than guessed. */
export function coveredVersion(given: Given, option: string): string | undefined {
  const text = given.value(option)
  if (text === undefined) return undefined
  if (isCovered(text)) return text.startsWith('v') ? text : `v${text}`
  throw new UsageError(
    `--${option} takes a version from ${COVERED_RANGE}, whose rules are known: v1.33 or v1.33.4, not ${JSON.stringify(text)}.`,
  )
}
