import { checkObject } from '../config/checkObject.ts'
import type { Finding } from '../config/finding.ts'
import { fieldOf, type FieldPath, parseField } from './fieldPath.ts'
import { readJson } from './jsonTree.ts'
import { positionsIn } from './lines.ts'
import { locate, find } from './locate.ts'
import type { LocatedFinding, ManifestDocument, ManifestNote, Manifests, Position, TextRange } from './manifest.ts'
import { partsOf, type Part } from './parts.ts'
import { malformed, type TextDocument, type TextProblem, type Tree } from './tree.ts'
import { readYaml } from './yamlTree.ts'
import { isBooleanWord, resolvePlain } from './plainScalar.ts'

export interface ReadOptions {
  /** Name of the file, for findings; one that ends in `.json` is read as JSON alone. */
  readonly file: string
  /** Kubernetes version whose rules apply: `v1.36` or `v1.36.3`. */
  readonly version: string
}

/**
 * Reads every flow-control object of a YAML text (several documents, lists, comments) or a JSON one (an object, an array
 * or several objects one after another). Objects of other groups are skipped with a note. Never throws: what is wrong
 * with the text is a finding.
 */
export function readManifests(text: string, options: ReadOptions): Manifests {
  const context: Context = { ...options, positionOf: positionsIn(text) }
  const documents: ManifestDocument[] = []
  const findings: LocatedFinding[] = []
  const notes: ManifestNote[] = []
  for (const { tree, problems } of textDocuments(text, options.file)) {
    const found = tree === undefined ? undefined : partsOf(tree)
    const read = (found?.parts ?? []).map((part) => readPart(part, problems, context))
    const elsewhere = [...(found?.parts ?? []), ...(found?.skipped ?? [])]
    // What is wrong with an object of another group is not ours to say.
    const own = problems.filter(({ path }) => !elsewhere.some((other) => startsWith(path, other.path)))
    documents.push(...read)
    findings.push(...[...own, ...(found?.problems ?? [])].map((problem) => atProblem(problem, context)))
    findings.push(...read.flatMap((document) => document.findings))
    notes.push(...(found?.notes ?? []).map(({ at, message }) => noteAt('text', at, message, context)))
    notes.push(...(found?.skipped ?? []).map(({ at, message }) => noteAt('skipped', at, message, context)))
    notes.push(...read.flatMap((document) => document.notes))
  }
  return { file: options.file, documents, findings: findings.toSorted(byPosition), notes: notes.toSorted(byPosition) }
}

interface Context extends ReadOptions {
  readonly positionOf: (offset: number) => Position
}

/** Like kubectl: what begins like JSON may still be YAML in flow style, whatever its name. */
function textDocuments(text: string, file: string): readonly TextDocument[] {
  if (text.includes('\0')) {
    const message = 'The text holds zero bytes, as UTF-16 does when it is read as UTF-8; save the file as UTF-8.'
    return [{ problems: [malformed({ from: 0, to: 0 }, message)] }]
  }
  const json = /\.json$/i.test(file)
  if (!json && !/^\uFEFF?\s*[[{]/.test(text)) return readYaml(text)
  const asJson = readJson(text)
  if (json || !broken(asJson)) return asJson
  const asYaml = readYaml(text)
  return broken(asYaml) ? asJson : asYaml
}

const broken = (documents: readonly TextDocument[]): boolean =>
  documents.some(({ tree, problems }) => tree === undefined && problems.length > 0)

const startsWith = (path: FieldPath, start: FieldPath): boolean => start.every((step, index) => path[index] === step)

const byPosition = (a: Position, b: Position): number => a.line - b.line || a.column - b.column

const noteAt = (
  about: ManifestNote['about'],
  at: TextRange,
  message: string,
  { file, positionOf }: Context,
): ManifestNote => ({ file, ...positionOf(at.from), about, message })

function atProblem(problem: TextProblem, { file, positionOf }: Context): LocatedFinding {
  const { reason, severity, message } = problem
  return {
    file,
    ...positionOf(problem.at.from),
    kind: '',
    name: '',
    field: fieldOf(problem.path),
    reason,
    severity,
    message,
  }
}

function readPart(part: Part, problems: readonly TextProblem[], context: Context): ManifestDocument {
  const { tree, value } = part
  const { file, version } = context
  const checked = checkObject(value, version)
  const { kind, name } = checked
  const identity = { file, kind, name }
  const rangeOf = (field: string): TextRange => locate(tree, field)
  const positionOf = (field: string): Position => context.positionOf(rangeOf(field).from)
  const own = problems
    .filter(({ path }) => startsWith(path, part.path))
    .map((problem) => ({
      ...atProblem({ ...problem, path: problem.path.slice(part.path.length) }, context),
      ...identity,
    }))
  const judged = checked.findings.map((finding): LocatedFinding => {
    const { from } = locate(tree, finding.field, finding.reason === 'FieldUnknown')
    return { ...finding, ...identity, ...context.positionOf(from), message: finding.message + hintFor(tree, finding) }
  })
  return {
    ...identity,
    value,
    ...(checked.object !== undefined && { checked }),
    findings: [...own, ...judged].toSorted(byPosition),
    notes: checked.notes.map((message) => noteAt('object', rangeOf('apiVersion'), message, context)),
    positionOf,
    rangeOf,
  }
}

/** What the spelling has to do with a value of a wrong type: a sentence to add, or nothing. */
function hintFor(tree: Tree, { field, reason }: Finding): string {
  if (reason !== 'Malformed') return ''
  const { value, whole } = find(tree, parseField(field))
  if (!whole || value.type !== 'scalar') return ''
  const { plain } = value
  if (plain !== undefined && isBooleanWord(plain)) {
    return ` Without quotes ${plain} means ${String(value.value)} in YAML; “${plain}” is the word.`
  }
  if (plain !== undefined && Number.isInteger(value.value)) return ` Without quotes it is a number; “${plain}” is text.`
  if (typeof value.value !== 'string' || plain !== undefined) return ''
  const meant = resolvePlain(value.value)
  return typeof meant === 'number' || typeof meant === 'boolean'
    ? ` In quotes it is text; without them it is ${meant}.`
    : ''
}
