import type { Problem } from '../../core/contract/errors.ts'

/** A problem in words. What a credential plugin wrote, or how to install it, belongs to them; other details do not. */
export function problemText({ code, message, details }: Problem): string {
  if (details === undefined) return message
  if (code === 'internal') return `${message} (${details})`
  return code === 'credentials' ? `${message}\n${details.replaceAll(/^/gm, '  ')}` : message
}
