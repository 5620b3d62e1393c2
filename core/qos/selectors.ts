import type { QosRule } from './configuration.ts'
import { bytesOf, type Interval, keyInterval, prefixInterval } from './keys.ts'

/**
 * The prefixes that a path stands for. The proposal writes `registry/events`, but the keys of Kubernetes begin with a
 * slash, so a path without one stands for both (QoS specification 3).
 */
export const prefixesOf = (path: string): readonly string[] => (path.startsWith('/') ? [path] : [path, `/${path}`])

/** The keys that a rule selects; `undefined` if it has no key selector and so also selects requests without keys. */
export function keysOf({
  prefixPaths,
  ranges,
}: Pick<QosRule, 'prefixPaths' | 'ranges'>): readonly Interval[] | undefined {
  if (prefixPaths.length === 0 && ranges.length === 0) return undefined
  return [
    ...prefixPaths.flatMap(prefixesOf).map((prefix) => prefixInterval(bytesOf(prefix))),
    ...ranges.map(({ key, rangeEnd }) => keyInterval(bytesOf(key), rangeEnd && bytesOf(rangeEnd))),
  ]
}
