import { SUFFIXES } from './openMetrics.ts'
import type { Exemplar, Family, FamilyType, Page, ParseProblem, Series } from './page.ts'
import type { Metadata } from './scanComment.ts'
import type { Selection } from './selection.ts'

interface FamilyDraft {
  readonly name: string
  type: FamilyType
  help?: string
  unit?: string
  series: Series[]
  values: Float64Array
  timestampsMs?: Map<number, number>
  exemplars?: Map<number, Exemplar>
}

/** A family while it is read: as much of the arrays of `family` as `count` says. */
interface Home {
  readonly family: FamilyDraft
  count: number
  /** Whether the series are no longer those of the page before, but its own. */
  own: boolean
}

/** Series of each family of a page. */
export type SeriesOfPage = ReadonlyMap<string, Series[]>

/** Gathers the families of one page. Those with the very series of the page before have the same array of them. */
export class PageBuilder {
  readonly #selection: Selection
  readonly #before: SeriesOfPage
  readonly #families = new Map<string, Home>()
  /** Families that had metadata, with their type once it is known. */
  readonly #declared = new Map<string, FamilyType | undefined>()
  /** Family by name of sample, as far as it was asked since the last metadata; `undefined` is one not kept. */
  readonly #homes = new Map<string, Home | undefined>()
  /** The name that was asked for last, and its family. */
  #name: string | undefined
  #home: Home | undefined
  #samples = 0

  constructor(selection: Selection, before: SeriesOfPage) {
    this.#selection = selection
    this.#before = before
  }

  /**
   * The first of several `# HELP`, `# TYPE` or `# UNIT` lines of a family counts, and a later one changes nothing:
   * samples are never lost to it. Samples that came before the type of their family stay in a family of their own name.
   */
  declare(metadata: Metadata): void {
    const { family, kind } = metadata
    if (!this.#selection.tracksFamily(family)) return
    this.#homes.clear()
    this.#name = undefined
    const type = this.#declared.get(family) ?? (kind === 'type' ? metadata.type : undefined)
    this.#declared.set(family, type)
    if (!this.#selection.keepsFamily(family)) return
    const draft = this.#homeOf(family).family
    if (kind === 'type') draft.type = type ?? draft.type
    else if (kind === 'help') draft.help ??= metadata.help
    else draft.unit ??= metadata.unit
  }

  add(series: Series, value: number, timestampMs: number | undefined, exemplar: Exemplar | undefined): void {
    if (series.name !== this.#name) this.#find(series.name)
    const home = this.#home
    if (home === undefined) return
    const { family } = home
    const at = home.count++
    if (timestampMs !== undefined) (family.timestampsMs ??= new Map()).set(at, timestampMs)
    if (exemplar !== undefined) (family.exemplars ??= new Map()).set(at, exemplar)
    if (!home.own && family.series[at] !== series) ownSeries(home, at)
    if (home.own) family.series.push(series)
    if (at === family.values.length) family.values = longer(family.values)
    family.values[at] = value
    this.#samples++
  }

  page(problem: ParseProblem | undefined): Page {
    const families = new Map<string, Family>()
    for (const [name, home] of this.#families) {
      const { family, count } = home
      if (family.series.length > count) ownSeries(home, count)
      if (family.values.length > count) family.values = family.values.subarray(0, count)
      families.set(name, family)
    }
    return { families, samples: this.#samples, ...(problem && { problem }) }
  }

  /** What the next page may share. */
  seriesOfPage(): SeriesOfPage {
    return new Map([...this.#families].map(([name, { family }]) => [name, family.series]))
  }

  #find(name: string): void {
    this.#name = name
    this.#home = this.#homes.get(name)
    if (this.#home !== undefined || this.#homes.has(name)) return
    const family = this.#familyOf(name)
    this.#home = this.#selection.keepsFamily(family) ? this.#homeOf(family) : undefined
    this.#homes.set(name, this.#home)
  }

  /** A family with metadata of its own comes first, then one whose type has samples with that suffix. */
  #familyOf(name: string): string {
    if (this.#declared.has(name)) return name
    for (const [suffix, types] of SUFFIXES[this.#selection.format]) {
      if (!name.endsWith(suffix)) continue
      const family = name.slice(0, -suffix.length)
      const type = this.#declared.get(family)
      if (type !== undefined && types.includes(type)) return family
    }
    return name
  }

  #homeOf(name: string): Home {
    let home = this.#families.get(name)
    if (home === undefined) {
      const series = this.#before.get(name) ?? []
      const family = { name, type: 'untyped' as const, series, values: new Float64Array(series.length) }
      home = { family, count: 0, own: false }
      this.#families.set(name, home)
    }
    return home
  }
}

/** From now on the family has series of its own: the first `count` of those of the page before. */
function ownSeries(home: Home, count: number): void {
  home.family.series = home.family.series.slice(0, count)
  home.own = true
}

function longer(values: Float64Array): Float64Array {
  const more = new Float64Array(Math.max(16, 2 * values.length))
  more.set(values)
  return more
}
