import { structuredPatch } from 'diff'

/** One line of a difference; `fold` stands for lines that are left out. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'fold'
  readonly text: string
}

const KINDS: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed', ' ': 'same' }

/** What changes between two texts, with two lines around each change. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: 2 })
  return hunks.flatMap(({ oldStart, oldLines, lines }, index) => {
    const last = hunks[index - 1]
    const hidden = last === undefined ? oldStart - 1 : oldStart - last.oldStart - last.oldLines
    const fold: DiffLine[] =
      hidden > 0 && oldLines > 0 ? [{ kind: 'fold', text: `${hidden} ${hidden === 1 ? 'line' : 'lines'}` }] : []
    const own = lines.flatMap((line): DiffLine[] => {
      const kind = KINDS[line[0] ?? '']
      return kind === undefined ? [] : [{ kind, text: line.slice(1) }]
    })
    return [...fold, ...own]
  })
}
