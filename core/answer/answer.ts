import type { Format } from '../text/format.ts'

/** Which function of the formatter writes a number. */
export type Quantity = 'fixed' | 'seatsAverage' | 'rate' | 'seconds' | 'percent' | 'length' | 'time' | 'dateTime'

/** A number that a printer writes in its own dialect; without a value it is unknown. */
export interface Amount {
  readonly value: number | undefined
  readonly as: Quantity
  /** A difference: positive ones have a sign. */
  readonly signed?: boolean
}

/** A part of an answer: text as it is, or a number. */
export type Cell = string | Amount

/** Parts that read as one sentence. */
export type Sentence = readonly Cell[]

export interface Column {
  readonly id: string
  readonly label: string
  readonly align?: 'right'
}

export interface Table {
  readonly title: string
  /** What the rows are and how they are ordered. */
  readonly note: string
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
}

/** What the console says about one subject, once: screens, terminal and reports print it. */
export interface Answer {
  readonly title: Sentence
  /** Sentences behind the title. */
  readonly evidence: readonly Sentence[]
  readonly tables: readonly Table[]
}

export function cellText(cell: Cell, format: Format): string {
  if (typeof cell === 'string') return cell
  const text = format[cell.as]
  return cell.signed === true ? format.signed(text)(cell.value) : text(cell.value)
}

export const sentenceText = (sentence: Sentence, format: Format): string =>
  sentence.map((cell) => cellText(cell, format)).join('')
