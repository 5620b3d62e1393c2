import type { Finding } from '../config/finding.ts'
import { fieldOf, type FieldPath, parseField } from './json.ts'
import { readJson } from './jsonTree.ts'
import type { LocatedFinding, Position, TextRange } from './manifest.ts'
import { isBooleanWord, resolvePlain } from './syntax.ts'
import { malformed, TOO_LARGE, type TextDocument, type TextProblem, type Tree, type Entry } from './tree.ts'
import { readYaml, readYamlParts, type TextPart } from './yamlTree.ts'
import { unrenderedIn } from './unrendered.ts'
import { GROUP } from '../config/checkObject.ts'
import { KINDS } from '../config/objects.ts'

/** The documents of a text, or the problem that it is none yet: a template, a program, an error that a tool saved. */
export function textDocuments(text: string, file: string): readonly TextDocument[] {
  const documents = documentsIn(text, file)
  const unrendered = unrenderedIn(text, isBroken(documents))
  if (unrendered === undefined) return documents
  const { at, message } = unrendered
  return [{ problems: [malformed({ from: at, to: at + 2 }, message)] }]
}

/** Like kubectl: text that begins like JSON may still be YAML in flow style, but not in a file named `.json`. */
function documentsIn(text: string, file: string): readonly TextDocument[] {
  if (text.includes('\0')) {
    const message = 'The text contains zero bytes, which is typical of UTF-16. Save the file as UTF-8.'
    return [{ problems: [malformed({ from: 0, to: 0 }, message)] }]
  }
  const json = /\.json$/i.test(file)
  const isYaml = !json && !/^\uFEFF?\s*[[{]/.test(text)
  if (areLarge([text])) return isYaml ? ofLarge(text) : [TOO_LARGE]
  if (isYaml) return readYaml(text)
  const asJson = readJson(text)
  if (json || !isBroken(asJson)) return asJson
  const asYaml = readYaml(text)
  return isBroken(asYaml) ? asJson : asYaml
}

export const isBroken = (documents: readonly TextDocument[]): boolean =>
  documents.some(({ tree, problems }) => tree === undefined && problems.length > 0)

/** How the spelling caused a value of a wrong type: a sentence to add, or nothing. */
function hintFor(tree: Tree, { field, reason }: Finding): string {
  if (reason !== 'Malformed') return ''
  const { value, whole } = find(tree, parseField(field))
  if (!whole || value.type !== 'scalar') return ''
  const { plain } = value
  if (plain !== undefined && isBooleanWord(plain)) {
    return ` Without quotes, YAML reads ${plain} as ${String(value.value)}; “${plain}” is the word.`
  }
  if (plain !== undefined && Number.isInteger(value.value)) return ` Without quotes it is a number; “${plain}” is text.`
  if (typeof value.value !== 'string' || plain !== undefined) return ''
  const meant = resolvePlain(value.value)
  return typeof meant === 'number' || typeof meant === 'boolean'
    ? ` In quotes it is text; without them it is ${meant}.`
    : ''
}

/** Target of a path: the value, and the key or list entry that it belongs to. */
interface Found {
  readonly value: Tree
  /** Absent at the top and in lists. */
  readonly key?: TextRange
  /** Whether the whole path exists, not only a parent. */
  readonly whole: boolean
}

/** v1 fields that had another name in a beta version (specification 1.3). */
const EARLIER_NAMES: ReadonlyMap<string, string> = new Map([['nominalConcurrencyShares', 'assuredConcurrencyShares']])

function find(tree: Tree, path: FieldPath): Found {
  let found: Found = { value: tree, whole: true }
  for (const step of path) {
    const next = child(found.value, step)
    if (next === undefined) return { ...found, whole: false }
    found = next
  }
  return found
}

function child(tree: Tree, step: string | number): Found | undefined {
  if (tree.type === 'list') {
    const value = typeof step === 'number' ? tree.items[step] : undefined
    return value === undefined ? undefined : { value, whole: true }
  }
  if (tree.type === 'scalar') return undefined
  const name = String(step)
  const entry = tree.entries.get(name) ?? tree.entries.get(EARLIER_NAMES.get(name) ?? name)
  return entry === undefined ? undefined : { value: entry.value, key: entry.key, whole: true }
}

/**
 * The range to point at for a field: the value of a scalar, the key of a map or list, the nearest parent of a missing
 * field. `atKey` points at the key in any case. For an object without a key (a document, a list entry) it is the first
 * key.
 */
export function locate(tree: Tree, field: string, atKey = false): TextRange {
  const { value, key, whole } = find(tree, parseField(field))
  if (key !== undefined && (atKey || !whole || value.type !== 'scalar')) return key
  if (value.type !== 'mapping') return value.type === 'scalar' ? value.range : firstOf(value.range)
  const [first] = value.entries.values()
  return first === undefined ? firstOf(value.range) : first.key
}

/** What findings about a text have in common, and the positions of its offsets. */
interface TextPlaces extends Pick<LocatedFinding, 'file' | 'kind' | 'name'> {
  readonly positionOf: (offset: number) => Position
}

/** A finding about a field, with its position and a hint about its spelling. */
export function located(tree: Tree, finding: Finding, { positionOf, ...about }: TextPlaces): LocatedFinding {
  const { from } = locate(tree, finding.field, finding.reason === 'FieldUnknown')
  return { ...finding, ...about, ...positionOf(from), message: finding.message + hintFor(tree, finding) }
}

/** A problem of the text itself, with its position. */
export const locatedProblem = (
  { at, path, ...problem }: TextProblem,
  { positionOf, ...about }: TextPlaces,
): LocatedFinding => ({ ...about, ...positionOf(at.from), field: fieldOf(path), ...problem })

const firstOf = ({ from, to }: TextRange): TextRange => ({ from, to: Math.min(from + 1, to) })

export const byPosition = (a: Position, b: Position): number => a.line - b.line || a.column - b.column

/** Values that are read of one text. */
const MOST_VALUES = 100_000

/** Every value but the first is behind one of these, in YAML and in JSON. */
const SEPARATORS = /[\n,[{]/g

/** Whether the texts may have more values together than are read at once. */
function areLarge(texts: readonly string[]): boolean {
  let count = 0
  for (const text of texts) {
    SEPARATORS.lastIndex = 0
    while (count <= MOST_VALUES && SEPARATORS.test(text)) count += 1
  }
  return count > MOST_VALUES
}

/** A document that may hold an object of the group or of its draft: by name, kind or field, or by an escape that may spell one. */
const OURS = new RegExp(
  String.raw`${GROUP.replaceAll('.', String.raw`\.`)}|${KINDS.join('|')}|RequestPriority|matchingPrecedence|distinguisherMethod|\\|^[%&*]`,
  'm',
)

/** Where a document begins: at its directives, of which there are two kinds. */
const DOCUMENT = /^(?:%.*\n){0,4}---(?=\s)/gm

/**
 * Reads a large YAML text document by document. Those that cannot hold a flow-control object are identified without
 * being parsed; the others are read if they are within the bound together.
 */
function ofLarge(text: string): readonly TextDocument[] {
  const starts = [0]
  for (const { index } of text.matchAll(DOCUMENT)) if (starts.push(index) > MOST_VALUES) return [TOO_LARGE]
  const others: TextDocument[] = []
  const ours: TextPart[] = []
  for (const [index, from] of starts.entries()) {
    const part = { text: text.slice(from, starts[index + 1]), from }
    if (OURS.test(part.text)) ours.push(part)
    else for (const other of identified(part)) others.push(other)
  }
  const read = areLarge(ours.map((part) => part.text)) ? [TOO_LARGE] : readYamlParts(ours)
  return read.includes(TOO_LARGE) ? read : [...others, ...read]
}

const KIND_OF = /^kind:[ \t]*["']?([\w.-]+)/m
const NAME_OF = /^metadata:[^\n]*\n(?:[ \t][^\n]*\n)*?[ \t]+name:[ \t]*["']?([^\s"']+)/m

/** Kind and name of a document, as a tree of nothing else. */
function identified({ text: part, from }: TextPart): readonly TextDocument[] {
  if (/^(?:---.*|\s*#.*|\s*)$/.test(part)) return []
  const range = { from, to: from + part.length }
  const mapping = (members: Readonly<Record<string, Tree | undefined>>): Tree => {
    const entries = Object.entries(members).flatMap(([key, value]): [string, Entry][] =>
      value === undefined ? [] : [[key, { key: range, value }]],
    )
    return { type: 'mapping', entries: new Map(entries), range, size: entries.length }
  }
  const text = (pattern: RegExp): Tree | undefined => {
    const value = pattern.exec(part)?.[1]
    return value === undefined ? undefined : { type: 'scalar', value, range, size: 1 }
  }
  return [{ tree: mapping({ kind: text(KIND_OF), metadata: mapping({ name: text(NAME_OF) }) }), problems: [] }]
}
