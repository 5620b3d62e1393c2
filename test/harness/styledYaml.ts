import fc from 'fast-check'
import { isList, isMap, type Json, type JsonMap, type FieldPath } from '../../core/manifest/json.ts'
import { resolvePlain } from '../../core/manifest/syntax.ts'
import { jsonOf } from '../../core/manifest/tree.ts'
import { readYaml } from '../../core/manifest/yamlTree.ts'

/** A YAML text in any style that people write, with its value and the value that each comment belongs to. */
export interface StyledYaml {
  readonly text: string
  readonly value: Json
  readonly comments: readonly { readonly label: string; readonly path: FieldPath }[]
}

/** The value of a text with one document. */
export function readStyled(text: string): unknown {
  const [document, ...others] = readYaml(text)
  if (document === undefined || document.problems.length > 0 || others.length > 0) {
    throw new Error(`${JSON.stringify(document?.problems)} in ${JSON.stringify(text)}`)
  }
  return document.tree === undefined ? null : jsonOf(document.tree)
}

const KEYS = [
  'apiVersion',
  'kind',
  'metadata',
  'name',
  'labels',
  'spec',
  'type',
  'rules',
  'subjects',
  'verbs',
  'a b',
  'yes',
  '0',
]
const WORDS = [
  'devs',
  'system:nodes',
  '/healthz',
  'a b',
  'on',
  '*',
  '',
  '12',
  'it’s',
  "it's",
  '# x',
  'a: b',
  '- a',
  'two\nlines\n',
]
const scalar = fc.oneof(fc.constantFrom(...WORDS), fc.integer(), fc.boolean(), fc.constant(null))

const { map } = fc.letrec<{ map: Json; value: Json }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, tie('map'), fc.array(tie('value'), { maxLength: 3 })),
  map: fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 4 }),
}))

/** A stream of choices, so that every part of the text may have a style of its own. */
export const styledYaml: fc.Arbitrary<StyledYaml> = fc
  .tuple(map, fc.array(fc.nat(11), { minLength: 40, maxLength: 40 }), fc.boolean())
  .map(([value, choices, crlf]) => new Styler(choices).write(value, crlf))

class Styler {
  readonly #choices: readonly number[]
  #next = 0
  readonly #comments: { label: string; path: FieldPath }[] = []

  constructor(choices: readonly number[]) {
    this.#choices = choices
  }

  write(value: Json, crlf: boolean): StyledYaml {
    const head = this.#one(3) ? ['---'] : []
    const lines = [...head, ...this.#block(value, [], 0)]
    const text = lines.join('\n') + (this.#one(4) ? '' : '\n')
    return { text: crlf ? text.replaceAll('\n', '\r\n') : text, value, comments: this.#comments }
  }

  /** True once in `of` times. */
  #one(of: number): boolean {
    const choice = this.#choices[this.#next % this.#choices.length] ?? 0
    this.#next += 1
    return (choice + this.#next) % of === 0
  }

  #comment(path: FieldPath): string {
    const label = `#note${this.#comments.length}`
    this.#comments.push({ label, path })
    return label
  }

  #above(path: FieldPath, pad: string): readonly string[] {
    return [...(this.#one(9) ? [''] : []), ...(this.#one(4) ? [pad + this.#comment(path)] : [])]
  }
  #behind(path: FieldPath): string {
    return this.#one(4) ? ` ${this.#comment(path)}` : ''
  }

  #block(value: Json, path: FieldPath, column: number): readonly string[] {
    const pad = ' '.repeat(column)
    if (isMap(value) && Object.keys(value).length > 0) {
      return Object.entries(value).flatMap(([key, member]) => {
        const at = [...path, key]
        const above = this.#above(at, pad)
        return [
          ...above,
          ...this.#entry(
            `${pad}${plainOrQuoted(key)}:`,
            member,
            at,
            column + (this.#one(2) || !isList(member) ? 2 : 0),
          ),
        ]
      })
    }
    if (isList(value) && value.length > 0) {
      return value.flatMap((item, index) => {
        const at = [...path, index]
        const above = this.#above(at, pad)
        if (isMap(item) && Object.keys(item).length > 0 && this.#one(2)) {
          const [first = '', ...others] = this.#compact(item, at, column + 2)
          return [...above, `${pad}- ${first.slice(column + 2)}`, ...others]
        }
        return [...above, ...this.#entry(`${pad}-`, item, at, column + 2)]
      })
    }
    return [pad + this.#flow(value)]
  }

  /** A map that begins after the dash: nothing is above its first member. */
  #compact(members: JsonMap, path: FieldPath, column: number): readonly string[] {
    const pad = ' '.repeat(column)
    return Object.entries(members).flatMap(([key, member], index) => {
      const at = [...path, key]
      return [
        ...(index === 0 ? [] : this.#above(at, pad)),
        ...this.#entry(`${pad}${plainOrQuoted(key)}:`, member, at, column + 2),
      ]
    })
  }

  #entry(head: string, value: Json, path: FieldPath, column: number): readonly string[] {
    const nested = (isMap(value) && Object.keys(value).length > 0) || (isList(value) && value.length > 0)
    if (nested && !this.#one(4)) return [head + this.#behind(path), ...this.#block(value, path, column)]
    if (typeof value === 'string' && /^\w+\n\w+\n$/.test(value)) {
      return [
        `${head} |`,
        ...value
          .trimEnd()
          .split('\n')
          .map((line) => ' '.repeat(column + 2) + line),
      ]
    }
    return [`${head} ${this.#flow(value)}${this.#behind(path)}`]
  }

  #flow(value: Json): string {
    if (isMap(value)) {
      const members = Object.entries(value).map(([key, member]) => `${plainOrQuoted(key)}: ${this.#flow(member)}`)
      return this.#one(2) ? `{${members.join(', ')}}` : `{ ${members.join(' , ')} }`
    }
    if (isList(value)) {
      const items = value.map((item) => this.#flow(item))
      return this.#one(2) ? `[${items.join(', ')}]` : `[ ${items.join(',')} ]`
    }
    if (typeof value !== 'string') return String(value)
    if (this.#one(3)) return JSON.stringify(value)
    return value.includes('\n') ? JSON.stringify(value) : plainOrQuoted(value)
  }
}

const plainOrQuoted = (text: string): string =>
  /^[A-Za-z/][\w/]*$/.test(text) && resolvePlain(text) === text ? text : `'${text.replaceAll("'", "''")}'`
