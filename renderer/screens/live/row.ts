import { EXEMPT } from '../../../core/config/objects.ts'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { flowName } from '../../state/flows.logic.ts'

/** How a feed without users calls whoever sent a request; what tells senders apart comes after it. */
const UNKNOWN_USER = 'unknown user: '

/** The name of a flow as people say it, what tells it from others first. */
export function shortFlowName(flow: string, schema: string): string {
  const name = flowName(flow, schema)
  return name.startsWith(UNKNOWN_USER) ? `${name.slice(UNKNOWN_USER.length)} (user unknown)` : name
}

/** The flow of a request; of exempt requests the user, because exempt schemas distinguish no flows. */
export const flowOf = ({ level, flow, schema, user }: LiveRequest): string =>
  shortFlowName(level === EXEMPT && flow === '' ? user : flow, schema)

/** `LIST pods`, `GET /healthz`. */
export function requestOf({ verb, resource, name, url }: LiveRequest): string {
  const what = resource === '' ? (url.split('?', 1)[0] ?? '') : name === '' ? resource : `${resource} ${name}`
  return `${verb.toUpperCase()} ${what}`
}

/**
 * Clock of the rows, Unix milliseconds: the reader's, unless what is reported happened in another time or `stands`: a
 * source that is silent reports nothing of its last minute, and a simulation, whose clients never rest, falls behind where
 * the machine is too slow for it.
 */
export function clockOf(newestAt: number | undefined, now: number, stands: boolean): number {
  return newestAt !== undefined && (stands || Math.abs(now - newestAt) > OTHER_TIME_MS) ? newestAt : now
}

const OTHER_TIME_MS = 300_000

/**
 * Seconds of the last `longest` that rows tell of: what has only just begun is no less busy for the time before. At
 * least one, so that a single request is no storm.
 */
export function coveredSeconds(oldestAt: number | undefined, now: number, longest: number): number {
  const known = oldestAt === undefined ? 0 : (now - oldestAt) / 1_000
  return Math.max(1, Math.min(longest, known))
}
