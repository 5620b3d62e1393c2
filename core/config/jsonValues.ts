import { unixMsOf } from '../units.ts'
import { type Finding, entry, quoted, rejected } from './finding.ts'

/** A JSON object of a manifest or an API response, of any shape. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Decodes a value at a path like the API server. Errors are added to `findings`; the result is then empty, as it is for
 * `undefined` and `null`.
 */
export type Read<T> = (value: unknown, at: string, findings: Finding[]) => T

const reads =
  <T>(what: string, empty: T, isOne: (value: unknown) => value is T): Read<T> =>
  (value, at, findings) => {
    if (value === undefined || value === null) return empty
    if (isOne(value)) return value
    findings.push(wrongType(at, value, what))
    return empty
  }

export const readText = reads('a string', '', (value) => typeof value === 'string')
export const readFlag = reads('true or false', false, (value) => typeof value === 'boolean')
const readObject = reads<JsonObject>('an object', {}, isJsonObject)
export const readAnything: Read<unknown> = (value) => value

const [LEAST_INT32, MOST_INT32] = [-(2 ** 31), 2 ** 31 - 1]
const readNumber = reads('a whole number', 0, (value) => typeof value === 'number')

/** Any number; JSON has no infinite ones. */
export const readAmount = reads('a number', 0, (value) => typeof value === 'number')

/** A whole number of 32 bits. */
export const readWhole: Read<number> = (value, at, findings) => {
  const number = readNumber(value, at, findings)
  // Without the sign of a zero, which the server drops as well.
  if (Number.isInteger(number) && number >= LEAST_INT32 && number <= MOST_INT32) return number + 0
  const message = `${at} must be a whole number from ${LEAST_INT32} to ${MOST_INT32}, not ${number}.`
  findings.push(rejected(at, 'Malformed', message))
  return 0
}

/** A whole number of 64 bits, as far as a JavaScript number can represent it. */
export const readLong: Read<number> = (value, at, findings) => {
  const number = readNumber(value, at, findings)
  if (Number.isInteger(number) && Math.abs(number) <= 2 ** 63) return number + 0
  findings.push(rejected(at, 'Malformed', `${at} must be a whole number of 64 bits, not ${number}.`))
  return 0
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const readItems = reads<readonly unknown[]>('a list', [], isList)

/** A list. An entry that is `null` becomes an empty one. */
export const readList =
  <T>(read: Read<T>): Read<readonly T[]> =>
  (value, at, findings) =>
    readItems(value, at, findings).map((item, index) => read(item, entry(at, index), findings))

/** A map from text to text. A value that is `null` becomes an empty one. */
export const readTexts: Read<Readonly<Record<string, string>>> = (value, at, findings) =>
  Object.fromEntries(
    Object.entries(readObject(value, at, findings)).map(([key, text]) => [
      key,
      readText(text, `${at}[${key}]`, findings),
    ]),
  )

/** Hours of one digit and offsets of a day are accepted by the server in addition to RFC 3339. */
const TIME = /^(\d{4}-\d\d-\d\d)T(\d|[01]\d|2[0-3]):[0-5]\d:[0-5]\d([.,]\d+)?(Z|[+-]([01]\d|2[0-4]):([0-5]\d|60))$/

/** A time of RFC 3339. */
export const readTime: Read<string> = (value, at, findings) => {
  const text = readText(value, at, findings)
  if (typeof value !== 'string' || isTime(text)) return text
  const message = `${at} must be a time such as “2026-01-31T12:00:00Z”, not ${quoted(text)}.`
  findings.push(rejected(at, 'Malformed', message))
  return ''
}

function isTime(text: string): boolean {
  const date = TIME.exec(text)?.[1]
  if (date === undefined) return false
  const midnight = new Date(unixMsOf(`${date}T00:00:00Z`))
  // The 31st of February is parsed as a day of March.
  return Number.isFinite(midnight.getTime()) && midnight.toISOString().startsWith(date)
}

export const wrongType = (at: string, value: unknown, what: string): Finding =>
  rejected(at, 'Malformed', `${at === '' ? 'The manifest' : at} must be ${what}, not ${typeName(value)}.`)

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (value === null) return 'null'
  switch (typeof value) {
    case 'string':
      return `the text ${quoted(value)}`
    case 'number':
      return `the number ${value}`
    case 'boolean':
      return String(value)
    default:
      return 'an object'
  }
}
