import { emitItem, emitMember, emitValue } from './emit.ts'
import type { Json } from './json.ts'
import { lineBreakOf, lineEnd, lineStart, nextLine, type Splice } from './splice.ts'
import { behindAnchor, type Container, type SyntaxEntry } from './syntax.ts'

/** Edits of maps and lists in block style: an entry begins with a key or a dash, on a line of its own but for the first. */

/** Matched from the first blank of a row only, so that a long row costs its length and not the square of it. */
const COMMENT = /(?<![ \t])[ \t]+#.*$/

/** Puts another value behind a key or dash; the comment on that line stays. */
export function replaceInBlock(text: string, entry: SyntaxEntry, value: Json): Splice {
  const { behind, below } = emitValue(value, entry.key === undefined ? 'dash' : 'key')
  const onLine = entry.value !== undefined && entry.valueFrom <= lineEnd(text, entry.headEnd)
  const nested = onLine && entry.value !== undefined && entry.value.type !== 'scalar' && !entry.value.flow
  const rest = text.slice(onLine ? entry.to : entry.headEnd, lineEnd(text, onLine ? entry.to : entry.headEnd))
  const comment = nested ? '' : (COMMENT.exec(rest)?.[0] ?? '')
  // Values that people have aligned stay aligned.
  const gap = onLine && below.length === 0 ? text.slice(entry.headEnd, behindAnchor(text, entry)) : ' '
  const first = behind.startsWith(' ') ? gap + behind.slice(1) : behind
  return {
    from: entry.headEnd,
    to: lineEnd(text, entry.to),
    text: [first + comment, ...indented(text, entry, below)].join(lineBreakOf(text)),
  }
}

/** Inserts a member, or items, behind the entry `after`; before the first when that is absent. */
export function insertInBlock(
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

/** Removes an entry with the comments on its lines and those right above it, which speak of it. */
export function removeFromBlock(text: string, container: Container, entry: SyntaxEntry): Splice {
  const from = lineStart(text, entry.from)
  const to = nextLine(text, entry.to)
  const [first] = container.entries
  if (text.slice(from, entry.from).trim() !== '') {
    // The first of a map in a list stands behind the dash: what follows moves up to it.
    const next = /\S/.exec(text.slice(to))
    return { from: entry.from, to: next === null ? to : to + next.index, text: '' }
  }
  // Above the first stands what is said of all of them.
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

/** Spaces that bring a line to the column of an entry. */
const padOf = (text: string, entry: SyntaxEntry): string => ' '.repeat(entry.from - lineStart(text, entry.from))

const indented = (text: string, entry: SyntaxEntry, lines: readonly string[]): readonly string[] =>
  lines.map((line) => (line === '' ? line : padOf(text, entry) + line))
