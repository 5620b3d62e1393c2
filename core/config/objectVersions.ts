import { sameContent, versionOf, type ObjectVersion } from './content.ts'
import type { JsonObject } from './jsonValues.ts'

/**
 * Remembers what objects said at the versions in which they were seen. The server writes the status of objects too,
 * which changes their version though nothing was edited: somebody who began from such a version has lost nothing.
 */
export interface ObjectVersions {
  see(object: JsonObject): void
  /** Whether that version of an object said the same as `present`; `false` too when it is not remembered. */
  saidTheSame(base: ObjectVersion, present: JsonObject): boolean
}

/** Those that are in force are held anyway; earlier ones are about 2 kB each. */
const MOST = 12_000

export function createObjectVersions(): ObjectVersions {
  const known = new Map<string, JsonObject>()
  return {
    see(object) {
      const version = versionOf(object)
      if (version === undefined) return
      known.set(keyOf(version), object)
      if (known.size <= MOST) return
      const [oldest] = known.keys()
      if (oldest !== undefined) known.delete(oldest)
    },
    saidTheSame(base, present) {
      const then = known.get(keyOf(base))
      return then !== undefined && sameContent(then, present)
    },
  }
}

const keyOf = ({ uid, resourceVersion }: ObjectVersion): string => `${uid}/${resourceVersion}`
