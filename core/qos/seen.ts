import { msToNs } from '../units.ts'
import type { Decision, LimitReason } from './decision.ts'
import type { RequestRecord } from './record.ts'
import type { Observed } from './tracker.ts'

/** A decision that is final. */
export type Settled = Exclude<Decision, { verdict: 'waiting' }>

/** A request that has ended, with its decision. Costs of a request that was not admitted are the expected ones. */
export interface Seen extends RequestRecord {
  readonly verdict: Settled['verdict']
  readonly hash?: string
  readonly rule?: string
  readonly className?: string
  readonly reason?: LimitReason
  readonly retryAfterMs?: number
  readonly waitedMs?: number
}

export const seenOf = (decision: Settled, observed: Observed): Seen => {
  const { at, request, evidence, verdict, applied, hash } = decision
  const waitedMs = verdict === 'passed' ? undefined : decision.waitedMs
  const expected = evidence.prediction
  return {
    at: at - msToNs(waitedMs ?? 0),
    request,
    observed: verdict === 'limited' && expected !== undefined ? { ok: false, ...costsOf(expected) } : observed,
    ...(evidence.storageQuotaUsed !== undefined && { storageQuotaUsed: evidence.storageQuotaUsed }),
    verdict,
    ...(hash !== undefined && { hash }),
    ...(applied !== undefined && { rule: applied.rule, className: applied.className }),
    ...(verdict === 'limited' && { reason: decision.reason }),
    ...(verdict === 'limited' && decision.retryAfterMs !== undefined && { retryAfterMs: decision.retryAfterMs }),
    ...(waitedMs !== undefined && { waitedMs }),
  }
}

const costsOf = ({ scannedKeys, responseBytes, latencyMs }: Omit<Observed, 'ok'>): Omit<Observed, 'ok'> => ({
  scannedKeys,
  responseBytes,
  latencyMs,
})
