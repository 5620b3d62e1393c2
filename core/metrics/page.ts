/**
 * The sample model of one metrics page (Prometheus text 0.0.4 or OpenMetrics 1.0).
 *
 * Series are interned by the parser that read them: the next page of the same server yields the same `Series` objects
 * for the same lines, so users of a page may cache work by identity.
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

/** What stopped the parser, with 1-based line and column (in bytes; in a dump, in code points). */
export interface ParseProblem {
  readonly line: number
  readonly column: number
  /** One sentence: what was found and what was expected. */
  readonly message: string
}

export interface Page {
  readonly families: ReadonlyMap<string, Family>
  readonly samples: number
  /** Everything before it is kept. */
  readonly problem?: ParseProblem
}

export type Format = 'text' | 'openmetrics'

/** Names that `# TYPE` may give, by format. OpenMetrics uses `unknown` for what the text format calls `untyped`. */
export const TYPES: Readonly<Record<Format, ReadonlyMap<string, FamilyType>>> = {
  text: new Map<string, FamilyType>([
    ['counter', 'counter'],
    ['gauge', 'gauge'],
    ['histogram', 'histogram'],
    ['summary', 'summary'],
    ['untyped', 'untyped'],
  ]),
  openmetrics: new Map<string, FamilyType>([
    ['counter', 'counter'],
    ['gauge', 'gauge'],
    ['histogram', 'histogram'],
    ['gaugehistogram', 'gaugehistogram'],
    ['summary', 'summary'],
    ['info', 'info'],
    ['stateset', 'stateset'],
    ['unknown', 'untyped'],
  ]),
}

/** By format: suffixes that sample names may add to the family's name, and the family types that have them. */
export const SUFFIXES: Readonly<Record<Format, readonly (readonly [suffix: string, types: readonly FamilyType[]])[]>> =
  {
    text: [
      ['_bucket', ['histogram']],
      ['_sum', ['histogram', 'summary']],
      ['_count', ['histogram', 'summary']],
    ],
    openmetrics: [
      ['_bucket', ['histogram', 'gaugehistogram']],
      ['_sum', ['histogram', 'summary']],
      ['_count', ['histogram', 'summary']],
      ['_gsum', ['gaugehistogram']],
      ['_gcount', ['gaugehistogram']],
      ['_total', ['counter']],
      ['_created', ['counter', 'histogram', 'summary']],
      ['_info', ['info']],
    ],
  }

/** The parts of a page to keep: everything, or some families and the metadata that decides what belongs to them. */
export class Selection {
  readonly format: Format
  readonly #keep: ReadonlySet<string> | undefined
  readonly #tracked: ReadonlySet<string> | undefined

  constructor(format: Format, keep: ReadonlySet<string> | undefined) {
    this.format = format
    this.#keep = keep
    if (keep === undefined) return
    const tracked = new Set(keep)
    for (const family of keep) {
      for (const [suffix] of SUFFIXES[format]) {
        // A sample `a_sum` belongs to family `a` or to its own, depending on how the two are declared.
        tracked.add(family + suffix)
        if (family.endsWith(suffix)) tracked.add(family.slice(0, -suffix.length))
      }
    }
    this.#tracked = tracked
  }

  keepsFamily(family: string): boolean {
    return this.#keep?.has(family) ?? true
  }

  /** Whether metadata of `family` affects the families kept. */
  tracksFamily(family: string): boolean {
    return this.#tracked?.has(family) ?? true
  }

  /**
   * The shortest prefix of `name` that no name relevant to the families kept has: lines with it can be skipped unread.
   * Empty if there is none.
   */
  foreignPrefix(name: string): string {
    let length = 0
    for (const tracked of this.#tracked ?? []) {
      let same = 0
      while (same < name.length && name.charCodeAt(same) === tracked.charCodeAt(same)) same++
      // One is a prefix of the other.
      if (same === name.length || same === tracked.length) return ''
      length = Math.max(length, same + 1)
    }
    return name.slice(0, length)
  }

  /** Whether a sample of this name could belong to a family kept. */
  mayKeepSample(name: string): boolean {
    const keep = this.#keep
    if (keep === undefined || keep.has(name)) return true
    return SUFFIXES[this.format].some(([suffix]) => name.endsWith(suffix) && keep.has(name.slice(0, -suffix.length)))
  }
}
