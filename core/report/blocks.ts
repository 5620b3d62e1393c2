import { cellText, sentenceText, type Answer } from '../answer/answer.ts'
import type { ReportBlock } from '../contract/report.ts'
import { plain } from '../text/format.ts'

/** An answer as blocks of a report: its title, what else it says, and its tables below their captions. */
export const blocksOf = ({ title, evidence, tables }: Answer): readonly ReportBlock[] => [
  ...textOf(sentenceText(title, plain)),
  ...(evidence.length === 0
    ? []
    : [{ kind: 'list' as const, items: evidence.map((sentence) => sentenceText(sentence, plain)) }]),
  ...tables.flatMap(({ title: name, note, columns, rows, sums }): readonly ReportBlock[] => [
    ...textOf([name, note].filter((part) => part !== '').join(', ')),
    {
      kind: 'table',
      head: columns.map(({ label, align }) => ({ text: label, ...(align !== undefined && { number: true }) })),
      rows: [...rows, ...(sums === undefined ? [] : [sums])].map((row) => row.map((cell) => cellText(cell, plain))),
    },
  ]),
]

const textOf = (text: string): readonly ReportBlock[] => (text === '' ? [] : [{ kind: 'text', text }])
