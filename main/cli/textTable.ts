/** Wider cells stand out of their column: one name of a megabyte must not make every row as long. */
const WIDEST = 80

/** Rows of text in columns that are as wide as their widest cell; numbers belong to the right. */
export function textTable(
  rows: readonly (readonly string[])[],
  align: readonly ('left' | 'right')[],
): readonly string[] {
  const widths = align.map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, Math.min(WIDEST, row[column]?.length ?? 0)), 0),
  )
  return rows.map((row) =>
    row
      .map((cell, column) =>
        align[column] === 'right' ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}
