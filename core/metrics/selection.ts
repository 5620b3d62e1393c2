import { type Format, SUFFIXES } from './openMetrics.ts'

/** What of a page is wanted: everything, or some families and the metadata that decides what belongs to them. */
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
        // A sample `a_sum` is of family `a` or of its own, depending on what is declared of both.
        tracked.add(family + suffix)
        if (family.endsWith(suffix)) tracked.add(family.slice(0, -suffix.length))
      }
    }
    this.#tracked = tracked
  }

  keepsFamily(family: string): boolean {
    return this.#keep?.has(family) ?? true
  }

  /** Whether metadata of `family` has a bearing on the families kept. */
  tracksFamily(family: string): boolean {
    return this.#tracked?.has(family) ?? true
  }

  /**
   * The shortest beginning of `name` that no name has which matters to the families kept: lines with it need no look.
   * Empty if there is none.
   */
  foreignPrefix(name: string): string {
    let length = 0
    for (const tracked of this.#tracked ?? []) {
      let same = 0
      while (same < name.length && name.charCodeAt(same) === tracked.charCodeAt(same)) same++
      // One is the beginning of the other.
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
