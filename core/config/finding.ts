/**
 * Why the API server rejects a field, in its own words (specification 1.5); `Unknown` and `Malformed` are ours, for what
 * it refuses before it validates: fields that it does not know and values of a wrong type.
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
  /** Path as the API server reports it: `spec.rules[0].subjects[1].user.name`; empty for the whole object. */
  readonly field: string
  readonly reason: Reason
  /** `error` exactly for what a server of the chosen version rejects. */
  readonly severity: 'error' | 'warning'
  /** One sentence that says what is wrong and how to mend it. */
  readonly message: string
}
