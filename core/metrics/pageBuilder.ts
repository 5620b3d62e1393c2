import { SUFFIXES } from './openMetrics.ts'
import type { Exemplar, Family, FamilyType, Page, ParseProblem, Series } from './page.ts'
import type { Metadata } from './scanComment.ts'
import type { Selection } from './selection.ts'

interface FamilyDraft {
  readonly name: string
  type: FamilyType
  help?: string
  unit?: string
  readonly series: Series[]
  readonly values: number[]
  timestampsMs?: Map<number, number>
  exemplars?: Map<number, Exemplar>
}

/** Gathers the families of one page. */
export class PageBuilder {
  readonly #selection: Selection
  readonly #families = new Map<string, FamilyDraft>()
  /** Families that had metadata, with their type once it is known. */
  readonly #declared = new Map<string, FamilyType | undefined>()
  /** Family by name of sample, as far as it was asked since the last metadata; `undefined` is one not kept. */
  readonly #homes = new Map<string, FamilyDraft | undefined>()
  /** The name that was asked for last, and its family. */
  #name: string | undefined
  #home: FamilyDraft | undefined
  #samples = 0

  constructor(selection: Selection) {
    this.#selection = selection
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
    const draft = this.#draft(family)
    if (kind === 'type') draft.type = type ?? draft.type
    else if (kind === 'help') draft.help ??= metadata.help
    else draft.unit ??= metadata.unit
  }

  add(series: Series, value: number, timestampMs: number | undefined, exemplar: Exemplar | undefined): void {
    if (series.name !== this.#name) this.#find(series.name)
    const home = this.#home
    if (home === undefined) return
    if (timestampMs !== undefined) (home.timestampsMs ??= new Map()).set(home.series.length, timestampMs)
    if (exemplar !== undefined) (home.exemplars ??= new Map()).set(home.series.length, exemplar)
    home.series.push(series)
    home.values.push(value)
    this.#samples++
  }

  page(problem: ParseProblem | undefined): Page {
    const families: ReadonlyMap<string, Family> = this.#families
    return { families, samples: this.#samples, ...(problem && { problem }) }
  }

  #find(name: string): void {
    this.#name = name
    this.#home = this.#homes.get(name)
    if (this.#home !== undefined || this.#homes.has(name)) return
    const family = this.#familyOf(name)
    this.#home = this.#selection.keepsFamily(family) ? this.#draft(family) : undefined
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

  #draft(name: string): FamilyDraft {
    let draft = this.#families.get(name)
    if (draft === undefined) {
      draft = { name, type: 'untyped', series: [], values: [] }
      this.#families.set(name, draft)
    }
    return draft
  }
}
