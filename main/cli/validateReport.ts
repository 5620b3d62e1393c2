import type { LocatedFinding, ManifestNote } from '../../core/manifest/manifest.ts'

/** What was checked, and with what result. */
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
  const plain = findings.map(({ file, line, column, kind, name, field, reason, severity, message }) => ({
    file,
    line,
    column,
    kind,
    name,
    field,
    reason,
    severity,
    message,
  }))
  return { kubeVersion: version, files, objects, findings: plain, notes }
}

/** One line a finding, as compilers print it, so that editors and terminals find the place. */
export function textReport(validated: Validated): readonly string[] {
  const { findings, notes } = validated
  const told = notes.filter(({ about }) => about !== 'skipped')
  return [
    ...findings.map((finding) => {
      const { file, line, column, severity, message, reason } = finding
      return `${file}:${line}:${column}: ${severity}: ${subjectOf(finding)}${message} [${reason}]`
    }),
    ...told.map(({ file, line, column, message }) => `${file}:${line}:${column}: note: ${message}`),
    summary(validated),
  ]
}

/** Workflow commands, which GitHub shows beside the changed lines. */
export function githubReport(validated: Validated): readonly string[] {
  const lines = validated.findings.map((finding) => {
    const { file, line, column, severity, message, reason } = finding
    const title = `${reason}${finding.field === '' ? '' : ` ${finding.field}`}`
    const properties = `file=${property(file)},line=${line},col=${column},title=${property(title)}`
    return `::${severity} ${properties}::${data(subjectOf(finding) + message)}`
  })
  return [...lines, data(summary(validated))]
}

/** `FlowSchema x: `, where it is known. */
export const subjectOf = ({ kind, name }: LocatedFinding): string =>
  kind === '' ? '' : `${name === '' ? kind : `${kind} ${name}`}: `

function summary({ findings, notes, version, objects, files }: Validated): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const skipped = notes.filter(({ about }) => about === 'skipped').length
  const found = [count(errors, 'error'), count(findings.length - errors, 'warning')].join(', ')
  const others = skipped === 0 ? '' : ` ${count(skipped, 'object')} of other kinds not checked.`
  return `${found} in ${count(objects, 'flow-control object')} of ${count(files, 'file')}, by the rules of Kubernetes ${version}.${others}`
}

const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`

/** A workflow command ends with its line, and % begins an escape. */
const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
/** Its properties are separated by commas and end at colons. */
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
