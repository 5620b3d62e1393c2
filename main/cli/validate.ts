import { plain } from '../../core/text/format.ts'
import { COVERED_MINORS } from '../../core/metrics/versions.ts'
import type { LocatedFinding, ManifestNote } from '../../core/manifest/manifest.ts'
import { REASONS, type Reason } from '../../core/config/finding.ts'
import type { Console, ExitCode, Output } from './console.ts'
import { isError, readConfiguration } from './inputFiles.ts'
import { coveredVersion, OUTPUT_OPTIONS, readOutput, UsageError, type Given, type Command } from './usage.ts'

/** Checks manifests as a server of a given version would, and reports every problem with its location. */
export const validate: Command = {
  options: { 'kube-version': { type: 'string' }, ...OUTPUT_OPTIONS },
  operands: 'files',
  run: runValidate,
}

const REPORTS: Readonly<Record<'text' | 'json' | 'github' | 'sarif', (validated: Validated, output: Output) => void>> =
  {
    text: (validated, { print }) => print(textReport(validated)),
    json: (validated, { printJson }) => printJson(jsonReport(validated), 2),
    github: (validated, { annotate }) => annotate(githubReport(validated)),
    sarif: (validated, { printJson }) => printJson(sarifReport(validated), 2),
  }

async function runValidate(given: Given, console: Console): Promise<ExitCode> {
  const output = readOutput(given, ['github', 'sarif'])
  const version = versionFrom(given)
  if (given.operands.length === 0)
    throw new UsageError('validate needs files or folders to check, or - for standard input.')
  const { files, findings, notes } = await readConfiguration(given.operands, { version, reading: console })
  const objects = files.reduce((sum, { documents }) => sum + documents.length, 0)
  const validated: Validated = { findings, notes, version, objects, files: files.length, tool: console.version }
  REPORTS[output](validated, console)
  // A folder may hold objects of other kinds alone; a text without any was meant to be something.
  const isNothing = objects === 0 && notes.length === 0
  if (isNothing && findings.length === 0)
    console.tell('Nothing was checked: the text contains no object. Save the objects with kubectl get -o yaml.')
  return isNothing || findings.some(isError) ? 1 : 0
}

/** The version whose rules apply: the one given as an option, else the one that a server reports, else the newest. */
export const versionFrom = (given: Given, reported?: string): string =>
  coveredVersion(given, 'kube-version') ?? reported ?? `v1.${COVERED_MINORS.newest}`

/** The checked files and the result. */
export interface Validated {
  readonly findings: readonly LocatedFinding[]
  readonly notes: readonly ManifestNote[]
  /** Kubernetes version whose rules were applied. */
  readonly version: string
  /** Numbers of flow-control objects and of files. */
  readonly objects: number
  readonly files: number
  /** Version of the console. */
  readonly tool: string
}

/** The JSON of docs/validate.md. */
export function jsonReport({ version, files, objects, findings, notes }: Validated): unknown {
  return { kubeVersion: version, files, objects, findings: findings.map(findingJson), notes }
}

export const findingJson = (finding: LocatedFinding): LocatedFinding => {
  const { file, line, column, kind, name, field, reason, severity, message } = finding
  return { file, line, column, kind, name, field, reason, severity, message }
}

/** One line per finding, in the format of compilers, so that editors and terminals find the location. */
export function textReport(validated: Validated): readonly string[] {
  const { findings, notes } = validated
  const shown = notes.filter(({ about }) => about !== 'skipped')
  return [
    ...findings.map(findingText),
    ...shown.map(({ file, line, column, message }) => `${file}:${line}:${column}: note: ${message}`),
    summary(validated),
  ]
}

export function findingText(finding: LocatedFinding): string {
  const { file, line, column, severity, message, reason } = finding
  return `${file}:${line}:${column}: ${severity}: ${subjectOf(finding)}${message} [${reason}]`
}

/** Workflow commands, which GitHub shows next to the changed lines. */
export function githubReport(validated: Validated): readonly string[] {
  return [...validated.findings.map(findingAnnotation), data(summary(validated))]
}

export function findingAnnotation(finding: LocatedFinding): string {
  const { file, line, column, severity, message, reason } = finding
  const title = `${reason}${finding.field === '' ? '' : ` ${finding.field}`}`
  const properties = `file=${property(file)},line=${line},col=${column},title=${property(title)}`
  return `::${severity} ${properties}::${data(subjectOf(finding) + message)}`
}

/** `FlowSchema x: `, if known. */
const subjectOf = ({ kind, name }: LocatedFinding): string =>
  kind === '' ? '' : `${name === '' ? kind : `${kind} ${name}`}: `

function summary({ findings, notes, version, objects, files }: Validated): string {
  const errors = findings.filter(isError).length
  const skipped = notes.filter(({ about }) => about === 'skipped').length
  const found = [plain.counted(errors, 'error'), plain.counted(findings.length - errors, 'warning')].join(', ')
  const others = skipped === 0 ? '' : ` ${plain.counted(skipped, 'object')} of other kinds not checked.`
  return `${found} in ${plain.counted(objects, 'flow-control object')} of ${plain.counted(files, 'file')}, by the rules of Kubernetes ${version}.${others}`
}

/** A workflow command ends with its line, and % begins an escape. */
const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
/** Its properties are separated by commas and end at colons. */
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** What each reason means, for readers of the report. */
const DESCRIPTIONS: Readonly<Record<Reason, string>> = {
  FieldValueRequired: 'A field that must have a value has none.',
  FieldValueInvalid: 'A field has a value that is not allowed, or probably a mistake.',
  FieldValueNotSupported: 'A field has a value that is not one of those allowed.',
  FieldValueNotFound: 'A field names an object that does not exist.',
  FieldValueForbidden: 'A field has a value where it must have none.',
  FieldValueDuplicate: 'A value that must be unique appears twice.',
  FieldValueTooLong: 'A value is longer than allowed.',
  FieldValueTooMany: 'A list has more entries than allowed.',
  FieldValueTypeInvalid: 'A value has another type than its field.',
  FieldUnknown: 'The API has no such field.',
  Malformed: 'The text or a value cannot be parsed.',
}

/** SARIF 2.1.0, for code scanning. Addresses are relative to the working directory. */
export function sarifReport({ findings, version, tool }: Validated): unknown {
  const used = REASONS.filter((reason) => findings.some((finding) => finding.reason === reason))
  const results = findings.map((finding) => ({
    ruleId: finding.reason,
    ruleIndex: used.indexOf(finding.reason),
    level: finding.severity,
    message: { text: subjectOf(finding) + finding.message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(finding.file) },
          region: { startLine: finding.line, startColumn: finding.column },
        },
        ...(finding.kind !== '' && {
          logicalLocations: [
            { fullyQualifiedName: [finding.kind, finding.name, finding.field].filter(Boolean).join('/') },
          ],
        }),
      },
    ],
  }))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'APF Console',
            version: tool,
            rules: used.map((reason) => ({ id: reason, shortDescription: { text: DESCRIPTIONS[reason] } })),
          },
        },
        automationDetails: { id: `apf-console/validate/${version}` },
        columnKind: 'utf16CodeUnits',
        results,
      },
    ],
  }
}

const uriOf = (file: string): string => file.split('/').map(encodeURIComponent).join('/')
