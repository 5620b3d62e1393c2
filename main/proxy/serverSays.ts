import type { IncomingMessage } from 'node:http'
import type { LiveRequest } from '../../core/contract/live.ts'

/** Names of the cluster's objects by their UIDs; `undefined` for one that is not known. */
export interface ObjectNames {
  readonly level: (uid: string) => string | undefined
  readonly schema: (uid: string) => string | undefined
}

const LEVEL_UID = 'x-kubernetes-pf-prioritylevel-uid'
const SCHEMA_UID = 'x-kubernetes-pf-flowschema-uid'

/** Where the server put a request, by the headers of its answer (specification 4.14); `undefined` when they do not tell. */
export const serverSays =
  ({ level, schema }: ObjectNames) =>
  ({ headers }: Pick<IncomingMessage, 'headers'>): LiveRequest['server'] => {
    const levelName = nameOf(headers[LEVEL_UID], level)
    const schemaName = nameOf(headers[SCHEMA_UID], schema)
    if (levelName === undefined && schemaName === undefined) return undefined
    return {
      ...(levelName !== undefined && { level: levelName }),
      ...(schemaName !== undefined && { schema: schemaName }),
    }
  }

/** Empty for an object that the API does not have. */
function nameOf(uid: string | string[] | undefined, names: (uid: string) => string | undefined): string | undefined {
  return typeof uid === 'string' && uid !== '' ? names(uid) : undefined
}
