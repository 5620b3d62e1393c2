import {
  amount,
  counted,
  numberColumns,
  phrase,
  textColumns,
  type Amount,
  type Answer,
  type Cell,
  type Sentence,
  type Table,
} from '../answer/answer.ts'
import type { EtcdAdvice, EtcdPreview, EtcdRequest, EtcdRevision, EtcdState, EtcdUsage } from '../contract/etcd.ts'

const count = amount('fixed')

/** Average over the last whole seconds, at most ten. */
function limitedPerSecond({ seconds, rateSeconds }: Pick<EtcdState, 'seconds' | 'rateSeconds'>): number {
  const whole = Math.max(1, Math.floor(rateSeconds))
  return seconds.slice(-whole - 1, -1).reduce((sum, { limited }) => sum + limited, 0) / whole
}

/** Fraction of the quota, 0 to 1; `undefined` while the member does not answer. */
const quotaUsed = ({ storage }: Pick<EtcdState, 'storage'>): number | undefined =>
  storage === null ? undefined : storage.usedBytes / storage.quotaBytes

/** The requests that bypassed a proxy; `undefined` if the member reports none. */
export const bypassSentence = ({
  answered,
  outside,
  seconds,
}: NonNullable<EtcdState['bypass']>): Sentence | undefined =>
  outside === 0
    ? undefined
    : phrase`At least ${count(outside)} of ${count(answered)} requests for keys that the member answered in the last ${String(seconds)} s did not come through this proxy, so no rule here limits them.`

/** A running proxy: what it limits now, its counts, and its classes and rules. */
export function presentEtcd(state: EtcdState): Answer {
  const { url, upstream, mode, revision, counts, watches, since, bypass, classes } = state
  const past = bypass && bypassSentence(bypass)
  const were = mode === 'observe' ? 'would have been' : 'were'
  const from = since === undefined ? [] : phrase`Since ${amount('instant')(since)}: `
  return {
    title: titleOf(state),
    evidence: [
      [`${url} → ${upstream}, ${mode}, ${revision === null ? 'rules from files' : `revision ${revision}`}`],
      phrase`${from}${count(counts.passed)} requests passed, ${count(counts.delayed)} ${were} delayed, ${count(counts.limited)} ${were} limited; ${count(watches)} watches now.`,
      storageSentence(state),
      ...(past === undefined ? [] : [past]),
    ],
    tables: [
      {
        title: 'Classes',
        note: 'with the group that was used last',
        columns: textColumns('Class', 'Discipline', 'State', 'Waiting'),
        rows: classes.map(({ name, summary, groups: [first], waiting }) => [
          name,
          summary,
          first?.text ?? '',
          count(waiting),
        ]),
      },
      rulesTable(state),
    ],
  }
}

/** What is limited now. */
function titleOf(state: EtcdState): Sentence {
  const [perSecond, used] = [limitedPerSecond(state), quotaUsed(state)]
  const whose = state.storage?.quotaFrom === 'default' ? 'the 2 GiB that are assumed as its quota' : 'its quota'
  const quota =
    used !== undefined && used >= NEARLY_FULL ? phrase`The store is at ${amount('percent')(used)} of ${whose}. ` : []
  const busiest = state.rules.toSorted((a, b) => b.limitedPerSecond - a.limitedPerSecond)[0]
  const would = state.mode === 'observe'
  if (state.rules.length === 0) return phrase`${quota}No rules: every request passes.`
  if (perSecond === 0 || busiest === undefined)
    return phrase`${quota}No request ${would ? 'would be' : 'is'} limited now.`
  const most = busiest.limitedPerSecond > 0 ? `, most by ${busiest.name}` : ''
  return phrase`${quota}${amount('amount')(perSecond)} requests per second ${would ? 'would be' : 'are'} limited${most}.`
}

const NEARLY_FULL = 0.8

function storageSentence({ storage }: EtcdState): Sentence {
  if (storage === null) return ['Storage: unknown; the member does not answer.']
  const { usedBytes, allocatedBytes, quotaBytes, quotaFrom, gap } = storage
  const share = amount('percent', { decimals: 1 })
  return phrase`Storage: ${share(usedBytes / quotaBytes)} of the quota${quotaFrom === 'default' ? ' (2 GiB assumed)' : ''} used, ${share(allocatedBytes / quotaBytes)} allocated; ${count(gap)} entries committed and not applied.`
}

/** Header of a column of limited requests, or of those that would be limited in observe mode. */
export const limitedWord = (mode: EtcdState['mode']): string => (mode === 'observe' ? 'Would limit' : 'Limited')

export const rulesTable = ({ rules, mode }: Pick<EtcdState, 'rules' | 'mode'>): Table => ({
  title: 'Rules',
  note: 'by priority',
  columns: [
    { id: 'name', label: 'Rule' },
    ...numberColumns('Priority'),
    { id: 'selects', label: 'Selects' },
    { id: 'class', label: 'Class' },
    ...numberColumns('Matched', limitedWord(mode)),
  ],
  rows: rules.map(({ name, priority, selects, class: className, enabled, perSecond, limitedPerSecond: limited }) => [
    name,
    count(priority),
    selects,
    enabled ? className : 'disabled',
    amount('rate')(enabled ? perSecond : undefined),
    amount('rate', limited > 0 ? { tone: 'worse' } : {})(enabled ? limited : undefined),
  ]),
})

/** Requests by operation and keys; what they cost is the average of one that was not limited. */
export const usageTable = (usage: readonly EtcdUsage[]): Table => ({
  title: 'Expensive requests',
  note: 'keys, response and latency of one request, on average',
  columns: [
    { id: 'request', label: 'Request' },
    ...numberColumns('Times', 'Limited', 'Keys', 'Response', 'Latency', 'p50', 'p99'),
  ],
  rows: usage.map(
    ({ op, keys, requests, limited, scannedKeys, responseBytes, meanMs, p50Ms, p99Ms }): readonly Cell[] => {
      const answered = Math.max(1, requests - limited)
      return [
        `${op} ${keys}`,
        count(requests),
        count(limited),
        count(scannedKeys / answered),
        amount('bytes')(responseBytes / answered),
        ...[meanMs, p50Ms, p99Ms].map((ms): Amount => amount('ms')(ms)),
      ]
    },
  ),
})

/** A request that ended, in one line. */
export const requestSentence = (one: EtcdRequest): Sentence => {
  const { at, request, user, scannedKeys, requestBytes = 0, responseBytes = 0, latencyMs, rule, verdict } = one
  return [
    ...phrase`${amount('instant')(at)}  ${verdict}`,
    ...(latencyMs === undefined ? [] : phrase`  ${amount('ms')(latencyMs)}`),
    ...(scannedKeys === undefined ? [] : phrase`  ${counted(scannedKeys, 'key')}`),
    ...phrase`  ${amount('bytes')(requestBytes + responseBytes)}  ${request}`,
    ...(user === '' ? [] : [`  ${user}`]),
    ...(rule === undefined ? [] : [`  (${rule})`]),
  ]
}

/** What a client should do about a limited request. */
export function remedyOf({ reason, retryAfterMs, rule = '', class: className = '' }: EtcdRequest): Sentence {
  const again = retryAfterMs === undefined ? [] : phrase` One unit was free ${amount('ms')(retryAfterMs)} later.`
  switch (reason) {
    case 'rate':
      return phrase`${className} had nothing left.${again} Send fewer such requests, or raise its rate.`
    case 'inflight':
      return [`All slots of ${className} were taken. Wait for an answer before the next request, or raise num.`]
    case 'window':
      return phrase`The window of ${className} was used up.${again} Read less at a time, or raise its limit.`
    case 'delay-too-long':
      return phrase`The wait in ${className} would have been too long.${again} Send fewer such requests, or raise maxDelayMs.`
    case 'waiting-full':
      return [`Too many requests waited in ${className}. Send fewer at once, or raise maxWaiting.`]
    default:
      return [`Limited by ${rule}.`]
  }
}

/** The effect that rules would have had. */
export function previewSentence({ requests, spanMs, would, did }: EtcdPreview): Sentence {
  if (requests === 0) return ['There are no requests to preview it on.']
  const delayed = would.delayed > 0 ? phrase` and delayed ${count(would.delayed)}` : []
  return phrase`Would have limited ${count(would.limited)}${delayed} of the last ${count(requests)} requests (${amount('length')(spanMs)}). The rules of that time limited ${count(did.limited)}.`
}

/** Rules that would help, and what they would have done. */
export const presentAdvice = ({ title, why, inEffect, preview, problem }: EtcdAdvice): Answer => ({
  title: [`${title}${inEffect ? ' (in effect)' : ''}`],
  evidence: [
    [why],
    ...(problem === undefined
      ? preview === undefined
        ? []
        : [previewSentence(preview)]
      : [[`It cannot be added to the rules in effect: ${problem}`]]),
  ],
  tables: [],
})

export const historyTable = (revisions: readonly EtcdRevision[]): Table => ({
  title: 'History',
  note: 'the latest revision first',
  columns: [...numberColumns('Revision'), ...textColumns('Time', 'Change', 'Object')],
  rows: revisions.map(({ revision, at, action, kind, name }) => [
    String(revision),
    { value: at, as: 'instant' },
    action,
    `${kind} ${name}`.trim(),
  ]),
})
