import { parseFieldSelector } from './fieldSelector.ts'
import { isLabelSelector } from './labelSelector.ts'
import type { Query } from './requestTarget.ts'

/** The list options of a query that matter here; selectors as text (specification 2.1, 5.4). */
export interface ListOptions {
  readonly labelSelector: string
  readonly fieldSelector: string
  readonly watch: boolean
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  readonly limit: number
  readonly continueToken: string
  /** `undefined` where the parameter is absent. */
  readonly sendInitialEvents: boolean | undefined
}

const INT64_MAX = 9_223_372_036_854_775_807n

/** Base 10, optional sign, within 64 bits: what Go's ParseInt takes. */
function isInt64(text: string): boolean {
  if (!/^[+-]?\d+$/.test(text)) return false
  const value = BigInt(text.replace(/^\+/, ''))
  return value <= INT64_MAX && value >= -INT64_MAX - 1n
}

/** "0" and "false" in any case are false; anything else, even nothing, is true. */
export const isTrueParameter = (text: string): boolean => text !== '0' && text.toLowerCase() !== 'false'

/** `undefined` when a number is none. The selectors are not looked into. */
export function parseListOptions(query: Query): ListOptions | undefined {
  const numbers = ['limit', 'timeoutSeconds'].map((name) => query.get(name) ?? '0')
  if (!numbers.every(isInt64)) return undefined
  const flag = (name: string): boolean | undefined => {
    const text = query.get(name)
    return text === undefined ? undefined : isTrueParameter(text)
  }
  return {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    watch: flag('watch') ?? false,
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit: Number(numbers[0]),
    continueToken: query.get('continue') ?? '',
    sendInitialEvents: flag('sendInitialEvents'),
  }
}

/** Whether the stricter reading of the request digest, which parses the selectors too, succeeds (specification 2.1). */
export function hasReadableSelectors({ labelSelector, fieldSelector }: ListOptions): boolean {
  return parseFieldSelector(fieldSelector) !== undefined && isLabelSelector(labelSelector)
}
