import { parseFieldSelector, requiredValue } from '../classify/fieldSelector.ts'
import { parseListOptions } from '../classify/listOptions.ts'
import type { RequestInfo } from '../classify/requestInfo.ts'
import type { Query } from '../classify/requestTarget.ts'

const NOT_MUTATING = new Set(['get', 'list', 'watch', 'proxy'])

const keyOf = (group: string, resource: string, namespace: string, name: string): string =>
  [group, resource, namespace, name].join('\0')

/** Whether the watch is for the pods of one node: those are not counted (trap T44: whatever the API group). */
function isForOneNode(info: RequestInfo, query: Query): boolean {
  if (info.resource !== 'pods') return false
  const selector = parseListOptions(query)?.fieldSelector
  const terms = selector === undefined ? undefined : parseFieldSelector(selector)
  return terms !== undefined && (requiredValue(terms, 'spec.nodeName') ?? '') !== ''
}

/** Counts the watches that a change would be sent to (specification 5.6). */
export class WatchTracker {
  private readonly counts = new Map<string, number>()

  /**
   * Registers a watch. Answers the function that forgets it, or `undefined` when the request is no watch.
   */
  register(info: RequestInfo, query: Query): (() => void) | undefined {
    if (!info.isResource || info.verb !== 'watch') return undefined
    if (isForOneNode(info, query)) return () => undefined
    const key = keyOf(info.apiGroup, info.resource, info.namespace, info.name)
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
    let registered = true
    return () => {
      if (!registered) return
      registered = false
      const rest = (this.counts.get(key) ?? 1) - 1
      if (rest === 0) this.counts.delete(key)
      else this.counts.set(key, rest)
    }
  }

  /** Watches that hear of what this request changes; 0 for one that changes nothing. */
  interested(info: RequestInfo): number {
    if (NOT_MUTATING.has(info.verb)) return 0
    const { apiGroup, resource, namespace, name } = info
    const count = (inNamespace: string, ofName: string): number =>
      this.counts.get(keyOf(apiGroup, resource, inNamespace, ofName)) ?? 0
    return count('', '') + (namespace === '' ? 0 : count(namespace, '')) + (name === '' ? 0 : count(namespace, name))
  }
}
