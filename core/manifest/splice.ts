/** Replaces the text between two offsets. */
export interface Splice {
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * Applies splices to the text from which they were made. Of two that touch the same place the earlier in the list is
 * taken; the other is left for another time.
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
