import { COVERED_MINORS } from '../../core/metrics/catalogue.ts'
import { parseKubernetesVersion } from '../../core/metrics/version.ts'
import type { Console, ExitCode } from './console.ts'
import { HELP } from './help.ts'
import { readConfiguration } from './manifestFiles.ts'
import { readOptions, UsageError, type Given, type OptionInfo } from './usage.ts'
import { githubReport, jsonReport, textReport, type Validated } from './validateReport.ts'
import { sarifReport } from './validateSarif.ts'

const OPTIONS = {
  'kube-version': { type: 'string' },
  output: { type: 'string', short: 'o' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Readonly<Record<string, OptionInfo>>

const REPORTS = { text: textReport, json: jsonReport, github: githubReport, sarif: sarifReport } as const
type Format = keyof typeof REPORTS

/** Checks manifests as a server of some version would, and tells every problem with its place. */
export async function validate(args: readonly string[], console: Console): Promise<ExitCode> {
  const given = readOptions(args, OPTIONS, 'files')
  if (given.flag('help')) {
    console.print(`${HELP.validate}\n`)
    return 0
  }
  const format = formatFrom(given)
  const version = versionFrom(given)
  if (given.operands.length === 0)
    throw new UsageError('validate needs files or folders to check, or - for standard input.')
  const { files, findings, notes } = await readConfiguration(given.operands, { version, stdin: console.readStdin })
  const objects = files.reduce((sum, { documents }) => sum + documents.length, 0)
  const validated: Validated = { findings, notes, version, objects, files: files.length, tool: console.version }
  console.print(REPORTS[format](validated))
  return findings.some(({ severity }) => severity === 'error') ? 1 : 0
}

function formatFrom(given: Given): Format {
  const output = given.value('output')
  if (given.flag('json') && output !== undefined && output !== 'json') {
    throw new UsageError(`--json and --output ${output} contradict each other.`)
  }
  if (given.flag('json')) return 'json'
  if (output === undefined) return 'text'
  if (isFormat(output)) return output
  throw new UsageError(`--output takes text, json, github or sarif, not ${JSON.stringify(output)}.`)
}

const isFormat = (output: string): output is Format => Object.hasOwn(REPORTS, output)

/** The version whose rules apply; what the console knows nothing of is refused rather than guessed. */
export function versionFrom(given: Given): string {
  const { oldest, newest } = COVERED_MINORS
  const text = given.value('kube-version')
  if (text === undefined) return `v1.${newest}`
  const version = parseKubernetesVersion(text)
  if (version?.major === 1 && version.minor >= oldest) return text.startsWith('v') ? text : `v${text}`
  throw new UsageError(
    `--kube-version takes a version from v1.${oldest} on: v1.33 or v1.33.4, not ${JSON.stringify(text)}.`,
  )
}
