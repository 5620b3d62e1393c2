import { BACKSLASH, QUOTE, RETURN, skipBlanks, SPACE, TAB, type Text } from './bytes.ts'
import { decodeUtf8, type StringTable, unescapeHelp, unescapeLabel } from './labels.ts'
import { TYPES } from './openMetrics.ts'
import type { FamilyType } from './page.ts'
import type { Selection } from './selection.ts'

/** What a metadata line says of a family. */
export type Metadata =
  | { readonly kind: 'help'; readonly family: string; readonly help: string }
  | { readonly kind: 'type'; readonly family: string; readonly type: FamilyType }
  | { readonly kind: 'unit'; readonly family: string; readonly unit: string }

/** What a line that begins with `#` says; a `remark` is for people, or of a family that is not selected. */
export type Comment =
  | Metadata
  | { readonly kind: 'eof' }
  | { readonly kind: 'remark' }
  | { readonly kind: 'problem'; readonly at: number; readonly message: string }

const REMARK: Comment = { kind: 'remark' }
const END: Comment = { kind: 'eof' }
const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/

/** End of the word or quoted string at `at`, on a line whose text ends at `end`. */
function wordEnd(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] !== QUOTE) {
    while (at < end && bytes[at] !== SPACE && bytes[at] !== TAB) at++
    return at
  }
  for (at++; at < end && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++
  return Math.min(at + 1, end)
}

/** The name that was written plainly or, with characters that plain names lack, in quotes. */
function nameOf(written: string | undefined): string | undefined {
  if (written === undefined || NAME.test(written)) return written
  return /^"[^]+"$/.test(written) ? written.slice(1, -1) : undefined
}

/** Reads the comment line whose `#` is at `hash` and whose line feed is at `newline`. */
export function scanComment(
  text: Text,
  hash: number,
  newline: number,
  strings: StringTable,
  selection: Selection,
): Comment {
  const { bytes } = text
  const { format } = selection
  const end = bytes[newline - 1] === RETURN ? newline - 1 : newline
  const from = skipBlanks(bytes, hash + 1)
  const keywordEnd = wordEnd(bytes, from, end)
  // A keyword is set off from the `#`; without that the line is a remark.
  if (from === hash + 1 || keywordEnd - from > 4) return REMARK
  const keyword = strings.read(text, from, keywordEnd)
  const isMetadata = keyword === 'HELP' || keyword === 'TYPE' || (keyword === 'UNIT' && format === 'openmetrics')
  if (!isMetadata || keywordEnd === end) {
    return format === 'openmetrics' && keyword === 'EOF' && keywordEnd === end ? END : REMARK
  }
  const at = skipBlanks(bytes, keywordEnd)
  const after = wordEnd(bytes, at, end)
  const family = nameOf(strings.read(text, at, after))
  if (family === undefined) return { kind: 'problem', at, message: `expected a metric name after # ${keyword}` }
  if (!selection.tracksFamily(family)) return REMARK

  const saidAt = Math.min(after + 1, end)
  const said = decodeUtf8(bytes.subarray(saidAt, end))
  const problem = (expected: string): Comment => ({ kind: 'problem', at: saidAt, message: `expected ${expected}` })
  if (said === undefined) return problem(`UTF-8 after # ${keyword} ${family}`)
  if (keyword === 'HELP') {
    return { kind: 'help', family, help: format === 'text' ? unescapeHelp(said) : unescapeLabel(said) }
  }
  const word = said.trim()
  if (keyword === 'UNIT') {
    const fits = word === '' || family.endsWith(`_${word}`)
    return fits ? { kind: 'unit', family, unit: word } : problem(`a unit with which the name ${family} ends`)
  }
  const type = TYPES[format].get(word)
  return type ? { kind: 'type', family, type } : problem(`one of the types ${[...TYPES[format].keys()].join(', ')}`)
}
