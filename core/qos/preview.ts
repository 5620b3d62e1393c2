import type { EtcdPreview } from '../contract/etcd.ts'
import type { QosConfiguration } from './configuration.ts'
import { requestText } from './explain.ts'
import { Replay } from './replay.ts'
import type { Seen, Settled } from './seen.ts'
import { spanMs } from './traffic.ts'

const MOST_EXAMPLES = 5
/** Maximum number of distinct requests counted as examples. */
const MOST_COUNTED = 1_000

const none = (): Record<Settled['verdict'], number> => ({ passed: 0, delayed: 0, limited: 0 })

/**
 * Runs requests through the rules on their own clock, with all classes full at the start. It shows what the rules would
 * have decided, not what clients would have done next. `all` is in order of arrival.
 */
export function previewOf(all: readonly Seen[], configuration: QosConfiguration): EtcdPreview {
  const would = none()
  const did = none()
  const rules = new Map<string, ReturnType<typeof none>>()
  const limited = new Map<string, { request: string; user: string; times: number }>()
  const replay = new Replay(configuration, ({ verdict, applied, request }) => {
    if (verdict === 'waiting') return
    would[verdict] += 1
    if (applied === undefined) return
    const counts = rules.get(applied.rule) ?? none()
    counts[verdict] += 1
    rules.set(applied.rule, counts)
    if (verdict !== 'limited') return
    const text = requestText(request)
    const key = `${request.user}\0${text}`
    const known = limited.get(key)
    if (known !== undefined) known.times += 1
    else if (limited.size < MOST_COUNTED) limited.set(key, { request: text, user: request.user, times: 1 })
  })
  for (const seen of all) {
    did[seen.verdict] += 1
    replay.push(seen)
  }
  replay.end()
  return {
    requests: all.length,
    spanMs: spanMs(all),
    would,
    did,
    rules: [...rules].map(([rule, counts]) => ({ rule, ...counts })),
    limited: [...limited.values()].toSorted((a, b) => b.times - a.times).slice(0, MOST_EXAMPLES),
  }
}
