import { valueAxis, type ValueAxis } from './timeAxis.data.ts'

/** What one level asked for and got, seats. */
export interface ShareRow {
  readonly name: string
  readonly target: number
  readonly limit: number
  /** What decided: the share at p itself, a bound, or none of them. */
  readonly decided: 'p' | 'floor' | 'max' | 'case'
  /** The bound that decided. */
  readonly bound: number
}

export interface ShareBar extends ShareRow {
  /** Limit ÷ target; absent when nothing was asked for. */
  readonly ratio: number | undefined
  readonly note: string
}

export interface ShareBarsData {
  readonly bars: readonly ShareBar[]
  /** The fair fraction; absent in cases 1 and 2, which have none. */
  readonly p: number | undefined
  readonly axis: ValueAxis
}

/** A level that asks for next to nothing gets many times that; its bar is cut, its note tells. */
const MOST_RATIO = 3

export function shareBarsData(rows: readonly ShareRow[], p: number | undefined): ShareBarsData {
  const bars = rows.map((row): ShareBar => {
    const ratio = row.target > 0 ? row.limit / row.target : undefined
    return { ...row, ratio, note: noteOf(row, ratio) }
  })
  const largest = Math.max(1, p ?? 0, ...bars.map(({ ratio = 0 }) => Math.min(ratio, MOST_RATIO)))
  return { bars, p, axis: valueAxis(largest * 1.05, 4, false) }
}

const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`
const seats = (n: number): string => String(Math.round(n))

function noteOf({ target, limit, decided, bound }: ShareRow, ratio: number | undefined): string {
  if (ratio === undefined) return `asked for nothing, got ${limit}`
  if (decided === 'p') return `exactly p: ${seats(target)} × p = ${limit}`
  if (decided === 'case') return `${percent(ratio)}: ${limit} of ${seats(target)}`
  return `${percent(ratio)}, ${decided} ${seats(bound)}`
}
