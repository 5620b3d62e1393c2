import { type FieldPath, isList, isMap, sameJson, type Json, type JsonList, type JsonMap } from './json.ts'
import { byApiOrder, emitItem, emitMember, emitValue, emitFlow, emitString } from './write.ts'
import {
  type Splice,
  type Container,
  type Syntax,
  type SyntaxEntry,
  lineBreakOf,
  lineEnd,
  lineStart,
  nextLine,
  behindAnchor,
} from './syntax.ts'

/** The text that is edited. */
export interface Source {
  readonly text: string
  readonly style: FlowStyle
}

/** Splices that move the value of a container closer to the wanted one. Values are as the text defines them. */
export function differences(source: Source, container: Container, current: Json, wanted: Json): readonly Splice[] {
  if (container.type === 'map' && isMap(current) && isMap(wanted)) return inMap(source, container, current, wanted)
  if (container.type === 'list' && isList(current) && isList(wanted)) return inList(source, container, current, wanted)
  return []
}

function inMap(source: Source, container: Container, current: JsonMap, wanted: JsonMap): readonly Splice[] {
  const changed = Object.entries(wanted).flatMap(([key, value]) => {
    const entry = container.entries.findLast((candidate) => candidate.key === key)
    if (entry !== undefined) return change(source, container, entry, current[key], value)
    // A member from a merge key has no entry of its own.
    if (Object.hasOwn(current, key) && sameJson(current[key] ?? null, value)) return []
    const place = container.entries.findLast((candidate) => byApiOrder(candidate.key ?? '', key) <= 0)
    return [insert(source, container, place ?? container.entries[0], [{ key, value }])]
  })
  const gone = container.entries.filter(({ key = '' }) => Object.hasOwn(current, key) && !Object.hasOwn(wanted, key))
  return [...changed, ...gone.map((entry) => remove(source, container, entry))]
}

function inList(source: Source, container: Container, current: JsonList, wanted: JsonList): readonly Splice[] {
  const { entries } = container
  return gapsBetween(current, wanted).flatMap(({ from, to, wantedFrom, wantedTo }) => {
    const paired = Math.min(to - from, wantedTo - wantedFrom)
    const changed = entries
      .slice(from, from + paired)
      .flatMap((entry, index) =>
        change(source, container, entry, current[from + index], wanted[wantedFrom + index] ?? null),
      )
    const gone = entries.slice(from + paired, to).map((entry) => remove(source, container, entry))
    const added = wanted.slice(wantedFrom + paired, wantedTo).map((value) => ({ value }))
    return added.length === 0
      ? [...changed, ...gone]
      : [...changed, insert(source, container, entries[from + paired - 1], added)]
  })
}

function change(
  source: Source,
  container: Container,
  entry: SyntaxEntry,
  current: Json | undefined,
  wanted: Json,
): readonly Splice[] {
  if (current !== undefined && sameJson(current, wanted)) return []
  const inner = entry.value
  if (inner !== undefined && current !== undefined && canDescend(inner, current, wanted)) {
    return differences(source, inner, current, wanted)
  }
  return [
    container.flow
      ? replaceInFlow(source.text, container, entry, wanted, source.style)
      : replaceInBlock(source.text, entry, wanted),
  ]
}

/** A container that is empty before or after is rewritten. An alias has no entries to descend to. */
function canDescend(inner: Syntax, current: Json, wanted: Json): inner is Container {
  if (inner.type === 'scalar' || inner.entries.length === 0) return false
  if (isMap(current) && isMap(wanted)) return Object.keys(wanted).length > 0
  return isList(current) && isList(wanted) && wanted.length > 0
}

const insert = (
  { text, style }: Source,
  container: Container,
  after: SyntaxEntry | undefined,
  added: readonly { readonly key?: string; readonly value: Json }[],
): Splice =>
  container.flow ? insertInFlow(text, container, after, added, style) : insertInBlock(text, container, after, added)

/** Removes the target of a path if it is an entry of its own and not the only one. */
export function removal(source: Source, root: Syntax, path: FieldPath): Splice | undefined {
  let found: { readonly container: Container; readonly entry: SyntaxEntry } | undefined
  let syntax: Syntax | undefined = root
  for (const step of path) {
    if (syntax === undefined || syntax.type === 'scalar') return undefined
    const container: Container = syntax
    const entry: SyntaxEntry | undefined =
      typeof step === 'number' ? container.entries[step] : container.entries.findLast(({ key }) => key === step)
    if (entry === undefined) return undefined
    found = { container, entry }
    syntax = entry.value
  }
  return found === undefined || found.container.entries.length < 2
    ? undefined
    : remove(source, found.container, found.entry)
}

const remove = ({ text }: Source, container: Container, entry: SyntaxEntry): Splice =>
  container.flow ? removeFromFlow(text, container, entry) : removeFromBlock(text, container, entry)

/** Edits of maps and lists in block style: an entry begins with a key or a dash, on its own line except the first. */

/** Matched only from the first blank of a row, so a long row costs linear time, not quadratic. */
const COMMENT = /(?<![ \t])[ \t]+#.*$/

/** Replaces the value after a key or dash; the comment on that line stays. */
function replaceInBlock(text: string, entry: SyntaxEntry, value: Json): Splice {
  const { behind, below } = emitValue(value, entry.key === undefined ? 'dash' : 'key')
  const onLine = entry.value !== undefined && entry.valueFrom <= lineEnd(text, entry.headEnd)
  const nested = onLine && entry.value !== undefined && entry.value.type !== 'scalar' && !entry.value.flow
  const rest = text.slice(onLine ? entry.to : entry.headEnd, lineEnd(text, onLine ? entry.to : entry.headEnd))
  const comment = nested ? '' : (COMMENT.exec(rest)?.[0] ?? '')
  // Manually aligned values stay aligned.
  const gap = onLine && below.length === 0 ? text.slice(entry.headEnd, behindAnchor(text, entry)) : ' '
  const first = behind.startsWith(' ') ? gap + behind.slice(1) : behind
  return {
    from: entry.headEnd,
    to: lineEnd(text, entry.to),
    text: [first + comment, ...indented(text, entry, below)].join(lineBreakOf(text)),
  }
}

/** Inserts a member, or items, after the entry `after`; before the first when that is absent. */
function insertInBlock(
  text: string,
  container: Container,
  after: SyntaxEntry | undefined,
  added: readonly { readonly key?: string; readonly value: Json }[],
): Splice {
  const [first] = container.entries
  const lines = added.flatMap(({ key, value }) => (key === undefined ? emitItem(value) : emitMember(key, value)))
  const lineBreak = lineBreakOf(text)
  const [head = '', ...others] = first === undefined ? lines : indented(text, first, lines)
  if (after !== undefined) {
    const at = lineEnd(text, after.to)
    return { from: at, to: at, text: lineBreak + [head, ...others].join(lineBreak) }
  }
  const at = first?.from ?? container.from
  const pad = first === undefined ? '' : padOf(text, first)
  return { from: at, to: at, text: [head.slice(pad.length), ...others, pad].join(lineBreak) }
}

/** Removes an entry with the comments on its lines and those directly above it, which describe it. */
function removeFromBlock(text: string, container: Container, entry: SyntaxEntry): Splice {
  const from = lineStart(text, entry.from)
  const to = nextLine(text, entry.to)
  const [first] = container.entries
  if (text.slice(from, entry.from).trim() !== '') {
    // The first entry of a map in a list follows the dash, so the next entry moves up to it.
    const next = /\S/.exec(text.slice(to))
    return { from: entry.from, to: next === null ? to : to + next.index, text: '' }
  }
  // Comments above the first entry describe all of them.
  const above = entry === first ? from : commentsAbove(text, from, padOf(text, entry))
  const endsText = to === text.length && !text.endsWith('\n')
  const start = endsText && above > 0 ? lineEnd(text, lineStart(text, above - 1)) : above
  return { from: start, to, text: '' }
}

function commentsAbove(text: string, start: number, pad: string): number {
  let from = start
  while (from > 0) {
    const line = lineStart(text, from - 1)
    if (!text.startsWith(`${pad}#`, line)) break
    from = line
  }
  return from
}

/** Spaces that indent a line to the column of an entry. */
const padOf = (text: string, entry: SyntaxEntry): string => ' '.repeat(entry.from - lineStart(text, entry.from))

const indented = (text: string, entry: SyntaxEntry, lines: readonly string[]): readonly string[] =>
  lines.map((line) => (line === '' ? line : padOf(text, entry) + line))

/** Edits between brackets and braces: YAML in flow style, and JSON. */

type FlowStyle = 'yaml' | 'json'

function replaceInFlow(text: string, container: Container, entry: SyntaxEntry, value: Json, style: FlowStyle): Splice {
  const written = write(text, container, entry, value, style)
  if (entry.value !== undefined) return { from: behindAnchor(text, entry), to: entry.to, text: written }
  return { from: entry.headEnd, to: entry.to, text: `${entry.colon ? '' : ':'} ${written}` }
}

/** Inserts a member, or items, after the entry `after`; before the first when that is absent. */
function insertInFlow(
  text: string,
  container: Container,
  after: SyntaxEntry | undefined,
  added: readonly { readonly key?: string; readonly value: Json }[],
  style: FlowStyle,
): Splice {
  const [first] = container.entries
  const near = after ?? first
  const written = added.map(({ key, value }) => {
    const member = write(text, container, near, value, style)
    return key === undefined ? member : `${style === 'json' ? JSON.stringify(key) : emitString(key)}: ${member}`
  })
  if (near === undefined) return { from: container.from + 1, to: container.to - 1, text: written.join(', ') }
  const ownLine = lineOf(text, near)
  const separator = ownLine === undefined ? ', ' : `,${lineBreakOf(text)}${ownLine}`
  if (after === undefined)
    return { from: near.from, to: near.from, text: written.map((one) => one + separator).join('') }
  return { from: after.to, to: after.to, text: written.map((one) => separator + one).join('') }
}

/** Removes an entry and one comma. */
function removeFromFlow(text: string, container: Container, entry: SyntaxEntry): Splice {
  const index = container.entries.indexOf(entry)
  const next = container.entries[index + 1]
  if (next !== undefined) return { from: entry.from, to: next.from, text: '' }
  const before = container.entries[index - 1]
  if (before === undefined) return { from: entry.from, to: entry.to, text: '' }
  // A comment on the line before describes the previous entry.
  const between = text.slice(before.to, entry.from)
  const kept = between.includes('#') ? between.replace(',', '').trimEnd() + lineBreakOf(text) : ''
  return { from: before.to, to: entry.to, text: kept }
}

/** The spaces before an entry that begins its line. */
function lineOf(text: string, entry: SyntaxEntry): string | undefined {
  const before = text.slice(lineStart(text, entry.from), entry.from)
  return before.trim() === '' && text.slice(0, entry.from).includes('\n') ? before : undefined
}

function write(
  text: string,
  container: Container,
  near: SyntaxEntry | undefined,
  value: Json,
  style: FlowStyle,
): string {
  if (style === 'yaml') return emitFlow(value)
  const pad = near === undefined ? undefined : lineOf(text, near)
  if (pad === undefined || !text.slice(container.from, container.to).includes('\n')) return JSON.stringify(value)
  return JSON.stringify(value, undefined, pad.startsWith('\t') ? '\t' : 2).replaceAll('\n', lineBreakOf(text) + pad)
}

/** Entries `from` to `to` of one list correspond to `wantedFrom` to `wantedTo` of the other; the ends are excluded. */
interface Gap {
  readonly from: number
  readonly to: number
  readonly wantedFrom: number
  readonly wantedTo: number
}

/** Above this number of comparisons, only the common ends of two lists count. */
const MOST_COMPARISONS = 40_000

/** Where two lists differ, when as many entries as possible stay (a longest common subsequence). */
function gapsBetween(current: JsonList, wanted: JsonList): readonly Gap[] {
  const same = (i: number, j: number): boolean => sameJson(current[i] ?? null, wanted[j] ?? null)
  let [start, end, wantedEnd] = [0, current.length, wanted.length]
  while (start < end && start < wantedEnd && same(start, start)) start += 1
  while (end > start && wantedEnd > start && same(end - 1, wantedEnd - 1)) [end, wantedEnd] = [end - 1, wantedEnd - 1]
  if (start === end && start === wantedEnd) return []
  const [rows, columns] = [end - start, wantedEnd - start]
  if (rows * columns > MOST_COMPARISONS) return [{ from: start, to: end, wantedFrom: start, wantedTo: wantedEnd }]

  // longest[i][j]: number of entries that the rests from i and j on have in common.
  const longest = Array.from({ length: rows + 1 }, () => Array.from({ length: columns + 1 }, () => 0))
  const at = (i: number, j: number): number => longest[i]?.[j] ?? 0
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      const row = longest[i]
      if (row !== undefined)
        row[j] = same(start + i, start + j) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const gaps: Gap[] = []
  let [i, j, from, wantedFrom] = [0, 0, 0, 0]
  const close = (): void => {
    if (i > from || j > wantedFrom) {
      gaps.push({ from: start + from, to: start + i, wantedFrom: start + wantedFrom, wantedTo: start + j })
    }
  }
  while (i < rows && j < columns) {
    if (same(start + i, start + j)) {
      close()
      ;[i, j] = [i + 1, j + 1]
      ;[from, wantedFrom] = [i, j]
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1
    else j += 1
  }
  ;[i, j] = [rows, columns]
  close()
  return gaps
}
