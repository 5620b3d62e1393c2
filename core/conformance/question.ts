import { z } from 'zod'

/** A question that cannot be answered: one sentence that names the field. */
export class QuestionError extends Error {}

/**
 * Parses a question. As in the oracle, a missing or null field is zero, and unknown fields are ignored. Throws a
 * QuestionError.
 */
export function readQuestion<S extends z.ZodType>(schema: S, json: unknown): z.output<S> {
  const result = schema.safeParse(withoutNulls(json ?? {}))
  if (result.success) return result.data
  const { path, message } = result.error.issues[0] ?? { path: [], message: 'cannot be read' }
  throw new QuestionError(`${path.length === 0 ? 'The question' : fieldName(path)} ${message}.`)
}

const fieldName = (path: readonly PropertyKey[]): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')

/** Drops members that are null. In a list they become undefined, so that the others keep their positions. */
function withoutNulls(json: unknown): unknown {
  if (json === null) return undefined
  if (Array.isArray(json)) return json.map(withoutNulls)
  if (typeof json !== 'object') return json
  const members = Object.entries(json).filter(([, value]) => value !== null)
  return Object.fromEntries(members.map(([key, value]) => [key, withoutNulls(value)]))
}

const wholeNumber = z.int({ error: 'must be a whole number below 2^53' })
const number = z.number({ error: 'must be a number' })
const anyText = z.string({ error: 'must be a string' })

export const int = wholeNumber.default(0)
export const optionalInt = wholeNumber.exactOptional()
export const double = number.default(0)
export const numbersByName = z.record(z.string(), number, { error: 'must be an object of numbers' })
export const text = anyText.default('')
export const optionalText = anyText.exactOptional()
export const flag = z.boolean({ error: 'must be true or false' }).default(false)

export const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, { error: `must be ${values.map((value) => JSON.stringify(value)).join(' or ')}` })

export const someOf = <S extends z.ZodType>(item: S) => z.array(item, { error: 'must be a list' })
export const list = <S extends z.ZodType>(item: S) => someOf(item).default([])

export const record = <S extends z.ZodRawShape>(fields: S) => z.object(fields, { error: 'must be an object' })

/** A record written as the list of its fields, in their order; trailing ones may be omitted. */
export function row<S extends z.ZodRawShape>(fields: S) {
  const names = Object.keys(fields)
  return z.preprocess((cells, context) => {
    if (Array.isArray(cells) && cells.length <= names.length) {
      return Object.fromEntries(names.map((name, i) => [name, cells[i]]))
    }
    context.addIssue({ code: 'custom', message: `must be a list of ${names.join(', ')}` })
    return z.NEVER
  }, record(fields))
}

const anyInt64 = decimal(-(2n ** 63n), 2n ** 63n - 1n, 'of 64 bits')
const anyUint64 = decimal(0n, 2n ** 64n - 1n, 'of 64 bits, without a sign')

export const int64 = anyInt64.default(0n)
export const optionalInt64 = anyInt64.optional()
export const uint64 = anyUint64.default(0n)
export const optionalUint64 = anyUint64.optional()
/** Nanoseconds from the start. */
export const instant = decimal(0n, 2n ** 63n - 1n, 'of nanoseconds, not negative').default(0n)
/** Written like the 64-bit ones, but represented exactly by a double. */
export const count = decimal(0n, 2n ** 53n - 1n, 'below 2^53, not negative')
  .default(0n)
  .transform(Number)
export const signedCount = decimal(1n - 2n ** 53n, 2n ** 53n - 1n, 'between ±2^53')
  .default(0n)
  .transform(Number)

/**
 * An integer as a decimal string, or as a JSON number: numbers above 2^53 have lost digits, so they must be strings.
 */
function decimal(least: bigint, most: bigint, what: string) {
  const isDecimal = (value: unknown): value is string | number =>
    typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'string' && /^[+-]?\d+$/.test(value)
  const message = `must be a whole number ${what}, as a decimal string`
  return z.custom<string | number>(isDecimal, { error: message, abort: true }).transform((value, context) => {
    const integer = BigInt(value)
    if (integer >= least && integer <= most) return integer
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
}
