import { exact, plural } from '../text/format.ts'
import type { Limiter, QosClass, QosRule } from './configuration.ts'
import { UNITS } from './explain.ts'

/** `1 request`, `2 requests`. */
const units = (value: number, what: string): string =>
  `${exact(value)} ${plural(value, what.replace(/(request|byte|key)s$/, '$1'), what)}`

/** What a class admits, in short: `10 requests per second, burst 12, per user`. */
export function classText({ limiter, cost, groupBy, overflow }: QosClass): string {
  const what = cost === 'requests' ? 'requests' : COST_WORDS[cost]
  const by = groupBy.by === 'none' ? '' : `, per ${GROUP_WORDS[groupBy.by]}`
  const delayed = overflow.action === 'delay' ? `, others wait up to ${exact(overflow.maxDelayMs)} ms` : ''
  return `${limiterText(limiter, what)}${by}${delayed}`
}

const COST_WORDS = {
  failedRequests: 'failed requests',
  requestBytes: 'request bytes',
  totalBytes: 'bytes',
  scannedKeys: 'scanned keys',
  wallTimeMs: 'ms of calls',
  cpuTimeMs: 'ms of calls (for processor time)',
} as const

const GROUP_WORDS = { user: 'user', clientIP: 'client address', prefix: 'key prefix' } as const

function limiterText(limiter: Limiter, what: string): string {
  switch (limiter.qdisc) {
    case 'tbf':
      return `${units(limiter.qps, what)} per second, burst ${exact(limiter.burst)}`
    case 'lbf':
      return `${units(limiter.qps, what)} per second, no burst`
    case 'maxinflight':
      return `${units(limiter.num, what)} in flight`
    case 'window':
      return `${units(limiter.limit, what)} in ${exact(limiter.windowMs / 1_000)} s`
  }
}

/** What a rule selects, in short: `Range on /registry/pods/, ScanKeyNum > 1,000 keys`. */
export function ruleText({
  ops,
  methods,
  subjects,
  prefixPaths,
  ranges,
  keyMatch,
  minRetry,
  conditions,
}: QosRule): string {
  const who = subjects.map(({ user, clientIP }) =>
    [...(user === undefined ? [] : [`user ${user}`]), ...(clientIP === undefined ? [] : [`from ${clientIP}`])].join(
      ' ',
    ),
  )
  const keys = [
    ...prefixPaths,
    ...ranges.map(({ key, rangeEnd }) => (rangeEnd === undefined ? key : `${key} to ${rangeEnd}`)),
  ]
  const what = [...ops, ...methods]
  return [
    `${what.length === 0 ? 'Every operation' : listed(what)}${keys.length === 0 ? '' : ` ${keyMatch === 'within' ? 'within' : 'on'} ${listed(keys)}`}`,
    ...(who.length === 0 ? [] : [listed(who)]),
    ...(minRetry === 0 ? [] : [`from retry ${minRetry} on`]),
    ...conditions.map(conditionText),
  ].join(', ')
}

const conditionText = ({ kind, threshold }: QosRule['conditions'][number]): string =>
  kind === 'PercentOfStorageQuotaUsed'
    ? `quota used > ${exact(threshold * 100)} %`
    : `${kind} > ${exact(threshold)}${UNITS[kind]}`

const MOST_LISTED = 3

const listed = (words: readonly string[]): string => {
  const more = words.length - MOST_LISTED
  return `${words.slice(0, MOST_LISTED).join(' or ')}${more > 0 ? ` or ${more} more` : ''}`
}
