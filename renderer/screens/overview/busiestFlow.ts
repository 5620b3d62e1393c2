import type { LiveRequest } from '../../../core/contract/live.ts'
import type { DumpFrame } from '../../../core/frame/dump.ts'
import { unixMsOf } from '../../../core/units.ts'
import { flowKeyOf, flowName, isWaiting } from '../../state/flows.logic.ts'

/** The flow with most of the requests of one level, as a debug dump or the newest requests show them. */
export interface BusiestFlow {
  readonly level: string
  readonly name: string
  /** Its requests, of so many. */
  readonly count: number
  readonly of: number
  /** Requests that wait; executing ones where none does. */
  readonly waits: boolean
  /** Unix milliseconds at which that was seen. */
  readonly at: number
  readonly from: 'dump' | 'requests'
}

/** Below this share of the requests a flow explains nothing. */
const MUCH = 0.3

interface Held {
  readonly schema: string
  readonly flow: string
  readonly waits: boolean
}

/** `undefined` while no flow stands out, or its schema distinguishes none: the schema is named beside it. */
function busiest(held: readonly Held[]): Pick<BusiestFlow, 'name' | 'count' | 'of' | 'waits'> | undefined {
  const waits = held.some((one) => one.waits)
  const counts = new Map<string, Held & { readonly count: number }>()
  let of = 0
  for (const one of held) {
    if (one.waits !== waits) continue
    of += 1
    const key = flowKeyOf(one)
    counts.set(key, { ...one, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  const [most] = [...counts.values()].toSorted((a, b) => b.count - a.count)
  return most === undefined || most.flow === '' || most.count < MUCH * of
    ? undefined
    : { name: flowName(most.flow, most.schema), count: most.count, of, waits }
}

export function busiestInDump(dump: DumpFrame | undefined, level: string): BusiestFlow | undefined {
  if (dump?.requests === undefined) return undefined
  const held = dump.requests
    .filter((request) => request.level === level)
    .map((request) => ({ schema: request.schema, flow: request.flow, waits: isWaiting(request) }))
  const found = busiest(held)
  return found && { level, ...found, at: unixMsOf(dump.at), from: 'dump' }
}

/** `at`: when the requests were read, Unix milliseconds. */
export function busiestInRequests(
  requests: readonly LiveRequest[],
  level: string,
  at: number,
): BusiestFlow | undefined {
  const found = busiest(
    requests
      .filter((request) => request.level === level && (request.state === 'waiting' || request.state === 'executing'))
      .map(({ schema, flow, state }) => ({ schema, flow, waits: state === 'waiting' })),
  )
  return found && { level, ...found, at, from: 'requests' }
}
