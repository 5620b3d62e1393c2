import { listed, nearest } from '../text/text.ts'

/**
 * Why the API server rejects a field, by its own names (specification 1.5); `Unknown` and `Malformed` are ours, for
 * what it rejects before validation: unknown fields and values of a wrong type.
 */
export const REASONS = [
  'FieldValueRequired',
  'FieldValueInvalid',
  'FieldValueNotSupported',
  'FieldValueNotFound',
  'FieldValueForbidden',
  'FieldValueDuplicate',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
  'FieldUnknown',
  'Malformed',
] as const
export type Reason = (typeof REASONS)[number]

/** One problem of one object. */
export interface Finding {
  /** Path in the notation of the API server: `spec.rules[0].subjects[1].user.name`; empty for the whole object. */
  readonly field: string
  readonly reason: Reason
  /** `error` exactly if a server of the chosen version rejects it. */
  readonly severity: 'error' | 'warning'
  /** One sentence: what is wrong and how to fix it. */
  readonly message: string
}

/** A value that a server of the chosen version rejects. `message` states what is wrong and how to fix it. */
export const rejected = (field: string, reason: Reason, message: string): Finding => ({
  field,
  reason,
  severity: 'error',
  message,
})

/** A value that the server accepts but that is probably a mistake. */
export const suspicious = (field: string, message: string, reason: Reason = 'FieldValueInvalid'): Finding => ({
  field,
  reason,
  severity: 'warning',
  message,
})

/** A path one member deeper: `spec` and `type` give `spec.type`. */
export const member = (at: string, key: string): string => (at === '' ? key : `${at}.${key}`)

/** A path one entry deeper: `spec.rules[0]`. */
export const entry = (at: string, index: number): string => `${at}[${index}]`

/** `“a”, “b” or “c”`. */
export const anyOf = (values: readonly string[]): string => listed(values.map(quoted), 'or')

const LONGEST_QUOTE = 80

/** A value in quotation marks, shortened. */
export const quoted = (value: string): string =>
  `“${value.length > LONGEST_QUOTE ? `${value.slice(0, LONGEST_QUOTE)}…` : value}”`

/** `did you mean “a”?`, with the known name that was probably meant; if there is none, what else to do. */
export function meantOr(name: string, known: readonly string[], otherwise: string): string {
  const meant = nearest(name, known)
  return meant === undefined ? otherwise : `did you mean ${quoted(meant)}?`
}

/**
 * Warnings about values that occur more than once in a list that is a set. A creation may repeat them; server-side
 * apply, which the console and `kubectl apply --server-side` use, rejects the whole object.
 */
export const repeated = (values: readonly string[], at: string): Finding[] =>
  values.flatMap((value, index) => {
    if (values.indexOf(value) === index) return []
    const message = `${quoted(value)} occurs more than once in the list, which server-side apply rejects: remove it here.`
    return [suspicious(entry(at, index), message, 'FieldValueDuplicate')]
  })
