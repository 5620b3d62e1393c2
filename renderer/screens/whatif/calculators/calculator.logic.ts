/** The typed value of a field, or why it is invalid. */
type Typed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string }

export interface Field<T> {
  readonly label: string
  readonly initial: string
  /** `choice` has options, `lines` several lines. */
  readonly kind: 'number' | 'text' | 'lines' | 'choice'
  readonly options?: readonly (readonly [value: string, label: string])[]
  readonly hint?: string
  readonly read: (text: string) => Typed<T>
}

export interface Answer {
  readonly summary: string
  /** Cells as they are shown; the first column names the row. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** The value of a field of the calculator. */
type Take = <T>(field: Field<T>) => T

export interface Definition {
  readonly title: string
  /** The section with the formula, and which parts of it are a choice of the console. */
  readonly follows: string
  /** What Kubernetes does today instead. */
  readonly upstream: string
  /** Each with a distinct label. */
  readonly fields: readonly Field<unknown>[]
  /** Called only when every field is valid. */
  readonly answer: (take: Take) => Answer
}

/** The typed text, by the label of its field; an untouched field has its initial text. */
export type Texts = Readonly<Partial<Record<string, string>>>
type Computed =
  | { readonly ok: true; readonly answer: Answer }
  /** Messages by the label of their field. */
  | { readonly ok: false; readonly errors: Texts }

export function compute({ fields, answer }: Definition, texts: Texts): Computed {
  const read = <T>(field: Field<T>): Typed<T> => field.read(texts[field.label] ?? field.initial)
  const errors = fields.flatMap((field) => {
    const typed = read(field)
    return typed.ok ? [] : [[field.label, typed.message] as const]
  })
  if (errors.length > 0) return { ok: false, errors: Object.fromEntries(errors) }
  const take: Take = (field) => {
    const typed = read(field)
    if (!typed.ok) throw new Error(`${field.label} is not among the fields`)
    return typed.value
  }
  return { ok: true, answer: answer(take) }
}

interface Bounds {
  readonly least: number
  readonly most: number
  readonly hint?: string
}

const numberIn = (text: string): number => (/^\d{1,15}(?:\.\d{1,6})?$/.test(text.trim()) ? Number(text) : Number.NaN)

const boundedField =
  (what: string, fits: (value: number) => boolean) =>
  (label: string, initial: number, { least, most, ...rest }: Bounds): Field<number> => ({
    ...rest,
    label,
    initial: String(initial),
    kind: 'number',
    read: (text) => {
      const value = numberIn(text)
      return fits(value) && value >= least && value <= most
        ? { ok: true, value }
        : { ok: false, message: `Enter ${what} from ${least} to ${most}.` }
    },
  })

export const wholeField = boundedField('a whole number', Number.isInteger)
export const numberField = boundedField('a number', Number.isFinite)

export const choiceField = <T extends string>(
  label: string,
  options: readonly [readonly [T, string], ...(readonly (readonly [T, string])[])],
): Field<T> => ({
  label,
  initial: options[0][0],
  kind: 'choice',
  options,
  read: (text) => {
    const found = options.find(([value]) => value === text)
    return found === undefined ? { ok: false, message: 'Choose one.' } : { ok: true, value: found[0] }
  },
})

const MOST_LINES = 1_000

interface Lines<T> {
  readonly label: string
  readonly initial: string
  /** The required form of a line, for its error message. */
  readonly hint: string
  /** `undefined`: the line is invalid. */
  readonly line: (words: readonly string[]) => T | undefined
}

/** One value per line; empty lines are skipped. */
export const linesField = <T>({ label, initial, hint, line }: Lines<T>): Field<readonly T[]> => ({
  label,
  initial,
  hint,
  kind: 'lines',
  read: (text) => {
    const lines = text.split('\n').map((one) => one.trim())
    const values: T[] = []
    for (const [index, one] of lines.entries()) {
      if (one === '') continue
      const value = line(one.split(/\s+/))
      if (value === undefined) return { ok: false, message: `Line ${index + 1} is not of the form: ${hint}` }
      values.push(value)
    }
    if (values.length === 0) return { ok: false, message: 'Enter at least one line.' }
    return values.length > MOST_LINES
      ? { ok: false, message: `Enter at most ${MOST_LINES} lines.` }
      : { ok: true, value: values }
  },
})

/** A whole number of at most nine digits, as a word of a line. */
export const wholeWord = (word: string | undefined): number | undefined =>
  word !== undefined && /^\d{1,9}$/.test(word) ? Number(word) : undefined
