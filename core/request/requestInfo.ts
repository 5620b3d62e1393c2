import { parseGoDuration } from '../text/text.ts'
import { msToNs, type Nanoseconds, secondsToNs } from '../units.ts'
import {
  parseFieldSelector,
  requiredValue,
  hasReadableSelectors,
  isTrueParameter,
  parseListOptions,
  type Query,
  type RequestTarget,
  parseRequestTarget,
} from './requestTarget.ts'

/** The attributes of a request, as the API server derives them from method and address (specification 2.1). */
export interface RequestInfo {
  readonly isResource: boolean
  readonly path: string
  readonly verb: string
  readonly apiPrefix: string
  readonly apiGroup: string
  readonly apiVersion: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  readonly fieldSelector: string
  readonly labelSelector: string
  /** Resource, name, subresource and what follows; `undefined` for non-resource requests. */
  readonly parts: readonly string[] | undefined
}
/** `failed` comes with the attributes known by then; a server answers 500 to such a request. */
export interface RequestInfoResult {
  readonly info: RequestInfo
  readonly failed: boolean
}

const VERB_OF_METHOD: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])
export const SELECTABLE = new Set(['list', 'watch', 'deletecollection'])

/** The parts between slashes; slashes at the ends do not count. */
function split(path: string): string[] {
  let start = 0
  let end = path.length
  while (start < end && path[start] === '/') start += 1
  while (end > start && path[end - 1] === '/') end -= 1
  return start === end ? [] : path.slice(start, end).split('/')
}

/** Whether a name can be part of a path without leading elsewhere: the API server's own rule. */
export const isPathSegment = (name: string): boolean => name !== '.' && name !== '..' && !/[/%]/.test(name)

/** For a request that is not for a resource, or as far as it was parsed. */
const plainInfo = (method: string, path: string, apiPrefix: string): RequestInfo => ({
  isResource: false,
  path,
  verb: method.toLowerCase(),
  apiPrefix,
  apiGroup: '',
  apiVersion: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  fieldSelector: '',
  labelSelector: '',
  parts: undefined,
})

/** Methods are case-sensitive, as on the wire. */
export function requestInfo(method: string, { path, query }: RequestTarget): RequestInfoResult {
  const all = split(path)
  const [apiPrefix = ''] = all
  if (all.length < 3 || (apiPrefix !== 'api' && apiPrefix !== 'apis')) {
    return { info: plainInfo(method, path, ''), failed: false }
  }
  const grouped = apiPrefix === 'apis'
  if (grouped && all.length < 4) return { info: plainInfo(method, path, apiPrefix), failed: false }
  const apiGroup = grouped ? (all[1] ?? '') : ''
  /** Where the part after the version begins. */
  let at = grouped ? 3 : 2
  const apiVersion = all[at - 1] ?? ''

  const verbInPath = all[at] === 'proxy' || all[at] === 'watch'
  let verb = VERB_OF_METHOD.get(method) ?? ''
  if (verbInPath) {
    if (all.length - at < 2) {
      const known = { isResource: true, apiGroup, apiVersion }
      return { info: { ...plainInfo(method, path, apiPrefix), ...known }, failed: true }
    }
    verb = all[at] ?? ''
    at += 1
  }

  let namespace = ''
  if (all[at] === 'namespaces') {
    namespace = all[at + 1] ?? ''
    const third = all[at + 2]
    if (third !== undefined && third !== 'status' && third !== 'finalize') at += 2
  }
  const parts = all.slice(at)
  const [resource = '', givenName = '', third = ''] = parts
  let name = givenName
  if (name === '' && verb === 'get') {
    const reading = readAsList(query)
    verb = reading.watch ? 'watch' : 'list'
    name = reading.name
  }
  if (name === '' && verb === 'delete') verb = 'deletecollection'
  const selected = !verbInPath && SELECTABLE.has(verb)
  return {
    info: {
      isResource: true,
      path,
      verb,
      apiPrefix,
      apiGroup,
      apiVersion,
      namespace,
      resource,
      subresource: verb === 'proxy' ? '' : third,
      name,
      fieldSelector: selected ? (query.get('fieldSelector') ?? '') : '',
      labelSelector: selected ? (query.get('labelSelector') ?? '') : '',
      parts,
    },
    failed: false,
  }
}

/** The verb of a `get` without a name: watch or list, and for which one object if a field selector names it. */
function readAsList(query: Query): { readonly watch: boolean; readonly name: string } {
  const options = parseListOptions(query)
  if (options === undefined || !hasReadableSelectors(options)) {
    const watch = query.get('watch')
    return { watch: watch !== undefined && isTrueParameter(watch), name: '' }
  }
  if (options.fieldSelector === '') return { watch: options.watch, name: '' }
  const name = requiredValue(parseFieldSelector(options.fieldSelector) ?? [], 'metadata.name') ?? ''
  return { watch: options.watch, name: isPathSegment(name) ? name : '' }
}

const LONG_RUNNING_SUBRESOURCES = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])

/** Whether kube-apiserver expects the request to last: such requests have no deadline (specification 4.13). */
export const isLongRunning = ({ verb, isResource, subresource, path }: RequestInfo): boolean =>
  verb === 'watch' ||
  verb === 'proxy' ||
  (isResource ? subresource !== '' && LONG_RUNNING_SUBRESOURCES.has(subresource) : path.startsWith('/debug/pprof/'))

/** Whether it counts as read-only among the requests of the whole server (specification 8.2, 9). */
export const isReadOnly = ({ verb }: RequestInfo): boolean => verb === 'get' || verb === 'list' || verb === 'watch'

/** The `timeout` of a query; the server answers 400 to one that is `unreadable`, before flow control (specification 4.9). */
type QueryTimeout = { readonly ns: Nanoseconds } | 'unreadable' | undefined

function queryTimeout(query: Query): QueryTimeout {
  const text = query.get('timeout')
  if (text === undefined || text === '') return undefined
  const ms = parseGoDuration(text)
  return ms === undefined ? 'unreadable' : { ns: msToNs(ms) }
}

/** The server's reading of a request line, or its answer when it cannot read the line (specification 2.1, 4.9). */
export type RequestLine =
  | { readonly ok: true; readonly info: RequestInfo; readonly query: Query }
  | { readonly ok: false; readonly status: 400 | 500; readonly problem: string }

/** Parses method and target of a request, for `ApfEngine.arrive`. The result may be kept and reused. */
export function readRequestLine(method: string, target: string): RequestLine {
  const read = parseRequestTarget(target)
  if (read === undefined) return { ok: false, status: 400, problem: 'the path is not properly percent-encoded' }
  const { info, failed } = requestInfo(method, read)
  if (failed) return { ok: false, status: 500, problem: 'the path has a verb but no resource' }
  if (queryTimeout(read.query) === 'unreadable') {
    return { ok: false, status: 400, problem: 'the parameter timeout is not a duration' }
  }
  return { ok: true, info, query: read.query }
}

/** No request waits longer than this. */
const MAX_WAIT_NS = secondsToNs(60)

/**
 * When the handling of a request that is not long-running must end: the `timeout` of its query after its receipt, at
 * most the server's request timeout; the latter also if the timeout is missing, not above 0 or not readable.
 */
export function deadlineNs(receivedNs: Nanoseconds, query: Query, requestTimeoutNs: Nanoseconds): Nanoseconds {
  const timeout = query.size === 0 ? undefined : queryTimeout(query)
  if (timeout === undefined || timeout === 'unreadable' || timeout.ns <= 0) return receivedNs + requestTimeoutNs
  return receivedNs + Math.min(timeout.ns, requestTimeoutNs)
}

/**
 * When the wait of a request ends (specification 4.9): a quarter of the time from its receipt to its deadline, counted
 * from the receipt (trap T27); a quarter of the request timeout where it has no deadline; never more than a minute.
 */
export function waitEndNs(
  receivedNs: Nanoseconds,
  deadline: Nanoseconds | undefined,
  requestTimeoutNs: Nanoseconds,
): Nanoseconds {
  if (deadline === undefined) return receivedNs + Math.min(Math.trunc(requestTimeoutNs / 4), MAX_WAIT_NS)
  return Math.min(receivedNs + Math.min(Math.trunc((deadline - receivedNs) / 4), MAX_WAIT_NS), deadline)
}
