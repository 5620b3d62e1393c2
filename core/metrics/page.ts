/**
 * The sample model of one metrics page (Prometheus text 0.0.4 or OpenMetrics 1.0).
 *
 * Series are interned by the parser that read them: the next page of the same server yields the very same `Series`
 * objects for the same lines, so whoever builds on a page may remember work by identity.
 */
export interface Series {
  /** Name of the sample as written, for example `…_bucket`. */
  readonly name: string
  /** Labels with escapes resolved, in the order of the page. */
  readonly labels: Readonly<Record<string, string>>
}

export type FamilyType =
  'counter' | 'gauge' | 'histogram' | 'summary' | 'untyped' | 'info' | 'stateset' | 'gaugehistogram'

export interface Exemplar {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  /** Milliseconds. */
  readonly timestampMs?: number
}

/** One metric family: `series[i]` has the value `values[i]`, in the order of the page. */
export interface Family {
  readonly name: string
  readonly type: FamilyType
  readonly help?: string
  readonly unit?: string
  readonly series: readonly Series[]
  readonly values: ArrayLike<number>
  /** Milliseconds, by index into `series`; absent when the page has no timestamps for this family. */
  readonly timestampsMs?: ReadonlyMap<number, number>
  readonly exemplars?: ReadonlyMap<number, Exemplar>
}

/** What stopped the parser, with 1-based line and column (in bytes). */
export interface ParseProblem {
  readonly line: number
  readonly column: number
  /** One sentence: what was found and what was expected. */
  readonly message: string
}

export interface Page {
  readonly families: ReadonlyMap<string, Family>
  readonly samples: number
  /** Everything before it was kept. */
  readonly problem?: ParseProblem
}
