/**
 * Codes that a caller may act on; the message is for people: one sentence with what failed, where, and how to fix it.
 */
export const ERROR_CODES = [
  'invalid-input',
  'unknown-procedure',
  'unauthorized',
  /** Credentials cannot be obtained or used, so nothing was sent. */
  'credentials',
  'forbidden',
  'not-found',
  'unreachable',
  'tls',
  'timeout',
  'bad-answer',
  'too-large',
  'throttled',
  'unsupported',
  'cancelled',
  'internal',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** A failure as a value, as transports carry it and screens show it. */
export interface Problem {
  readonly code: ErrorCode
  readonly message: string
  /** The raw reply or the system's error message, for a "details" disclosure; never contains a secret. */
  readonly details?: string | undefined
}

/** Whether this is a problem: the same check as its schema, for code that reads replies without schemas. */
export const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' &&
  value !== null &&
  'code' in value &&
  ERROR_CODES.some((code) => code === value.code) &&
  'message' in value &&
  typeof value.message === 'string' &&
  (!('details' in value) || typeof value.details === 'string')

/** A problem as an exception: thrown inside a side, turned back into a value at the transport. */
export class ProblemError extends Error {
  readonly problem: Problem
  constructor(code: ErrorCode, message: string, details?: string) {
    super(message)
    this.name = 'ProblemError'
    this.problem = details === undefined ? { code, message } : { code, message, details }
  }

  /** An exception for a problem that arrived as a value. */
  static of({ code, message, details }: Problem): ProblemError {
    return new ProblemError(code, message, details)
  }
}

/** The code of an error of Node or the system: `ENOENT`. */
export const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && 'code' in thrown ? thrown.code : undefined

/** The message of anything thrown. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** The problem that every side reports for a source that was disconnected meanwhile. */
export const NOT_CONNECTED = 'This source is no longer connected.'

/**
 * The problem for anything thrown. Unknown failures keep their message as details, with a general sentence as the
 * message.
 */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof ProblemError) return thrown.problem
  const text = messageOf(thrown)
  return { code: 'internal', message: 'Internal error of the console; see the details.', details: text }
}
