import { GROUP } from '../config/checkObject.ts'
import { KINDS } from '../config/objects.ts'
import { malformed, type Entry, type TextDocument, type Tree } from './tree.ts'
import { readYaml } from './yamlTree.ts'

/**
 * Values that are read of one text: more than the flow-control objects of any cluster have, and few enough that a file
 * from anybody is answered within two seconds and 300 MB.
 */
const MOST_VALUES = 100_000

/** A text that is not read, because it has too many values. */
export const TOO_LARGE: TextDocument = {
  problems: [
    malformed(
      { from: 0, to: 0 },
      `The text has more than ${MOST_VALUES} values and is not read. Export the flow-control objects alone: kubectl get flowschemas,prioritylevelconfigurations -o yaml.`,
    ),
  ],
}

/** Every value but the first is behind one of these, in YAML and in JSON. */
const SEPARATORS = /[\n,[{]/g

/** Whether the text may have more values than are read. */
export const isTooLarge = (text: string): boolean => valuesIn(text, MOST_VALUES) > MOST_VALUES

function valuesIn(text: string, most: number): number {
  let count = 0
  SEPARATORS.lastIndex = 0
  while (count <= most && SEPARATORS.test(text)) count += 1
  return count
}

/** A document that may hold an object of the group or of its draft: by name, kind or field, or by an escape that may spell one. */
const OURS = new RegExp(
  String.raw`${GROUP.replaceAll('.', String.raw`\.`)}|${KINDS.join('|')}|RequestPriority|matchingPrecedence|distinguisherMethod|\\|^[%&*]`,
  'm',
)

const DOCUMENT = /^---(?=\s)/gm

/**
 * Reads a large YAML text document by document. Those that cannot hold a flow-control object are identified without
 * being parsed; the others are read if they are within the bound together.
 */
export function ofLarge(text: string): readonly TextDocument[] {
  const starts = [0, ...Array.from(text.matchAll(DOCUMENT), ({ index }) => index)]
  const others: TextDocument[] = []
  let kept = ''
  for (const [index, from] of starts.entries()) {
    const part = text.slice(from, starts[index + 1])
    if (OURS.test(part)) {
      // Offsets stay those of the whole text.
      kept += `${' '.repeat(Math.max(0, from - kept.length - 1))}${kept.length < from ? '\n' : ''}${part}`
    } else for (const added of identified(part, from)) others.push(added)
  }
  return isTooLarge(kept) ? [TOO_LARGE] : [...others, ...readYaml(kept)]
}

const KIND_OF = /^kind:[ \t]*["']?([\w.-]+)/m
const NAME_OF = /^metadata:[^\n]*\n(?:[ \t][^\n]*\n)*?[ \t]+name:[ \t]*["']?([^\s"']+)/m

/** Kind and name of a document, as a tree of nothing else. */
function identified(part: string, from: number): readonly TextDocument[] {
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
