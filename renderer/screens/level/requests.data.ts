import type { DumpRequest } from '../../../core/frame/dump.ts'
import { flowName, isWaiting, widthOf } from '../../state/flows.logic.ts'

export interface RequestRow {
  readonly key: string
  readonly state: 'waiting' | 'executing'
  /** Index of its queue, −1 without one. */
  readonly queue: number
  /** Place in the queue from 0, −1 when executing. */
  readonly position: number
  readonly verb: string
  /** What it is about: resource, name, or path. */
  readonly target: string
  readonly path: string
  readonly namespace: string
  readonly user: string
  readonly flow: string
  readonly schema: string
  /** Seats. */
  readonly seats: number
  /** Seconds in the queue, so far or until it started. */
  readonly waited: number
  /** Seconds since it started; `undefined` while it waits. */
  readonly running: number | undefined
}

function targetOf(request: DumpRequest): string {
  if (request.resource === undefined || request.resource === '') return request.path ?? ''
  const kind =
    request.subresource === undefined || request.subresource === ''
      ? request.resource
      : `${request.resource}/${request.subresource}`
  return request.name === undefined || request.name === '' ? kind : `${kind} ${request.name}`
}

/** Requests of one level from one dump, longest waiting first, then longest running. */
export function requestRows(requests: readonly DumpRequest[], at: number): readonly RequestRow[] {
  const seen = new Map<string, number>()
  const rows = requests.map((request): RequestRow => {
    const waiting = isWaiting(request)
    // The dump names no request: arrival, flow and place tell them apart, a running number settles equal ones.
    const base = `${request.arrivedAt} ${request.schema} ${request.flow} ${request.queue} ${request.path ?? ''}`
    const nth = seen.get(base) ?? 0
    seen.set(base, nth + 1)
    return {
      key: `${base} ${nth}`,
      state: waiting ? 'waiting' : 'executing',
      queue: request.queue,
      position: request.position,
      verb: request.verb ?? '',
      target: targetOf(request),
      path: request.path ?? '',
      namespace: request.namespace ?? '',
      user: request.user ?? '',
      flow: flowName(request.flow, request.schema),
      schema: request.schema,
      seats: widthOf(request),
      waited: Math.max(0, (request.startedAt ?? at) - request.arrivedAt) / 1_000,
      running: request.startedAt === undefined ? undefined : Math.max(0, at - request.startedAt) / 1_000,
    }
  })
  const rank = (row: RequestRow): number => (row.state === 'waiting' ? 0 : 1)
  return rows.toSorted(
    (a, b) => rank(a) - rank(b) || b.waited + (b.running ?? 0) - (a.waited + (a.running ?? 0)) || a.queue - b.queue,
  )
}
