import { emitFlow, emitString } from './emit.ts'
import type { Json } from './json.ts'
import { lineBreakOf, lineStart, type Splice } from './splice.ts'
import { behindAnchor, type Container, type SyntaxEntry } from './syntax.ts'

/** Edits between brackets and braces: YAML in flow style, and JSON. */

export type FlowStyle = 'yaml' | 'json'

export function replaceInFlow(
  text: string,
  container: Container,
  entry: SyntaxEntry,
  value: Json,
  style: FlowStyle,
): Splice {
  const written = write(text, container, entry, value, style)
  if (entry.value !== undefined) return { from: behindAnchor(text, entry), to: entry.to, text: written }
  return { from: entry.headEnd, to: entry.to, text: `${entry.colon ? '' : ':'} ${written}` }
}

/** Inserts a member, or items, behind the entry `after`; before the first when that is absent. */
export function insertInFlow(
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
export function removeFromFlow(text: string, container: Container, entry: SyntaxEntry): Splice {
  const index = container.entries.indexOf(entry)
  const next = container.entries[index + 1]
  if (next !== undefined) return { from: entry.from, to: next.from, text: '' }
  const before = container.entries[index - 1]
  if (before === undefined) return { from: entry.from, to: entry.to, text: '' }
  // A comment on the line before speaks of the entry before.
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
