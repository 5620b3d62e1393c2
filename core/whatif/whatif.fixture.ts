import { readRequestLine } from '../request/requestInfo.ts'
import { OBJECTS } from '../run/run.fixture.ts'
import { msToNs } from '../units.ts'
import type { Arrival, Arrivals } from './arrivals.ts'
import { defaultVariant, type Variant } from './variant.ts'

/** Times are milliseconds. */
export interface Sent {
  readonly user?: string
  readonly atMs: number
  readonly lastsMs: number
  readonly leavesAfterMs?: number | undefined
  readonly target?: string
}

export function arrivalOf({ user = 'ann', atMs, lastsMs, leavesAfterMs, target }: Sent): Arrival {
  const read = readRequestLine('GET', target ?? '/api/v1/namespaces/default/pods/one')
  if (!read.ok) throw new Error(read.problem)
  return {
    atNs: msToNs(atMs),
    request: { user: { name: user, groups: ['system:authenticated'] }, info: read.info, query: read.query },
    client: user,
    executionNs: msToNs(lastsMs),
    ...(leavesAfterMs !== undefined && { leavesAfterNs: msToNs(leavesAfterMs) }),
  }
}

export const arrivalsOf = (sent: readonly Sent[], endMs: number): Arrivals => ({
  startUnixMs: 0,
  fromNs: 0,
  endNs: msToNs(endMs),
  list: sent.map(arrivalOf).toSorted((a, b) => a.atNs - b.atNs),
  notes: [],
})

/** 226 seats, like the engines of `run.fixture.ts`. */
export const variantOf = (name: string, changes: Partial<Variant> = {}): Variant => ({
  ...defaultVariant(name, OBJECTS),
  maxRequestsInFlight: 226,
  maxMutatingRequestsInFlight: 0,
  version: 'v1.36.3',
  ...changes,
})
