import type { EtcdRule } from '../../../core/contract/etcd.ts'
import { isList, isMap, type Json } from '../../../core/manifest/json.ts'
import { bytesOf, type Interval, keyInterval, overlap, prefixInterval, textOf } from '../../../core/qos/keys.ts'
import { keysOf } from '../../../core/qos/selectors.ts'

/** The keys of a request, or of one selector of a rule, on an axis of all their bounds. */
export interface KeyBar {
  readonly name: string
  /** `[/registry/pods/, /registry/pods0)`. */
  readonly text: string
  /** Fractions of the axis, 0 to 1. */
  readonly from: number
  readonly to: number
  /** Whether it contains a key of the request; absent for the request itself. */
  readonly meets?: boolean
}

export interface RequestKeys {
  readonly key: string
  /** All keys that begin with it. */
  readonly prefix: boolean
}

/** Additional selectors are not drawn. */
const MOST_BARS = 12

/**
 * The request and the selections of rules as bars. Bounds are drawn in byte order and evenly spaced: keys have no
 * distances. The right end of the axis comes after all keys.
 */
export function keyBars(
  request: RequestKeys,
  rules: readonly Pick<EtcdRule, 'name' | 'document'>[],
): readonly KeyBar[] {
  const asked = (request.prefix ? prefixInterval : keyInterval)(bytesOf(request.key))
  const selected = rules
    .flatMap(({ name, document }) => (keysOf(selectorsOf(document)) ?? []).map((keys) => ({ name, keys })))
    .slice(0, MOST_BARS)
  const all = [{ name: 'request', keys: asked }, ...selected]
  const bounds = [...new Set(all.flatMap(({ keys: { lo, hi } }) => (hi === undefined ? [lo] : [lo, hi])))].toSorted()
  const at = (bound: string | undefined): number => (bound === undefined ? 1 : bounds.indexOf(bound) / bounds.length)
  return all.map(({ name, keys }, index) => ({
    name,
    text: intervalText(keys),
    from: at(keys.lo),
    to: at(keys.hi),
    ...(index > 0 && { meets: overlap(asked, keys) }),
  }))
}

const intervalText = ({ lo, hi }: Interval): string => `[${textOf(lo)}, ${hi === undefined ? '∞' : textOf(hi)})`

const texts = (value: Json | undefined): readonly string[] =>
  value !== undefined && isList(value) ? value.filter((one) => typeof one === 'string') : []

function selectorsOf({ prefixPaths, ranges }: EtcdRule['document']): Parameters<typeof keysOf>[0] {
  const maps = ranges !== undefined && isList(ranges) ? ranges.filter((one) => isMap(one)) : []
  return {
    prefixPaths: texts(prefixPaths),
    ranges: maps.flatMap(({ key, rangeEnd }) =>
      typeof key === 'string' ? [{ key, ...(typeof rangeEnd === 'string' && { rangeEnd }) }] : [],
    ),
  }
}
