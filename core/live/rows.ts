import type { User } from '../request/match.ts'
import type { RequestInfo } from '../request/requestInfo.ts'
import type { LiveRequest } from '../contract/live.ts'
import type { Ticket } from '../engine/ticket.ts'
import { keptGroups, keptText, MOST_CHARACTERS, ownText } from '../run/keptText.ts'
import type { Call } from '../run/run.ts'
import { nsToMs } from '../units.ts'
import type { LiveRow } from './requestLog.ts'
import { shownTarget } from './shownTarget.ts'

/** A request line and its user. */
export interface Asked {
  readonly user: User
  /** Its method; or its verb, where only that is known. */
  readonly method: string
  /** Path and query as in the request line. */
  readonly target: string
  /** Address of its client, without a port, where it is known. */
  readonly address?: string | undefined
}

/**
 * The row of a request that has just arrived; without `info`, of one that a server rejects before it classifies. Texts
 * are cut to the lengths that a row may keep.
 */
export function rowOf(
  { user, method, target, address }: Asked,
  at: number,
  info?: RequestInfo,
): Omit<LiveRequest, 'seq'> {
  const { url, name: most } = MOST_CHARACTERS
  const part = (text: string): string => {
    const kept = keptText(text, most)
    return target.length > url ? ownText(kept) : kept
  }
  return {
    at,
    user: keptText(user.name, MOST_CHARACTERS.user),
    groups: keptGroups(user.groups),
    ...(address !== undefined && { address: keptText(address, most) }),
    verb: keptText(info?.verb ?? method.toLowerCase(), most),
    url: keptText(shownTarget(target), url),
    resource: info === undefined ? '' : part(resourceOf(info)),
    namespace: part(info?.namespace ?? ''),
    name: part(info?.name ?? ''),
    state: 'bypassed',
    level: '',
    schema: '',
    flow: '',
    seats: { initial: 0, final: 0 },
  }
}

/** Where the engine placed it. */
export function placed<T>(ticket: Ticket<T>): Partial<LiveRow> {
  const queue = ticket.queue?.index ?? -1
  return {
    ...ticket.place,
    engineMs: nsToMs(ticket.arrivedNs),
    flow: ownText(keptText(ticket.flow?.distinguisher ?? '', MOST_CHARACTERS.user)),
    seats: { initial: ticket.initialSeats, final: ticket.finalSeats },
    ...(queue < 0 ? {} : { queue }),
  }
}

/**
 * Writes the decisions of a run's engine since the last call; `true` if there are new ones. `runMs` is how long the
 * request executes there.
 */
export function follow(row: LiveRow, { decision, ticket, waitNs }: Call, runMs: number | undefined): boolean {
  const state = decision.kind === 'done' ? 'served' : decision.kind
  if (row.state === state) return false
  row.state = state
  if (waitNs !== undefined) row.waitMs = nsToMs(waitNs)
  if (decision.kind === 'rejected') {
    row.reason = decision.reason
    row.retryAfter = decision.retryAfter
  }
  if (decision.kind === 'done') {
    if (runMs !== undefined) row.runMs = runMs
    if (ticket !== undefined) row.lingerMs = nsToMs(ticket.additionalLatency)
  }
  return true
}

function resourceOf({ isResource, resource, apiGroup, subresource }: RequestInfo): string {
  if (!isResource) return ''
  const named = apiGroup === '' ? resource : `${resource}.${apiGroup}`
  return subresource === '' ? named : `${named}/${subresource}`
}
