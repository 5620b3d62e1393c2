import { CST, Parser } from 'yaml'

/**
 * How a YAML (or JSON) text spells its value: where each entry begins and ends. Offsets are UTF-16 code units; `to` is
 * the end of the content, excluding the rest of the line.
 */
export type Syntax =
  /** Includes aliases: they have no entries of their own. */
  | { readonly type: 'scalar'; readonly from: number; readonly to: number }
  | {
      readonly type: 'map' | 'list'
      /** In brackets or braces. */
      readonly flow: boolean
      readonly from: number
      readonly to: number
      readonly entries: readonly SyntaxEntry[]
    }
export type Container = Extract<Syntax, { type: 'map' | 'list' }>

/** A member of a map or an item of a list. */
export interface SyntaxEntry {
  /** The JSON key; absent in lists. */
  readonly key?: string
  /** Of the key or the dash; in flow style, of the item. */
  readonly from: number
  /** After the colon or the dash; in flow style, after the colon, after the key, or at the item. */
  readonly headEnd: number
  /** Whether there is a colon. */
  readonly colon: boolean
  readonly value?: Syntax
  /** Where the value begins, including its anchor and tag. */
  readonly valueFrom: number
  readonly to: number
  /** The comma before it, in flow style. */
  readonly comma?: number
}

/** The only document of a text; `empty` when none has content, `several` when there are more. */
export function syntaxOf(text: string): Syntax | 'empty' | 'several' {
  const found: Syntax[] = []
  for (const token of new Parser().parse(text)) {
    if (token.type !== 'document' || token.value === undefined) continue
    const syntax = read(token.value)
    // A document marker without content has an empty scalar.
    if (syntax !== undefined && syntax.to > syntax.from) found.push(syntax)
  }
  const [first] = found
  if (first === undefined) return 'empty'
  return found.length === 1 ? first : 'several'
}

/** Matched only from the first line end of a row, so a long row costs linear time, not quadratic. */
const FINAL_LINE_ENDS = /(?<!\n)(?<!\r(?=\n))(?:\r?\n)+$/

function read(token: CST.Token): Syntax | undefined {
  switch (token.type) {
    case 'alias':
    case 'scalar':
    case 'single-quoted-scalar':
    case 'double-quoted-scalar':
      return { type: 'scalar', from: token.offset, to: token.offset + token.source.length }
    case 'block-scalar': {
      const header = token.props.reduce((length, prop) => length + ('source' in prop ? prop.source.length : 0), 0)
      const end = token.offset + header + token.source.replace(FINAL_LINE_ENDS, '').length
      return { type: 'scalar', from: token.offset, to: end }
    }
    case 'block-map':
    case 'block-seq':
      return readBlock(token)
    case 'flow-collection':
      return readFlow(token)
    default:
      return undefined
  }
}

function readBlock(token: CST.BlockMap | CST.BlockSequence): Syntax {
  const isMap = token.type === 'block-map'
  const entries = token.items.flatMap((item): SyntaxEntry[] => {
    const key = item.key ?? undefined
    const head = isMap ? key : item.start.find(({ type }) => type === 'seq-item-ind')
    if (head === undefined || (isMap && key === undefined)) return []
    const explicit = item.start.find(({ type }) => type === 'explicit-key-ind')
    return [readEntry(item, isMap, (explicit ?? head).offset)]
  })
  const last = entries.at(-1)
  return {
    type: isMap ? 'map' : 'list',
    flow: false,
    from: token.offset,
    to: last?.to ?? token.offset,
    entries,
  }
}

function readFlow(token: CST.FlowCollection): Syntax {
  const isMap = token.start.type === 'flow-map-start'
  const entries = token.items.flatMap((item): SyntaxEntry[] => {
    const first = item.key ?? item.value
    if (first === undefined || first === null) return []
    const from = item.start.find(({ type }) => type === 'anchor' || type === 'tag')?.offset ?? first.offset
    const comma = item.start.find(({ type }) => type === 'comma')?.offset
    return [{ ...readEntry(item, isMap, from), ...(comma !== undefined && { comma }) }]
  })
  const [close] = token.end
  return {
    type: isMap ? 'map' : 'list',
    flow: true,
    from: token.offset,
    to: close === undefined ? token.offset : close.offset + close.source.length,
    entries,
  }
}

function readEntry(item: CST.CollectionItem, inMap: boolean, from: number): SyntaxEntry {
  const before = inMap ? (item.sep ?? []) : item.start
  const mark = before.findLast(({ type }) => type === (inMap ? 'map-value-ind' : 'seq-item-ind'))
  const key = inMap && item.key !== undefined && item.key !== null ? item.key : undefined
  const keyEnd = key === undefined ? from : endOf(key)
  const headEnd = mark === undefined ? keyEnd : mark.offset + 1
  const value = item.value === undefined ? undefined : read(item.value)
  const present = value !== undefined && value.to > value.from ? value : undefined
  const properties = before.find(({ type, offset }) => offset >= headEnd && (type === 'anchor' || type === 'tag'))
  return {
    ...(inMap && { key: keyOf(key) }),
    from,
    headEnd,
    colon: inMap && mark !== undefined,
    ...(present !== undefined && { value: present }),
    valueFrom: properties?.offset ?? present?.from ?? headEnd,
    to: present?.to ?? (properties === undefined ? headEnd : properties.offset + properties.source.length),
  }
}

const endOf = (token: CST.Token): number => read(token)?.to ?? token.offset

/** A key that is not a scalar (`? [a]`) cannot be addressed and gets a name that no field has. */
function keyOf(token: CST.Token | undefined): string {
  const scalar = token === undefined ? null : CST.resolveAsScalar(token)
  if (scalar === null) return '\0'
  return scalar.type === 'PLAIN' ? String(resolvePlain(scalar.value)) : scalar.value
}

/** Start of a replacement value: after an anchor, which aliases need, but over a tag, which describes the old value. */
export function behindAnchor(text: string, { value, valueFrom }: SyntaxEntry): number {
  const properties = text.slice(valueFrom, value?.from ?? valueFrom)
  return /^&\S+[ \t]+$/.test(properties) ? valueFrom + properties.length : valueFrom
}

/** Replaces the text between two offsets. */
export interface Splice {
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * Applies splices to the text from which they were made. Of two that touch the same place, the one earlier in the list
 * is applied; the other is left for another pass.
 */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const taken: Splice[] = []
  for (const splice of splices) {
    if (taken.every((other) => splice.from > other.to || splice.to < other.from)) taken.push(splice)
  }
  let edited = text
  for (const { from, to, text: inserted } of taken.toSorted((a, b) => b.from - a.from)) {
    edited = edited.slice(0, from) + inserted + edited.slice(to)
  }
  return edited
}

/** Offset of the end of the line that holds an offset, before its line break. */
export function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset)
  const end = newline === -1 ? text.length : newline
  return end > offset && text[end - 1] === '\r' ? end - 1 : end
}

/** Offset of the line after the one that holds an offset, or of the end of the text. */
export function nextLine(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset)
  return newline === -1 ? text.length : newline + 1
}

export const lineStart = (text: string, offset: number): number => {
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
  return text[start] === '\uFEFF' ? start + 1 : start
}

export const lineBreakOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

/**
 * How the YAML reader of kubectl and of the API server interprets an unquoted word. It is YAML 1.1, except for base 60
 * and dates, which stay strings: `on` is true, `0700` is 448, `7_00` is 700. Measured with kubectl v1.36.3.
 */
export function resolvePlain(source: string): null | boolean | number | string {
  if (NULLS.has(source)) return null
  if (TRUES.has(source)) return true
  if (FALSES.has(source)) return false
  return numberOf(source) ?? source
}

/** Words that YAML 1.1 reads as a boolean but most people read as a word. */
export const isBooleanWord = (source: string): boolean => BOOLEAN_WORD.test(source)

const BOOLEAN_WORD = /^(?:y|yes|on|n|no|off)$/i
const NULLS = new Set(['', '~', 'null', 'Null', 'NULL'])
const TRUES = new Set(['true', 'True', 'TRUE', 'y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'])
const FALSES = new Set(['false', 'False', 'FALSE', 'n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'])

const INFINITIES = new Map([
  ['.inf', Infinity],
  ['.Inf', Infinity],
  ['.INF', Infinity],
  ['+.inf', Infinity],
  ['+.Inf', Infinity],
  ['+.INF', Infinity],
  ['-.inf', -Infinity],
  ['-.Inf', -Infinity],
  ['-.INF', -Infinity],
  ['.nan', NaN],
  ['.NaN', NaN],
  ['.NAN', NaN],
])

const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/
const BASES: readonly (readonly [RegExp, number])[] = [
  [/^0[xX]([\da-fA-F]+)$/, 16],
  [/^0[bB]([01]+)$/, 2],
  [/^0[oO]?([0-7]+)$/, 8],
]

function numberOf(source: string): number | undefined {
  const special = INFINITIES.get(source)
  if (special !== undefined) return special
  if (!/^[-+.\d]/.test(source)) return undefined
  const digits = source.startsWith('.') ? source : source.replaceAll('_', '')
  const negative = digits.startsWith('-')
  const unsigned = digits.replace(/^[-+]/, '')
  for (const [pattern, base] of BASES) {
    const found = pattern.exec(unsigned)?.[1]
    if (found !== undefined) return (negative ? -1 : 1) * parseInt(found, base)
  }
  if (!FLOAT.test(digits)) return undefined
  const number = Number(digits)
  // A number out of the range of a double stays a string.
  return Number.isFinite(number) ? number : undefined
}

/** Whether a number is not the decimal number that it appears to be: octal, as in `0700`. */
export const isOctal = (source: string): boolean => /^[-+]?0[0-7]+$/.test(source.replaceAll('_', ''))
