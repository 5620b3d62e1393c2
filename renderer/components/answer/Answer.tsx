import type { ReactNode } from 'react'
import { cellText, sentenceText, type Answer, type Cell, type Table } from '../../../core/answer/answer.ts'
import { format } from '../../theme/format.ts'
import type { DataColumn } from '../dataColumns.ts'
import { NowLine } from '../NowLine.tsx'
import { PlainTable } from '../PlainTable.tsx'

/** What a screen draws instead of the text of a cell, by the id of the column. */
export type AnswerCells = Readonly<Partial<Record<string, (text: string) => ReactNode>>>

/** The title of an answer and the evidence behind it, at the top of a screen. */
export function AnswerLine({ answer: { title, evidence } }: { readonly answer: Answer }) {
  const behind = evidence.map((sentence) => sentenceText(sentence, format)).join(' ')
  return <NowLine title={sentenceText(title, format)} {...(behind !== '' && { evidence: behind })} />
}

type Row = readonly Cell[]

export function AnswerTable({ table, cells = {} }: { readonly table: Table; readonly cells?: AnswerCells }) {
  // A name that is written once for several rows heads none of them.
  const named = table.rows.every(([first]) => first !== '')
  const columns = table.columns.map(({ id, label, align }, at): DataColumn<Row> => {
    const value = (row: Row): string => cellText(row[at] ?? '', format)
    const drawn = cells[id]
    return {
      id,
      header: label,
      value,
      rowHeader: at === 0 && named,
      ...(align !== undefined && { align }),
      ...(drawn !== undefined && { cell: (row) => drawn(value(row)) }),
    }
  })
  return (
    <PlainTable
      caption={`${table.title}, ${table.note}`}
      columns={columns}
      rows={table.rows}
      rowKey={(_, index) => index}
    />
  )
}
