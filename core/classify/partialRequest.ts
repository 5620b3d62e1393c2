import type { RequestSample } from '../contract/objects.ts'
import type { RequestAddress } from './requestFields.ts'

/** Something that cannot be read, in one sentence. */
export interface Unreadable {
  readonly problem: string
}

/** What a text says of a request; each format gives as much as it has. */
export interface PartialRequest extends RequestAddress {
  readonly user?: string
  readonly groups?: readonly string[]
  readonly guessed?: readonly (keyof RequestSample)[]
  readonly notes?: readonly string[]
}

/** Path and query of an address, with or without scheme and host; a variable may stand for these. */
export function pathOf(address: string): string | undefined {
  const rest = address.replace(/^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*/i, '').replace(/#.*$/s, '')
  if (rest.startsWith('/')) return rest
  if (rest.startsWith('?')) return `/${rest}`
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? '/' : undefined
}

/** `undefined` for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
