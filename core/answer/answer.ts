import type { TermId } from '../glossary/glossary.ts'
import { plural, type Format } from '../text/format.ts'

/** Which function of the formatter writes a number. */
export type Quantity =
  | 'fixed'
  | 'amount'
  | 'significant'
  | 'seatsAverage'
  | 'rate'
  | 'bytes'
  | 'seconds'
  | 'quantile'
  | 'ms'
  | 'percent'
  | 'probability'
  | 'fairFraction'
  | 'span'
  | 'length'
  | 'age'
  | 'time'
  | 'dateTime'
  | 'instant'

/** A number that a printer writes in its own dialect; without a value it is unknown. */
export interface Amount {
  readonly value: number | undefined
  readonly as: Quantity
  /** Of a share or a fixed number; 0 if absent. */
  readonly decimals?: number
  /** Seconds between which a quantile certainly lies. */
  readonly range?: { readonly above: number; readonly upTo?: number | undefined } | undefined
  /** A difference: positive ones have a sign. */
  readonly signed?: boolean
  /** Of a difference that matters. */
  readonly tone?: 'better' | 'worse'
}

/** What was and what is: one text where both read alike. */
export interface Shift {
  readonly from: Part
  readonly to: Part
}

type Part = string | Amount

/** A part of an answer: text as it is, a number, or a change of either. */
export type Cell = Part | Shift

/** Parts that read as one sentence. */
export type Sentence = readonly Cell[]

export interface Column {
  readonly id: string
  readonly label: string
  /** A longer explanation of the label. */
  readonly title?: string
  /** The glossary's entry for the label. */
  readonly term?: TermId
  readonly align?: 'right'
}

export interface Table {
  readonly title: string
  /** What the rows are and how they are ordered. */
  readonly note: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  /** Over all rows. */
  readonly sums?: Row
}

export type Row = readonly (Cell | Sentence)[]

/** What the console says about one subject, once: screens, terminal and reports print it. */
export interface Answer {
  readonly title: Sentence
  /** Sentences behind the title. */
  readonly evidence: readonly Sentence[]
  readonly tables: readonly Table[]
}

const isSentence = (cell: Cell | Sentence): cell is Sentence => Array.isArray(cell)

export function cellText(cell: Cell | Sentence, format: Format): string {
  if (isSentence(cell)) return sentenceText(cell, format)
  if (typeof cell === 'string') return cell
  if ('from' in cell) {
    const [from, to] = [cellText(cell.from, format), cellText(cell.to, format)]
    return from === to ? to : `${from} → ${to}`
  }
  const { as, decimals, range } = cell
  const text = (value: number | null | undefined): string => {
    if (as === 'quantile') return format.quantile(value, range)
    return as === 'fixed' || as === 'percent' ? format[as](value, decimals) : format[as](value)
  }
  return cell.signed === true ? format.signed(text)(cell.value) : text(cell.value)
}

/** A sentence with numbers in it: `` phrase`Rejected ${count} requests.` ``. */
export const phrase = (texts: TemplateStringsArray, ...cells: readonly (Cell | Sentence)[]): Sentence =>
  texts
    .flatMap((text, index) => [text, cells[index] ?? ''])
    .flat()
    .filter((cell) => cell !== '')

export const counted = (value: number | undefined, one: string, many = `${one}s`): Sentence => [
  { value, as: 'amount' },
  ` ${plural(value, one, many)}`,
]

export const sentenceText = (sentence: Sentence, format: Format): string =>
  sentence.map((cell) => cellText(cell, format)).join('')

/** `a, b and c`. */
export const enumerated = (all: readonly Sentence[]): Sentence =>
  all.flatMap((one, at) => (at === 0 ? one : [at === all.length - 1 ? ' and ' : ', ', ...one]))

/** A number of that quantity. */
export const amount =
  (as: Quantity, more: Omit<Amount, 'as' | 'value'> = {}) =>
  (value: number | undefined): Amount => ({ value, as, ...more })

/** The column of the names of priority levels. */
export const LEVEL_COLUMN: Column = { id: 'level', label: 'Level', term: 'priority-level' }

export const textColumns = (...labels: readonly string[]): readonly Column[] =>
  labels.map((label) => ({ id: label, label }))

export const numberColumns = (...labels: readonly string[]): readonly Column[] =>
  textColumns(...labels).map((column) => ({ ...column, align: 'right' }))
