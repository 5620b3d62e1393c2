import type { QosClass } from './configuration.ts'
import { segmentsOf, textOf } from './keys.ts'
import { atomOf, type CompiledRule, type Subjected } from './match.ts'
import type { CostKind } from './operations.ts'
import type { QosRequest } from './request.ts'
import type { Observed, Prediction } from './tracker.ts'

/** Limit for a value by which a state is split: a key or a name may be as long as a request. */
const LONGEST_GROUP = 256

/** The value by which the state of a class is split. */
export function groupOf({ groupBy }: QosClass, compiled: CompiledRule, subject: Subjected): string {
  switch (groupBy.by) {
    case 'none':
      return ''
    case 'user':
      return subject.request.user.slice(0, LONGEST_GROUP)
    case 'clientIP':
      return subject.request.clientIP.slice(0, LONGEST_GROUP)
    case 'prefix':
      return textOf(segmentsOf(atomOf(compiled, subject)?.keys?.lo ?? '', groupBy.segments).slice(0, LONGEST_GROUP))
  }
}

/** Units that a request needs for admission and is charged then; unknown costs count as nothing. */
export function unitsOf(
  cost: CostKind,
  { requestBytes = 0 }: QosRequest,
  prediction: Prediction | undefined,
): { readonly need: number; readonly charged: number } {
  const charged = ((): number => {
    switch (cost) {
      case 'requests':
        return 1
      case 'failedRequests':
        return 0
      case 'requestBytes':
        return requestBytes
      case 'totalBytes':
        return requestBytes + (prediction?.responseBytes ?? 0)
      case 'scannedKeys':
        return prediction?.scannedKeys ?? 0
      // CPU time cannot be measured from outside, so wall time stands for it (QoS specification 1).
      case 'wallTimeMs':
      case 'cpuTimeMs':
        return prediction?.latencyMs ?? 0
    }
  })()
  return { need: cost === 'failedRequests' ? 1 : charged, charged }
}

/** The measured cost of a call; `undefined` if it was not measured. */
export function actualOf(cost: CostKind, { requestBytes }: QosRequest, observed: Observed): number | undefined {
  switch (cost) {
    case 'requests':
      return 1
    case 'failedRequests':
      return observed.ok ? 0 : 1
    case 'requestBytes':
      return requestBytes
    case 'totalBytes':
      return observed.responseBytes === undefined ? undefined : (requestBytes ?? 0) + observed.responseBytes
    case 'scannedKeys':
      return observed.scannedKeys
    case 'wallTimeMs':
    case 'cpuTimeMs':
      return observed.latencyMs
  }
}
