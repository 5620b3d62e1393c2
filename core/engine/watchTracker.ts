import { parseFieldSelector, requiredValue, parseListOptions, type Query } from '../request/requestTarget.ts'
import type { RequestInfo } from '../request/requestInfo.ts'
import { statisticsKey } from './workEstimator.ts'

const NOT_MUTATING = new Set(['get', 'list', 'watch', 'proxy'])

/** Watches of one resource in one namespace, or, under the empty name, without one. */
interface Watched {
  ofAll: number
  readonly ofName: Map<string, number>
}

/** A watch that is counted; or, for the pods of one node, one that never is. */
export interface RegisteredWatch {
  readonly info: RequestInfo
  readonly counted: boolean
}

/** Whether the watch is for the pods of one node: those are not counted (trap T44: whatever the API group). */
function isForOneNode(info: RequestInfo, query: Query): boolean {
  if (info.resource !== 'pods') return false
  const selector = parseListOptions(query)?.fieldSelector
  const terms = selector === undefined ? undefined : parseFieldSelector(selector)
  return terms !== undefined && (requiredValue(terms, 'spec.nodeName') ?? '') !== ''
}

const entry = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** Counts the watches that a change would be sent to (specification 5.6). */
export class WatchTracker {
  /** By API group, resource and namespace. Clients choose these names, so an entry is removed with its last watch. */
  private readonly groups = new Map<string, Map<string, Map<string, Watched>>>()

  /** Watches of all objects of a resource that are not registered here; by `resource` or `resource.group`. */
  private readonly elsewhere = new Map<string, number>()

  /**
   * Sets the server's total watch count for a resource, including the watches registered here. The others count as if they
   * were registered.
   */
  setTotal(apiGroup: string, resource: string, total: number): void {
    const key = statisticsKey({ apiGroup, resource })
    const others = total - (this.groups.get(apiGroup)?.get(resource)?.get('')?.ofAll ?? 0)
    if (others > 0) this.elsewhere.set(key, others)
    else this.elsewhere.delete(key)
  }

  /** Registers a watch, to be passed to `forget` once when it ends; `undefined` when the request is not a watch. */
  register(info: RequestInfo, query: Query): RegisteredWatch | undefined {
    if (!info.isResource || info.verb !== 'watch') return undefined
    const { apiGroup, resource, namespace, name } = info
    if (isForOneNode(info, query)) return { info, counted: false }
    const resources = entry(this.groups, apiGroup, () => new Map<string, Map<string, Watched>>())
    const namespaces = entry(resources, resource, () => new Map<string, Watched>())
    const watched = entry(namespaces, namespace, (): Watched => ({ ofAll: 0, ofName: new Map() }))
    count(watched, name, 1)
    return { info, counted: true }
  }

  forget({ info: { apiGroup, resource, namespace, name }, counted }: RegisteredWatch): void {
    const resources = this.groups.get(apiGroup)
    const namespaces = resources?.get(resource)
    const watched = namespaces?.get(namespace)
    if (!counted || resources === undefined || namespaces === undefined || watched === undefined) return
    count(watched, name, -1)
    if (watched.ofAll > 0 || watched.ofName.size > 0) return
    namespaces.delete(namespace)
    if (namespaces.size === 0) resources.delete(resource)
    if (resources.size === 0) this.groups.delete(apiGroup)
  }

  /** Number of stored names: at most as many as there are open watches and resources with watches elsewhere. */
  get size(): number {
    const namespaces = [...this.groups.values()].flatMap((resources) => [...resources.values()])
    return namespaces.reduce((sum, { size }) => sum + size, this.elsewhere.size)
  }

  /** Watches notified of the change of this request; 0 for a request that changes nothing. */
  interested({ verb, apiGroup, resource, namespace, name }: RequestInfo): number {
    if (NOT_MUTATING.has(verb)) return 0
    const elsewhere = this.elsewhere.size === 0 ? 0 : (this.elsewhere.get(statisticsKey({ apiGroup, resource })) ?? 0)
    const namespaces = this.groups.get(apiGroup)?.get(resource)
    if (namespaces === undefined) return elsewhere
    const everywhere = namespaces.get('')
    const here = namespace === '' ? everywhere : namespaces.get(namespace)
    const inNamespace = namespace === '' ? 0 : (here?.ofAll ?? 0)
    return elsewhere + (everywhere?.ofAll ?? 0) + inNamespace + (name === '' ? 0 : (here?.ofName.get(name) ?? 0))
  }
}

function count(watched: Watched, name: string, difference: number): void {
  if (name === '') {
    watched.ofAll += difference
    return
  }
  const counted = (watched.ofName.get(name) ?? 0) + difference
  if (counted === 0) watched.ofName.delete(name)
  else watched.ofName.set(name, counted)
}
