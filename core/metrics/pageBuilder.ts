import {
  SUFFIXES,
  type Exemplar,
  type Family,
  type FamilyType,
  type Page,
  type ParseProblem,
  type Series,
  type Selection,
  TYPES,
} from './page.ts'
import {
  BACKSLASH,
  QUOTE,
  RETURN,
  skipBlanks,
  SPACE,
  TAB,
  type Text,
  decodeUtf8,
  type StringTable,
  unescapeHelp,
  unescapeLabel,
} from './bytes.ts'

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

/** A family that is being read: only the first `count` entries of the arrays of `family` are valid. */
interface Home {
  readonly family: FamilyDraft
  count: number
  /** Whether the family has its own series instead of those of the previous page. */
  own: boolean
}

/** Series of each family of a page. */
export type SeriesOfPage = ReadonlyMap<string, Series[]>

/** The type of a family that a page does not declare, or declares as `untyped`. */
export type TypeOf = (family: string) => FamilyType | undefined

/** Collects the families of one page. A family with the same series as on the previous page shares its array. */
export class PageBuilder {
  readonly #selection: Selection
  readonly #before: SeriesOfPage
  readonly #families = new Map<string, Home>()
  /** Families with metadata, and their type if it has been declared. */
  readonly #declared = new Map<string, FamilyType | undefined>()
  /** Family by sample name, as far as looked up since the last metadata; `undefined` for a family that is not kept. */
  readonly #homes = new Map<string, Home | undefined>()
  /** The name looked up last, and its family. */
  #name: string | undefined
  #home: Home | undefined
  #samples = 0
  readonly #knownType: TypeOf

  constructor(selection: Selection, before: SeriesOfPage, knownType: TypeOf) {
    this.#selection = selection
    this.#before = before
    this.#knownType = knownType
  }

  /**
   * The first of several `# HELP`, `# TYPE` or `# UNIT` lines of a family counts, and a later one changes nothing: no
   * samples are lost. Samples before the type of their family stay in a family of their own name.
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
    if (kind === 'type') draft.type = type === undefined || type === 'untyped' ? draft.type : type
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

  /**
   * A family with its own type comes first, then one whose type has samples with that suffix. Federation, exports of
   * Prometheus and copied texts declare no types, or `untyped` for every name: there, known types count.
   */
  #familyOf(name: string): string {
    const selection = this.#selection
    const own = this.#declared.get(name) ?? 'untyped'
    if (own !== 'untyped') return name
    for (const [suffix, types] of SUFFIXES[selection.format]) {
      if (!name.endsWith(suffix)) continue
      const family = name.slice(0, -suffix.length)
      const declared = this.#declared.has(name) ? 'untyped' : (this.#declared.get(family) ?? 'untyped')
      const type = declared === 'untyped' ? this.#knownType(family) : declared
      if (type === undefined || !types.includes(type)) continue
      // OpenMetrics declares counters without the suffix that their names have elsewhere.
      return suffix === '_total' && !selection.keepsFamily(family) && selection.keepsFamily(name) ? name : family
    }
    return name
  }

  #homeOf(name: string): Home {
    let home = this.#families.get(name)
    if (home === undefined) {
      const series = this.#before.get(name) ?? []
      const family = { name, type: this.#knownType(name) ?? 'untyped', series, values: new Float64Array(series.length) }
      home = { family, count: 0, own: false }
      this.#families.set(name, home)
    }
    return home
  }
}

/** Gives the family its own series: the first `count` of the previous page's. */
function ownSeries(home: Home, count: number): void {
  home.family.series = home.family.series.slice(0, count)
  home.own = true
}

function longer(values: Float64Array): Float64Array {
  const more = new Float64Array(Math.max(16, 2 * values.length))
  more.set(values)
  return more
}

/** The content of a metadata line about a family. */
export type Metadata =
  | { readonly kind: 'help'; readonly family: string; readonly help: string }
  | { readonly kind: 'type'; readonly family: string; readonly type: FamilyType }
  | { readonly kind: 'unit'; readonly family: string; readonly unit: string }

/** The content of a line that begins with `#`. A `remark` is for people, or concerns a family that is not selected. */
type Comment =
  | Metadata
  | { readonly kind: 'eof' }
  | { readonly kind: 'remark' }
  | { readonly kind: 'problem'; readonly at: number; readonly message: string }

const REMARK: Comment = { kind: 'remark' }
const END: Comment = { kind: 'eof' }
const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/

/** End of the word or quoted string at `at`, on a line whose text ends at `end`. */
function wordEnd(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] !== QUOTE) {
    while (at < end && bytes[at] !== SPACE && bytes[at] !== TAB) at++
    return at
  }
  for (at++; at < end && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++
  return Math.min(at + 1, end)
}

/** The name, written plainly or, with characters that plain names lack, in quotes. */
function nameOf(written: string | undefined): string | undefined {
  if (written === undefined || NAME.test(written)) return written
  return /^"[^]+"$/.test(written) ? written.slice(1, -1) : undefined
}

/** Reads the comment line whose `#` is at `hash` and whose line feed is at `newline`. */
export function scanComment(
  text: Text,
  hash: number,
  newline: number,
  strings: StringTable,
  selection: Selection,
): Comment {
  const { bytes } = text
  const { format } = selection
  const end = bytes[newline - 1] === RETURN ? newline - 1 : newline
  const from = skipBlanks(bytes, hash + 1)
  const keywordEnd = wordEnd(bytes, from, end)
  // Whitespace separates a keyword from the `#`; otherwise the line is a remark.
  if (from === hash + 1 || keywordEnd - from > 4) return REMARK
  const keyword = strings.read(text, from, keywordEnd)
  const isMetadata = keyword === 'HELP' || keyword === 'TYPE' || (keyword === 'UNIT' && format === 'openmetrics')
  if (!isMetadata || keywordEnd === end) {
    return format === 'openmetrics' && keyword === 'EOF' && keywordEnd === end ? END : REMARK
  }
  const at = skipBlanks(bytes, keywordEnd)
  const after = wordEnd(bytes, at, end)
  const family = nameOf(strings.read(text, at, after))
  if (family === undefined) return { kind: 'problem', at, message: `expected a metric name after # ${keyword}` }
  if (!selection.tracksFamily(family)) return REMARK

  const saidAt = Math.min(after + 1, end)
  const said = decodeUtf8(bytes.subarray(saidAt, end))
  const problem = (expected: string): Comment => ({ kind: 'problem', at: saidAt, message: `expected ${expected}` })
  if (said === undefined) return problem(`UTF-8 after # ${keyword} ${family}`)
  if (keyword === 'HELP') {
    return { kind: 'help', family, help: format === 'text' ? unescapeHelp(said) : unescapeLabel(said) }
  }
  const word = said.trim()
  if (keyword === 'UNIT') {
    const fits = word === '' || family.endsWith(`_${word}`)
    return fits ? { kind: 'unit', family, unit: word } : problem(`a unit with which the name ${family} ends`)
  }
  const type = TYPES[format].get(word)
  return type ? { kind: 'type', family, type } : problem(`one of the types ${[...TYPES[format].keys()].join(', ')}`)
}
