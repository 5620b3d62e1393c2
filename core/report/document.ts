import type { UnixMs } from '../units.ts'

/** A report as a list of sections, before it is written in a language of its own. Texts are plain, without markup. */
export interface Report {
  readonly title: string
  /** Which source, which range: one line. */
  readonly subtitle: string
  readonly sections: readonly ReportSection[]
}

export interface ReportSection {
  readonly title: string
  readonly blocks: readonly ReportBlock[]
}

export type ReportBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | ReportTable
  | ReportChart

export interface ReportTable {
  readonly kind: 'table'
  /** Names of columns; those of numbers stand to the right. */
  readonly head: readonly { readonly text: string; readonly number?: true }[]
  readonly rows: readonly (readonly string[])[]
}

export interface ReportChart {
  readonly kind: 'chart'
  readonly title: string
  /** Of the values: `seats`. */
  readonly unit: string
  readonly from: UnixMs
  readonly to: UnixMs
  readonly lines: readonly ReportLine[]
}

export interface ReportLine {
  readonly name: string
  /** In the order of time; `undefined` where nothing was sampled. */
  readonly points: readonly { readonly at: UnixMs; readonly value: number | undefined }[]
  /** How it is told from the others without colour. */
  readonly dash: 'solid' | 'dashed' | 'dotted'
}
