/** Rows of text in columns that are as wide as their widest cell; numbers belong to the right. */
export function textTable(
  rows: readonly (readonly string[])[],
  align: readonly ('left' | 'right')[],
): readonly string[] {
  const widths = align.map((_, column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) =>
        align[column] === 'right' ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}
