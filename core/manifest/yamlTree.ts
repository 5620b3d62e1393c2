import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type CST,
  type Document,
  type Node,
  type Pair,
  type Scalar,
} from 'yaml'
import { quoted } from '../config/finding.ts'
import type { FieldPath } from './json.ts'
import type { TextRange } from './manifest.ts'
import { isOctal, resolvePlain } from './syntax.ts'
import {
  malformed,
  MOST_NESTED,
  NESTED_TOO_DEEP,
  sizeOf,
  TOO_LARGE,
  type Entry,
  type TextDocument,
  type TextProblem,
  type Tree,
} from './tree.ts'
import { messageOf } from '../errors.ts'

/** Values that aliases may add to a document. A legitimate manifest repeats a list of subjects, not millions. */
const MOST_REPEATED = 10_000

const PREFIX = 'tag:yaml.org,2002:'

/**
 * Words, indicators and spaces that are read of one text: more than those of the flow-control objects of any cluster,
 * and few enough that a text from anybody is answered within two seconds and 300 MB.
 */
const MOST_LEXEMES = 600_000
/** A long word takes thirty times its length for a moment. */
const MOST_CHARACTERS = 4 * 1024 * 1024

class TooLarge extends Error {}

/** Engines other than V8 have no such limit. */
const TRACES: ErrorConstructor & { stackTraceLimit?: number | undefined } = Error

/** Reads every document of a YAML text like kubectl and the API server. Never throws. */
export const readYaml = (text: string): readonly TextDocument[] => readYamlParts([{ text, from: 0 }])

/** Reads parts of one text, each of whole documents that begin at an offset of it. Never throws. */
export function readYamlParts(parts: readonly TextPart[]): readonly TextDocument[] {
  const documents: TextDocument[] = []
  const budget = { lexemes: MOST_LEXEMES, characters: MOST_CHARACTERS }
  const { stackTraceLimit } = TRACES
  try {
    // Of a text without sense each word is an error, and their traces would take most of the time and memory.
    TRACES.stackTraceLimit = 0
    for (const part of parts) {
      // Every plain word stays a string here; `syntax.ts` interprets it.
      const composer = new Composer({ schema: 'failsafe', uniqueKeys: false })
      for (const document of composer.compose(tokensOf(part, budget))) documents.push(readDocument(document, part))
    }
    return documents
  } catch (error) {
    if (error instanceof TooLarge) return [TOO_LARGE]
    const why = error instanceof RangeError ? NESTED_TOO_DEEP : `The text cannot be read as YAML: ${messageOf(error)}.`
    return [{ problems: [malformed({ from: 0, to: 0 }, why)] }]
  } finally {
    TRACES.stackTraceLimit = stackTraceLimit
  }
}

/** A part of a text, and where it begins there. */
export interface TextPart {
  readonly text: string
  readonly from: number
}

function* tokensOf(
  { text, from }: TextPart,
  budget: { lexemes: number; characters: number },
): Generator<CST.Token, void> {
  const parser = new Parser()
  parser.offset = from
  budget.characters -= text.length
  if (budget.characters < 0) throw new TooLarge()
  for (const lexeme of new Lexer().lex(text)) {
    budget.lexemes -= 1
    if (budget.lexemes < 0) throw new TooLarge()
    yield* parser.next(lexeme)
  }
  yield* parser.end()
}

function readDocument(document: Document.Parsed, part: TextPart): TextDocument {
  const [error] = document.errors
  // Errors after the first one in a document are its consequences.
  if (error !== undefined) {
    const [from, to] = error.pos
    const tabs = error.code === 'TAB_AS_INDENT'
    const message = tabs
      ? 'A tab is used as indentation, which YAML does not allow; indent with spaces.'
      : // The library overflowed the stack, far beyond the nesting limit of the tree.
        error.code === 'RESOURCE_EXHAUSTION'
        ? NESTED_TOO_DEEP
        : `This is not valid YAML: ${sentence(error.message)}`
    const tab = part.text.lastIndexOf('\t', from - part.from)
    const at = tabs ? { from: part.from + Math.max(0, tab), to: from } : { from, to }
    return { problems: [malformed(at, message)] }
  }
  // A document without content is absent, not null: a file may begin or end with `---`.
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.source === '' && contents.type === 'PLAIN')) {
    return { problems: [] }
  }
  const reader = new TreeReader(part)
  const tree = reader.read(contents, [], 0)
  return reader.unusable ? { problems: reader.problems } : { tree, problems: reader.problems }
}

const sentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`)

const NOTHING: Tree = { type: 'scalar', value: null, range: { from: 0, to: 0 }, size: 1 }

/** An escape of JSON and YAML 1.2, behind an even number of backslashes. */
const ESCAPED_SLASH = /(?<!\\)(?:\\\\)*\\\//

class TreeReader {
  readonly #part: TextPart
  readonly problems: TextProblem[] = []
  /** Set when the document yields no value. */
  unusable = false
  readonly #anchors = new Map<string, Tree | 'open'>()
  #repeated = 0

  constructor(part: TextPart) {
    this.#part = part
  }

  read(node: Node | null, path: FieldPath, depth: number): Tree {
    if (node === null) return NOTHING
    const range = rangeOf(node)
    if (depth > MOST_NESTED) return this.#refuse(range, path, NESTED_TOO_DEEP)
    if (isAlias(node)) return this.#alias(node.source, range, path)
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, 'open')
    const tree = this.#value(node, range, path, depth)
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, tree)
    return tree
  }

  #value(node: Node, range: TextRange, path: FieldPath, depth: number): Tree {
    if (isMap(node)) return this.#mapping(node.items, range, path, depth)
    if (isSeq<Node | null>(node)) {
      const items = node.items.map((item, index) => this.read(item, [...path, index], depth + 1))
      return { type: 'list', items, range, size: sizeOf(items) }
    }
    return isScalar(node) ? this.#scalar(node, range, path) : NOTHING
  }

  #scalar(node: Scalar, range: TextRange, path: FieldPath): Tree {
    const text = typeof node.value === 'string' ? node.value : ''
    const { text: whole, from } = this.#part
    if (node.type === 'QUOTE_DOUBLE' && ESCAPED_SLASH.test(whole.slice(range.from - from, range.to - from))) {
      return this.#refuse(range, path, 'The API server reads YAML 1.1, which has no escape \\/: write / alone.')
    }
    if (node.tag === `${PREFIX}binary`) {
      const value = decodeBase64(node.source ?? '')
      if (value !== undefined) return { type: 'scalar', value, range, size: 1 }
      return this.#refuse(range, path, 'The value is tagged as binary, and is not base64.')
    }
    const untagged = node.tag === undefined
    const resolved = node.tag?.startsWith(PREFIX) === true && /:(?:int|float|bool|null)$/.test(node.tag)
    const plain = node.type === 'PLAIN' && untagged
    const value = plain || resolved ? resolvePlain(text) : text
    if (resolved && typeof value === 'string') {
      return this.#refuse(range, path, `${quoted(text)} does not match its tag (${node.tag?.slice(PREFIX.length)}).`)
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      return this.#refuse(range, path, `${text} is a number that JSON does not have; write it in quotes if it is text.`)
    }
    if (typeof value === 'number' && plain && isOctal(text)) {
      this.problems.push({
        at: range,
        path,
        reason: 'FieldValueInvalid',
        severity: 'warning',
        message: `${text} is octal in YAML and means ${value}; write it without the leading zero.`,
      })
    }
    return { type: 'scalar', value, range, size: 1, ...(plain && { plain: text }) }
  }

  #mapping(pairs: readonly Pair[], range: TextRange, path: FieldPath, depth: number): Tree {
    const entries = new Map<string, Entry>()
    const written = new Set<string>()
    for (const pair of pairs) {
      const key = asNode(pair.key)
      const at = key === null ? { from: range.from, to: range.from + 1 } : rangeOf(key)
      const name = this.#key(key, at, path)
      if (name === undefined) continue
      const valuePath = [...path, name]
      const value = this.read(asNode(pair.value), valuePath, depth + 1)
      // A missing value after a key is null, at the position of the key.
      const here = value === NOTHING ? { ...NOTHING, range: at } : value
      if (name === '<<' && isScalar(key) && key.type === 'PLAIN') {
        this.#merge(here, at, entries, written, path)
        continue
      }
      if (written.has(name)) {
        this.problems.push({
          at,
          path: valuePath,
          reason: 'FieldValueDuplicate',
          severity: 'error',
          message: `Duplicate key ${quoted(name)}. A server with strict validation rejects it, kubectl uses the last one. Remove one.`,
        })
      }
      written.add(name)
      entries.set(name, { key: at, value: here })
    }
    return { type: 'mapping', entries, range, size: sizeOf([...entries.values()].map(({ value }) => value)) }
  }

  /** Numbers and booleans as keys are written as in JSON: `on:` is the key `true`. */
  #key(node: Node | null, at: TextRange, path: FieldPath): string | undefined {
    const tree = isScalar(node) || isAlias(node) ? this.read(node, path, 0) : NOTHING
    if (tree.type === 'scalar' && tree.value !== null) return String(tree.value)
    this.#refuse(at, path, 'A key must be a string, number or boolean.')
    return undefined
  }

  /** Merge keys as in kubectl: unlike in other readers, they override members before them. Members after them win. */
  #merge(tree: Tree, at: TextRange, into: Map<string, Entry>, written: ReadonlySet<string>, path: FieldPath): void {
    const sources = tree.type === 'list' ? tree.items.toReversed() : [tree]
    for (const source of sources) {
      if (source.type !== 'mapping') {
        this.#refuse(tree.range, path, 'A merge key (<<) needs a map or a list of maps.')
        return
      }
      for (const [name, entry] of source.entries) {
        into.set(name, entry)
        if (!written.has(name)) continue
        const message = `kubectl reads ${quoted(name)} from this merge key, other tools from the line before: put << first.`
        this.problems.push({ at, path: [...path, name], reason: 'FieldValueDuplicate', severity: 'warning', message })
      }
    }
  }

  #alias(name: string, range: TextRange, path: FieldPath): Tree {
    const tree = this.#anchors.get(name)
    if (tree === undefined) return this.#refuse(range, path, `There is no anchor &${name} before this alias.`)
    if (tree === 'open') return this.#refuse(range, path, `The anchor &${name} contains itself.`)
    this.#repeated += tree.size
    if (this.#repeated <= MOST_REPEATED) return tree
    return this.#refuse(
      range,
      path,
      `The aliases repeat more than ${MOST_REPEATED} values; write the values out instead.`,
    )
  }

  /** Reports one problem only: further ones are consequences. */
  #refuse(at: TextRange, path: FieldPath, message: string): Tree {
    if (!this.unusable) this.problems.push(malformed(at, message, path))
    this.unusable = true
    return { ...NOTHING, range: at }
  }
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Text in standard base64 with padding; `undefined` if it is not base64 of UTF-8. */
function decodeBase64(text: string): string | undefined {
  const joined = text.replaceAll(/[\r\n]/g, '')
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(joined)) return undefined
  const bits = Array.from(joined.replaceAll('=', ''), (letter) => BASE64.indexOf(letter).toString(2).padStart(6, '0'))
  const bytes = bits.join('').match(/[01]{8}/g) ?? []
  try {
    return decodeURIComponent(
      bytes.map((byte) => `%${Number.parseInt(byte, 2).toString(16).padStart(2, '0')}`).join(''),
    )
  } catch {
    return undefined
  }
}

/** The library types the parts of a pair as unknown; in a parsed document each is a node or absent. */
const asNode = (value: unknown): Node | null =>
  isScalar(value) || isMap(value) || isSeq(value) || isAlias(value) ? value : null

function rangeOf(node: Node): TextRange {
  const [from, to] = node.range ?? [0, 0]
  return { from, to }
}
