import type { LiveRequest } from '../../core/contract/live.ts'
import type { User } from '../../core/classify/match.ts'
import type { RequestInfo } from '../../core/classify/requestInfo.ts'
import type { LiveRow } from '../../core/live/requestLog.ts'
import type { Ticket } from '../../core/engine/ticket.ts'
import { shownTarget } from '../proxy/target.ts'

/** A request line and who it is by. */
export interface Asked {
  readonly user: User
  readonly method: string
  /** Path and query as in the request line. */
  readonly target: string
}

/** The row of a request that has just come; without `info`, of one that a server refuses before it classifies. */
export const rowOf = ({ user, method, target }: Asked, at: number, info?: RequestInfo): Omit<LiveRequest, 'seq'> => ({
  at,
  user: user.name,
  groups: [...user.groups],
  verb: info?.verb ?? method.toLowerCase(),
  url: shownTarget(target),
  resource: info === undefined ? '' : resourceOf(info),
  namespace: info?.namespace ?? '',
  name: info?.name ?? '',
  state: 'bypassed',
  level: '',
  schema: '',
  flow: '',
  seats: { initial: 0, final: 0 },
})

/** Where the engine put it. */
export function placed<T>(ticket: Ticket<T>): Partial<LiveRow> {
  const queue = ticket.queue?.index ?? -1
  return {
    level: ticket.lane.level.plan.name,
    schema: ticket.lane.schema,
    flow: ticket.flow?.distinguisher ?? '',
    seats: { initial: ticket.initialSeats, final: ticket.finalSeats },
    ...(queue < 0 ? {} : { queue }),
  }
}

function resourceOf({ isResource, resource, apiGroup, subresource }: RequestInfo): string {
  if (!isResource) return ''
  const named = apiGroup === '' ? resource : `${resource}.${apiGroup}`
  return subresource === '' ? named : `${named}/${subresource}`
}
