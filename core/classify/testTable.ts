import { nearest } from '../text/text.ts'

const REQUEST_KEYS = ['user', 'groups', 'method', 'verb', 'url']
const ROW_KEYS = ['id', 'label', 'request', 'expect']
const EXPECT_KEYS = ['flowSchema', 'priorityLevel']

/** Of a saved test table: the first key that none of its rows has, in a sentence. A row without `expect` always passes. */
export function strangeKeyInTable(table: unknown): string | undefined {
  const rows = isObject(table) ? table['tests'] : table
  if (!Array.isArray(rows)) return undefined
  return firstOf(rows, (row, at) => {
    if (!isObject(row)) return undefined
    const { request, expect } = row
    return (
      strangeKey(row, ROW_KEYS, at) ??
      strangeKey(request, REQUEST_KEYS, `${at}.request`) ??
      strangeKey(expect, EXPECT_KEYS, `${at}.expect`)
    )
  })
}

/** The same of one request or a list of them. */
export const strangeKeyInRequests = (requests: unknown): string | undefined =>
  Array.isArray(requests)
    ? firstOf(requests, (request, at) => strangeKey(request, REQUEST_KEYS, at))
    : strangeKey(requests, REQUEST_KEYS, 'the request')

function firstOf(
  rows: readonly unknown[],
  strangeIn: (row: unknown, at: string) => string | undefined,
): string | undefined {
  for (const [index, row] of rows.entries()) {
    const found = strangeIn(row, `row ${index + 1}`)
    if (found !== undefined) return found
  }
  return undefined
}

function strangeKey(value: unknown, known: readonly string[], at: string): string | undefined {
  const strange = isObject(value) ? Object.keys(value).find((key) => !known.includes(key)) : undefined
  if (strange === undefined) return undefined
  const meant = nearest(strange, known)
  return `There is no key ${JSON.stringify(strange)} in ${at}; ${meant === undefined ? `it takes ${known.join(', ')}.` : `did you mean ${meant}?`}`
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
