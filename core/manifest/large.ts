import { GROUP } from '../config/checkObject.ts'
import { KINDS } from '../config/objects.ts'
import { TOO_LARGE, type Entry, type TextDocument, type Tree } from './tree.ts'
import { readYamlParts, type TextPart } from './yamlTree.ts'

/** Values that are read of one text. */
const MOST_VALUES = 100_000

/** Every value but the first is behind one of these, in YAML and in JSON. */
const SEPARATORS = /[\n,[{]/g

/** Whether the texts may have more values together than are read at once. */
export function areLarge(texts: readonly string[]): boolean {
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
export function ofLarge(text: string): readonly TextDocument[] {
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
