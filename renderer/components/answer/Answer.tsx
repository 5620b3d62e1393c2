import type { ReactNode } from 'react'
import { cellText, sentenceText, type Answer, type Row, type Table } from '../../../core/answer/answer.ts'
import { format } from '../../theme/format.ts'
import { scrollRegion } from '../classes.ts'
import { inGivenOrder, type DataColumn } from '../dataColumns.ts'
import { DataTable, type DataTableProps } from '../DataTable.tsx'
import { LevelName } from '../LevelChip.tsx'
import { NowLine } from '../NowLine.tsx'
import { PlainTable } from '../PlainTable.tsx'
import { Sentences } from '../States.tsx'

/** What a screen draws instead of the text of a cell, by the id of the column. */
export type AnswerCells = Readonly<Partial<Record<string, (text: string, row: number) => ReactNode>>>

/** The title of an answer and the evidence behind it, at the top of a screen; `children` is more evidence. */
export function AnswerLine({ answer, children }: { readonly answer: Answer; readonly children?: ReactNode }) {
  const behind = answer.evidence.map((sentence) => sentenceText(sentence, format)).join(' ')
  const evidence =
    children === undefined ? (
      behind
    ) : (
      <>
        {behind} {children}
      </>
    )
  return <NowLine title={sentenceText(answer.title, format)} {...(evidence !== '' && { evidence })} />
}

/** An answer within a pane: its title, the evidence as a list, and its tables; `children` is what can be done. */
export function AnswerPart(props: { readonly answer: Answer; readonly children?: ReactNode }) {
  const { title, evidence, tables } = props.answer
  return (
    <>
      <div role="status">
        <h3>{sentenceText(title, format)}</h3>
      </div>
      <Sentences of={evidence.map((sentence) => sentenceText(sentence, format))} className="stack gap-4 breaks muted" />
      {tables.map((table) => (
        <AnswerTable key={table.title} table={table} scrolls />
      ))}
      {props.children}
    </>
  )
}

/** Drawn the same on every screen. */
const USUAL: AnswerCells = { level: (text) => text !== '' && <LevelName name={text} /> }

interface TableProps {
  readonly table: Table
  readonly cells?: AnswerCells
  /** A selected row, by its index. */
  readonly selected?: number | undefined
}

interface PlainProps extends TableProps {
  /** What is in parentheses stands below the rest of its cell. */
  readonly stacked?: boolean
  /** In a region of its own where there is less room. */
  readonly scrolls?: boolean
  /** What is drawn under the text of a cell. */
  readonly below?: (column: string, row: number) => ReactNode
  /** Columns that are not shown. */
  readonly omit?: readonly string[]
  readonly rowLook?: (row: number) => string | undefined
  /** Without a header row. */
  readonly headless?: boolean
  readonly className?: string | undefined
}

export function AnswerTable(props: PlainProps) {
  const {
    table,
    cells = {},
    selected,
    stacked = false,
    scrolls = false,
    omit = [],
    below,
    rowLook,
    headless = false,
    className,
  } = props
  const { rows, sums } = table
  const columns = columnsOf(table, cells, stacked ? Stacked : String)
    .filter(({ id }) => !omit.includes(id))
    .map((column) => (below === undefined ? column : withBelow(column, (row) => below(column.id, rows.indexOf(row)))))
  // Longer than the title, which is the name of the pane around it: two regions of one name cannot be told apart.
  const caption = `${table.title}, ${table.note}`
  const drawn = (
    <PlainTable
      caption={caption}
      className={className}
      headless={headless}
      columns={columns}
      rows={rows}
      rowKey={(_, index) => String(index)}
      selectedKey={selected === undefined ? undefined : String(selected)}
      {...(rowLook !== undefined && { rowLook: (row: Row) => rowLook(rows.indexOf(row)) })}
      {...(sums !== undefined && {
        foot: [Object.fromEntries(table.columns.map(({ id }, at) => [id, { text: cellDrawn(sums[at] ?? '') }]))],
      })}
    />
  )
  return scrolls ? (
    <div className="scroll-x" {...scrollRegion(caption)}>
      {drawn}
    </div>
  ) : (
    drawn
  )
}

const withBelow = (column: DataColumn<Row>, below: (row: Row) => ReactNode): DataColumn<Row> => ({
  ...column,
  cell: (row) => (
    <>
      {column.cell?.(row)}
      {below(row)}
    </>
  ),
})

const Stacked = (text: string): ReactNode => {
  const [, value, below] = /^(.*) \((.*)\)$/.exec(text) ?? []
  return value === undefined ? (
    text
  ) : (
    <>
      <b>{value}</b>
      <span className="block small muted">{below}</span>
    </>
  )
}

interface GridProps extends TableProps, Pick<DataTableProps<Row>, 'csvName' | 'density' | 'empty' | 'foot'> {
  /** The order of the rows has a meaning, so none of the columns sorts. */
  readonly ordered?: boolean
  readonly onOpen?: (index: number) => void
  /** Pixels of columns of text; columns of numbers have theirs. */
  readonly widths?: Readonly<Record<string, number | string>>
  /** Columns that are not shown. */
  readonly omit?: readonly string[]
}

/** A wide answer: columns keep their places, the keyboard moves, and the rows can be saved. */
export function AnswerGrid(props: GridProps) {
  const { table, cells = {}, ordered = false, selected, onOpen, widths = {}, omit = [], ...rest } = props
  const columns = columnsOf(table, cells)
    .filter(({ id }) => !omit.includes(id))
    .map((column) =>
      withWidth(column, widths[column.id] ?? (column.align === undefined ? undefined : widthOf(column.header))),
    )
  return (
    <DataTable
      caption={table.title}
      columns={ordered ? inGivenOrder(columns) : columns}
      rows={table.rows}
      rowKey={(row) => String(table.rows.indexOf(row))}
      selectedKey={selected === undefined ? undefined : String(selected)}
      onOpen={onOpen && ((row) => onOpen(table.rows.indexOf(row)))}
      {...rest}
    />
  )
}

const withWidth = (column: DataColumn<Row>, width: number | string | undefined): DataColumn<Row> =>
  width === undefined ? column : { ...column, width }

/** Pixels of a column of numbers in a grid. */
const widthOf = (label: string): number => (label.length > 8 ? 80 : 72)

function columnsOf(
  { columns, rows }: Table,
  cells: AnswerCells,
  usual: (text: string) => ReactNode = String,
): readonly DataColumn<Row>[] {
  // A name that is written once for several rows heads none of them.
  const named = rows.every(([first]) => first !== '')
  return columns.map(({ id, label, title, term, align }, at) => {
    const text = (row: Row): string => cellText(row[at] ?? '', format)
    const drawn = cells[id] ?? USUAL[id] ?? usual
    return {
      id,
      header: label,
      value: (row) => {
        const cell = row[at]
        return typeof cell === 'object' && 'value' in cell ? cell.value : text(row)
      },
      cell: (row) => (drawn === String ? cellDrawn(row[at] ?? '') : drawn(text(row), rows.indexOf(row))),
      rowHeader: at === 0 && named,
      look: (row) => TONES[toneOf(row[at] ?? '') ?? 'same'],
      ...(title !== undefined && { title }),
      ...(term !== undefined && { term }),
      ...(align !== undefined && { align }),
    }
  })
}

const TONES = { better: 'good', worse: 'bad', same: undefined } as const

const toneOf = (cell: Row[number]): 'better' | 'worse' | undefined =>
  [cell].flat().flatMap((part) => (typeof part === 'object' && 'tone' in part ? (part.tone ?? []) : []))[0]

/** A change is drawn with what is now in front. */
function cellDrawn(cell: Row[number]): ReactNode {
  const shift = [cell].flat().find((part) => typeof part === 'object' && 'from' in part)
  const text = cellText(cell, format)
  const [was, is] = text.split(' → ')
  if (shift === undefined || is === undefined) return text
  return (
    <>
      <span className="pre faint">{was} → </span>
      <b>{is}</b>
    </>
  )
}
