import type { RequestInfo } from '../classify/requestInfo.ts'
import type { LiveRequest } from '../contract/live.ts'
import type { Followed } from '../live/follower.ts'
import type { LiveRow } from '../live/requestLog.ts'
import type { FeedArrival } from './arrival.ts'
import type { User } from '../classify/match.ts'

const NS_PER_MS = 1e6
const CREDENTIAL = /([?&](?:access_token|token|id_token)=)[^&]*/gi

/** Path and query; whatever a client gave away in it stays out of rows, files and screens. */
const shown = (requestURI: string): string =>
  requestURI.includes('oken=') ? requestURI.replaceAll(CREDENTIAL, '$1(hidden)') : requestURI

function resourceName({ isResource, resource, apiGroup, subresource }: RequestInfo): string {
  if (!isResource) return ''
  const named = apiGroup === '' ? resource : `${resource}.${apiGroup}`
  return subresource === '' ? named : `${named}/${subresource}`
}

/** The row of a request that has not come to flow control, or passes it by. */
export function rowOf(
  { line, verb, requestURI, status, server }: FeedArrival,
  { name, groups }: User,
  at: number,
): Omit<LiveRequest, 'seq'> {
  const info = line.ok ? line.info : undefined
  return {
    at,
    user: name,
    groups: [...groups],
    verb: info?.verb ?? verb,
    url: shown(requestURI),
    resource: info === undefined ? '' : resourceName(info),
    namespace: info?.namespace ?? '',
    name: info?.name ?? '',
    state: 'bypassed',
    level: '',
    schema: '',
    flow: '',
    seats: { initial: 0, final: 0 },
    ...(status !== undefined && { status }),
    ...(server !== undefined && { server }),
  }
}

/** Where the engine put it. */
export function place(row: LiveRow, { ticket }: Followed): void {
  if (ticket === undefined) return
  row.level = ticket.lane.level.plan.name
  row.schema = ticket.lane.schema
  row.flow = ticket.flow?.distinguisher ?? ''
  row.seats = { initial: ticket.initialSeats, final: ticket.finalSeats }
  if (ticket.queue !== undefined && ticket.queue.index >= 0) row.queue = ticket.queue.index
  row.state = 'waiting'
}

/** What the engine has decided since; `true` when the row changed. */
export function update(row: LiveRow, { decision, ticket, waitNs }: Followed, runMs: number | undefined): boolean {
  const state = decision.kind === 'done' ? 'served' : decision.kind
  if (row.state === state) return false
  row.state = state
  if (waitNs !== undefined) row.waitMs = waitNs / NS_PER_MS
  if (decision.kind === 'rejected') {
    row.reason = decision.reason
    row.retryAfter = decision.retryAfter
  }
  if (decision.kind === 'done') {
    if (runMs !== undefined) row.runMs = runMs
    if (ticket !== undefined) row.lingerMs = ticket.additionalLatency / NS_PER_MS
  }
  return true
}
