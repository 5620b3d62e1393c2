import type { Diagnostic } from '@codemirror/lint'
import type { Text } from '@codemirror/state'
import type { LocatedFinding, ManifestDocument } from '../../../../../core/manifest/manifest.ts'

/** Findings as marks in the text. */
export function diagnosticsOf(
  doc: Text,
  findings: readonly LocatedFinding[],
  read: ManifestDocument | undefined,
): Diagnostic[] {
  return findings.map(({ field, line, column, severity, message }) => {
    const at = doc.line(Math.max(1, Math.min(doc.lines, line)))
    const from = Math.min(at.from + column - 1, at.to)
    const range = read?.rangeOf(field)
    const to =
      range !== undefined && range.from === from
        ? Math.min(range.to, doc.length)
        : wordEnd(at.text, from - at.from) + at.from
    return { from, to: Math.max(from, to), severity, message, source: field }
  })
}

function wordEnd(line: string, from: number): number {
  const rest = /^[^\s:,]+/.exec(line.slice(from))?.[0] ?? ''
  return from + Math.max(1, rest.length) <= line.length ? from + Math.max(1, rest.length) : line.length
}
