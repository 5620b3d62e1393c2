import { checkObject } from '../../core/config/checkObject.ts'
import type { Finding } from '../../core/config/finding.ts'
import type { ObjectChange } from '../../core/contract/objects.ts'

/** What our own validation says of a change, by the rules of the server's version; nothing of a deletion. */
export const ourFindings = ({ object }: ObjectChange, version = ''): readonly Finding[] =>
  object === null ? [] : checkObject(object, version).findings
