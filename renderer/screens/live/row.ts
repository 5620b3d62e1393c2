import { EXEMPT } from '../../../core/config/objects.ts'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { flowName } from '../level/flows.data.ts'

/** The flow as people say it; of exempt requests the user, because exempt schemas distinguish no flows. */
export const flowOf = ({ level, flow, schema, user }: LiveRequest): string =>
  level === EXEMPT && flow === '' ? flowName(user, schema) : flowName(flow, schema)

/** `LIST pods`, `GET /healthz`. */
export function requestOf({ verb, resource, name, url }: LiveRequest): string {
  const what = resource === '' ? (url.split('?', 1)[0] ?? '') : name === '' ? resource : `${resource} ${name}`
  return `${verb.toUpperCase()} ${what}`
}

/** Clock of the rows, Unix milliseconds: the reader's, unless what is told happened in another time. */
export function clockOf(newestAt: number | undefined, now: number): number {
  return newestAt !== undefined && Math.abs(now - newestAt) > OTHER_TIME_MS ? newestAt : now
}

const OTHER_TIME_MS = 300_000
