import type { Problem } from '../../core/contract/errors.ts'

/** A problem in lines. What a credential plugin wrote, or how to install it, belongs to them; other details do not. */
export function problemLines({ code, message, details }: Problem): readonly string[] {
  if (details === undefined) return [message]
  if (code === 'internal') return [`${message} (${details})`]
  return code === 'credentials' ? [message, ...details.split('\n').map((line) => `  ${line}`)] : [message]
}
