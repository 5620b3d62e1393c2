import { quoted } from '../config/finding.ts'
import { parseJson } from '../text/text.ts'
import type { FieldPath } from './json.ts'
import {
  BYTE_ORDER_MARK,
  malformed,
  MOST_NESTED,
  NESTED_TOO_DEEP,
  sizeOf,
  type Entry,
  type TextDocument,
  type TextProblem,
  type Tree,
} from './tree.ts'

/** Reads a JSON text: one value, or several in a row. Keeps the values before the first syntax error. Never throws. */
export function readJson(text: string): readonly TextDocument[] {
  const reader = new JsonReader(text)
  const documents: TextDocument[] = []
  while (!reader.atEnd()) {
    try {
      const tree = reader.value([], 0)
      documents.push({ tree, problems: reader.takeProblems() })
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      const at = { from: error.at, to: Math.min(error.at + 1, text.length) }
      return [...documents, { problems: [malformed(at, error.message)] }]
    }
  }
  return documents
}

/** Thrown and caught in this module only. */
class JsonError extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

const SPACE = /[ \t\r\n]*/y
const QUOTE = /["\\\n]/g
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y

class JsonReader {
  readonly #text: string
  #at: number
  #problems: TextProblem[] = []

  constructor(text: string) {
    this.#text = text
    this.#at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0
  }

  atEnd(): boolean {
    this.#take(SPACE)
    return this.#at >= this.#text.length
  }

  takeProblems(): readonly TextProblem[] {
    const problems = this.#problems
    this.#problems = []
    return problems
  }

  value(path: FieldPath, depth: number): Tree {
    this.#take(SPACE)
    if (depth > MOST_NESTED) throw this.#error(NESTED_TOO_DEEP)
    const from = this.#at
    const next = this.#text[from]
    if (next === '{') return this.#mapping(path, depth)
    if (next === '[') return this.#list(path, depth)
    const value = next === '"' ? this.#string() : this.#word()
    const written = this.#text.slice(from, this.#at)
    const fraction = Number.isInteger(value) && /[.eE]/.test(written) ? { fraction: written } : {}
    return { type: 'scalar', value, range: { from, to: this.#at }, size: 1, ...fraction }
  }

  #mapping(path: FieldPath, depth: number): Tree {
    const from = this.#at
    const entries = new Map<string, Entry>()
    this.#at += 1
    if (!this.#skip('}')) {
      do {
        this.#take(SPACE)
        const at = this.#at
        if (this.#text[at] !== '"') throw this.#error(this.#found('a key in double quotes'))
        const name = this.#string()
        const key = { from: at, to: this.#at }
        if (!this.#skip(':')) throw this.#error(this.#found(`a colon after ${quoted(name)}`))
        if (entries.has(name)) {
          this.#problems.push({
            at: key,
            path: [...path, name],
            reason: 'FieldValueDuplicate',
            severity: 'error',
            message: `Duplicate key ${quoted(name)}. A server with strict validation rejects it. Remove one.`,
          })
        }
        entries.set(name, { key, value: this.value([...path, name], depth + 1) })
      } while (this.#skip(','))
      if (!this.#skip('}')) throw this.#error(this.#found('a comma or }'))
    }
    const size = sizeOf([...entries.values()].map(({ value }) => value))
    return { type: 'mapping', entries, range: { from, to: this.#at }, size }
  }

  #list(path: FieldPath, depth: number): Tree {
    const from = this.#at
    const items: Tree[] = []
    this.#at += 1
    if (!this.#skip(']')) {
      do items.push(this.value([...path, items.length], depth + 1))
      while (this.#skip(','))
      if (!this.#skip(']')) throw this.#error(this.#found('a comma or ]'))
    }
    return { type: 'list', items, range: { from, to: this.#at }, size: sizeOf(items) }
  }

  #word(): number | boolean | null {
    const word = this.#take(WORD)
    if (word === undefined) throw this.#error(this.#found('a value'))
    if (word === 'null') return null
    return word === 'true' || word === 'false' ? word === 'true' : Number(word)
  }

  #string(): string {
    const from = this.#at
    QUOTE.lastIndex = from + 1
    let found = QUOTE.exec(this.#text)
    while (found?.[0] === '\\') {
      QUOTE.lastIndex += 1
      found = QUOTE.exec(this.#text)
    }
    const value = found?.[0] === '"' ? parseJson(this.#text.slice(from, QUOTE.lastIndex)) : undefined
    if (typeof value !== 'string')
      throw this.#error('This string does not end on its line, or contains unescaped characters.')
    this.#at = QUOTE.lastIndex
    return value
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #skip(character: string): boolean {
    this.#take(SPACE)
    if (this.#text[this.#at] !== character) return false
    this.#at += 1
    return true
  }

  #found(expected: string): string {
    const character = this.#text[this.#at]
    const found = character === undefined ? 'the text ends' : `there is ${quoted(character)}`
    return `This is not valid JSON: ${found} where ${expected} should be.`
  }

  #error(message: string): JsonError {
    return new JsonError(this.#at, message)
  }
}
