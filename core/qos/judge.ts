import { anyOf, type Finding, member, quoted, type Reason } from '../config/finding.ts'
import { nearest } from '../text/text.ts'

/** A value as written, with its position: `at` is its path in one of the documents that make up a configuration. */
export interface Placed<T> {
  readonly value: T
  readonly document: number
  readonly at: string
}

export interface PlacedFinding extends Finding {
  readonly document: number
  readonly kind: 'Class' | 'Rule' | ''
  readonly name: string
}

/** Anything that is validated may have a name. */
export interface Named {
  readonly name?: string
}

/** Collects the findings of one class or rule. */
export class Judge<T extends Named> {
  readonly value: T
  readonly #kind: PlacedFinding['kind']
  readonly #placed: Placed<T>
  readonly #findings: PlacedFinding[]
  #errors = 0

  constructor(kind: PlacedFinding['kind'], placed: Placed<T>, findings: PlacedFinding[]) {
    this.value = placed.value
    this.#kind = kind
    this.#placed = placed
    this.#findings = findings
  }

  get sound(): boolean {
    return this.#errors === 0
  }

  reject(field: string, reason: Reason, message: string): undefined {
    this.#errors += 1
    this.#add(field, reason, 'error', message)
  }

  warn(field: string, message: string): void {
    this.#add(field, 'FieldValueInvalid', 'warning', message)
  }

  /** A number within bounds, both included. */
  number(field: string, value: number | undefined, bounds: Bounds): number | undefined {
    const { least, most = Number.MAX_VALUE, whole = false, above = false } = bounds
    if (value === undefined)
      return this.reject(field, 'FieldValueRequired', `${field} is missing: set it to ${rangeText(bounds)}.`)
    const fits = (above ? value > least : value >= least) && value <= most && (!whole || Number.isInteger(value))
    return fits
      ? value
      : this.reject(field, 'FieldValueInvalid', `${field} must be ${rangeText(bounds)}, not ${value}.`)
  }

  /** One of these words; the first if the field is absent. */
  choice<W extends string>(field: string, value: string | undefined, words: readonly W[]): W | undefined {
    if (value === undefined) return words[0]
    return words.find((word) => word === value) ?? this.unknown(field, value, words)
  }

  /** Reports that nothing has this name, nor one of the aliases. */
  unknown(
    field: string,
    value: string,
    words: readonly string[],
    what = field,
    aliases: Iterable<string> = [],
  ): undefined {
    const meant = nearest(value, [...words, ...aliases])
    const listed = words.length > MOST_LISTED ? '.' : `: write ${anyOf(words)}.`
    const mend = meant === undefined ? listed : `: did you mean ${quoted(meant)}?`
    return this.reject(field, 'FieldValueNotSupported', `${what} cannot be ${quoted(value)}${mend}`)
  }

  #add(field: string, reason: Reason, severity: Finding['severity'], message: string): void {
    const { document, at, value } = this.#placed
    const path = field === '' ? at : member(at, field)
    this.#findings.push({ document, kind: this.#kind, name: value.name ?? '', field: path, reason, severity, message })
  }
}

/** Maximum number of valid words that a finding about an unknown one lists. */
const MOST_LISTED = 20

/** Bounds of a number. */
export interface Bounds {
  readonly least: number
  readonly most?: number
  readonly whole?: boolean
  /** Whether `least` itself is excluded. */
  readonly above?: boolean
}

function rangeText({ least, most, whole = false, above = false }: Bounds): string {
  const number = whole ? 'a whole number' : 'a number'
  if (most !== undefined) return `${number} from ${least} to ${most}`
  return above ? `${number} above ${least}` : `${number} of at least ${least}`
}
