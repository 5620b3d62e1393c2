import type { EtcdAdvice, EtcdPreview, EtcdRequest, EtcdState } from '../../../core/contract/etcd.ts'
import { format } from '../../theme/format.ts'

/** Average over the last whole seconds, at most ten. */
export function limitedPerSecond({ seconds, rateSeconds }: EtcdState): number {
  const whole = Math.max(1, Math.floor(rateSeconds))
  return seconds.slice(-whole - 1, -1).reduce((sum, { limited }) => sum + limited, 0) / whole
}

/** Fraction of the quota, 0 to 1; `undefined` while the member does not answer. */
export const quotaUsed = ({ storage }: EtcdState): number | undefined =>
  storage === null ? undefined : storage.usedBytes / storage.quotaBytes

/** What is limited now, in one sentence. */
export function etcdSentence(state: EtcdState): string {
  const perSecond = limitedPerSecond(state)
  const used = quotaUsed(state)
  const whose = state.storage?.quotaFrom === 'default' ? 'the 2 GiB that are assumed as its quota' : 'its quota'
  const quota = used !== undefined && used >= NEARLY_FULL ? `The store is at ${format.percent(used)} of ${whose}. ` : ''
  const busiest = state.rules.toSorted((a, b) => b.limitedPerSecond - a.limitedPerSecond)[0]
  const would = state.mode === 'observe'
  if (state.rules.length === 0) return `${quota}No rules: every request passes.`
  if (perSecond === 0 || busiest === undefined) return `${quota}No request ${would ? 'would be' : 'is'} limited now.`
  const most = busiest.limitedPerSecond > 0 ? `, most by ${busiest.name}` : ''
  return `${quota}${format.significant(perSecond)} requests per second ${would ? 'would be' : 'are'} limited${most}.`
}

const NEARLY_FULL = 0.8

/** Header of a column of limited requests, or of those that would be limited in observe mode. */
export const limitedWord = (mode: EtcdState['mode']): string => (mode === 'observe' ? 'Would limit' : 'Limited')

export const EVIDENCE =
  'Rules act and count at this proxy alone. Watches are never limited. The first run of an expensive request passes: its cost is not known yet.'

/** What a client should do about a limited request. */
export function remedyOf({ reason, retryAfterMs, rule = '', class: className = '' }: EtcdRequest): string {
  const again = retryAfterMs === undefined ? '' : ` One unit was free ${format.ms(retryAfterMs)} later.`
  switch (reason) {
    case 'rate':
      return `${className} had nothing left.${again} Send fewer such requests, or raise its rate.`
    case 'inflight':
      return `All slots of ${className} were taken. Wait for an answer before the next request, or raise num.`
    case 'window':
      return `The window of ${className} was used up.${again} Read less at a time, or raise its limit.`
    case 'delay-too-long':
      return `The wait in ${className} would have been too long.${again} Send fewer such requests, or raise maxDelayMs.`
    case 'waiting-full':
      return `Too many requests waited in ${className}. Send fewer at once, or raise maxWaiting.`
    default:
      return `Limited by ${rule}.`
  }
}

/** The effect that rules would have had, in one sentence. */
export function previewSentence({ requests, spanMs, would, did }: EtcdPreview): string {
  if (requests === 0) return 'There are no requests to preview it on.'
  const delayed = would.delayed > 0 ? ` and delayed ${format.fixed(would.delayed)}` : ''
  return `Would have limited ${format.fixed(would.limited)}${delayed} of the last ${format.fixed(requests)} requests (${format.span(spanMs / 1_000)}). The rules of that time limited ${format.fixed(did.limited)}.`
}

export const adviceSentence = ({ preview, problem }: EtcdAdvice): string =>
  problem ?? (preview === undefined ? '' : previewSentence(preview))
