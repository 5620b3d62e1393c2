import type { DumpRequest } from './dump.ts'

/** Whether the request asks for such a dump: each contains those that are being read, on an idle server alone. */
export const asksForDump = ({ path }: Pick<DumpRequest, 'path'>): boolean =>
  path?.startsWith('/debug/api_priority_and_fairness/') === true

export const isWaiting = (request: DumpRequest): boolean => request.startedAt === undefined

/** A flow is a flow schema and a distinguisher; the same user under two schemas is two flows (specification 2.6). */
export const flowKeyOf = (request: Pick<DumpRequest, 'schema' | 'flow'>): string => `${request.schema}\n${request.flow}`

export const SERVICE_ACCOUNT = 'system:serviceaccount:'

/** The common name of a flow: service accounts lose their prefix, a schema without distinguisher is one flow. */
export function flowName(flow: string, schema: string): string {
  if (flow === '') return `all of ${schema}`
  return flow.startsWith(SERVICE_ACCOUNT) ? flow.slice(SERVICE_ACCOUNT.length) : flow
}

/**
 * Max-min fair division of `limit` seats: whoever needs less than an equal part gets what it needs, and the rest is
 * divided among the others. Returns shares in the order of `demands`; no share exceeds its demand.
 */
export function maxMinShares(demands: readonly number[], limit: number): readonly number[] {
  const shares = demands.map(() => 0)
  const ascending = demands.map((demand, index) => ({ demand, index })).toSorted((a, b) => a.demand - b.demand)
  let left = limit
  ascending.forEach(({ demand, index }, position) => {
    const share = Math.min(demand, left / (ascending.length - position))
    shares[index] = share
    left -= share
  })
  return shares
}
