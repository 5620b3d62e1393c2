import { cellText, sentenceText, type Answer, type Table } from '../../../core/answer/answer.ts'
import { plain } from '../../../core/text/format.ts'

/** What a command says: answers, and lines between them. */
export type Said = readonly (Answer | string)[]

export const saidLines = (said: Said): readonly string[] =>
  said.flatMap((part) => (typeof part === 'string' ? [part] : answerLines(part)))

/** An answer as lines of a terminal. */
export const answerLines = ({ title, evidence, tables }: Answer): readonly string[] => [
  sentenceText(title, plain),
  ...evidence.map((sentence) => sentenceText(sentence, plain)),
  ...tables.flatMap((table) => ['', `${table.title}, ${table.note}`, ...tableLines(table)]),
]

export const tableLines = ({ columns, rows, sums }: Table): readonly string[] =>
  textTable(
    [
      columns.map(({ label }) => label.toUpperCase()),
      ...[...rows, ...(sums === undefined ? [] : [sums])].map((row) => row.map((cell) => cellText(cell, plain))),
    ],
    columns.map(({ align }) => align ?? 'left'),
  )

/** Wider cells exceed their column: one name of a megabyte must not make every row as long. */
const WIDEST = 80

/**
 * Rows of text in columns as wide as their widest cell; numbers are right-aligned. The last alignment applies to all
 * further columns.
 */
export function textTable(
  rows: readonly (readonly string[])[],
  align: readonly ('left' | 'right')[],
): readonly string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, Math.min(WIDEST, cell.length))
    }
  }
  const padded = (cell: string, column: number): string =>
    (align[column] ?? align.at(-1)) === 'right' ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
  return rows.map((row) => row.map(padded).join('  ').trimEnd())
}
