import { parseFieldSelector, requiredValue } from './fieldSelector.ts'
import { hasReadableSelectors, isTrueParameter, parseListOptions } from './listOptions.ts'
import type { Query, RequestTarget } from './requestTarget.ts'

/** What a request is about, as the API server derives it from method and address (specification 2.1). */
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
/** `failed` comes with what was known by then; a server answers 500 to such a request. */
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
const SELECTABLE = new Set(['list', 'watch', 'deletecollection'])

const split = (path: string): string[] => {
  const trimmed = path.replace(/^\/+|\/+$/g, '')
  return trimmed === '' ? [] : trimmed.split('/')
}

/** May stand as one part of a path. */
const isPathSegment = (name: string): boolean => name !== '.' && name !== '..' && !/[/%]/.test(name)

/** Methods are case-sensitive, as on the wire. */
export function requestInfo(method: string, { path, query }: RequestTarget): RequestInfoResult {
  let parts = split(path)
  const plain: RequestInfo = {
    isResource: false,
    path,
    verb: method.toLowerCase(),
    apiPrefix: '',
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    fieldSelector: '',
    labelSelector: '',
    parts: undefined,
  }
  const [apiPrefix = ''] = parts
  if (parts.length < 3 || (apiPrefix !== 'api' && apiPrefix !== 'apis')) return { info: plain, failed: false }
  parts = parts.slice(1)
  let apiGroup = ''
  if (apiPrefix !== 'api') {
    if (parts.length < 3) return { info: { ...plain, apiPrefix }, failed: false }
    apiGroup = parts[0] ?? ''
    parts = parts.slice(1)
  }
  const apiVersion = parts[0] ?? ''
  parts = parts.slice(1)

  const verbInPath = parts[0] === 'proxy' || parts[0] === 'watch'
  let verb = VERB_OF_METHOD.get(method) ?? ''
  if (verbInPath) {
    if (parts.length < 2) {
      return { info: { ...plain, isResource: true, apiPrefix, apiGroup, apiVersion }, failed: true }
    }
    verb = parts[0] ?? ''
    parts = parts.slice(1)
  }

  let namespace = ''
  if (parts[0] === 'namespaces') {
    namespace = parts[1] ?? ''
    if (parts.length > 2 && parts[2] !== 'status' && parts[2] !== 'finalize') parts = parts.slice(2)
  }
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

/** How a `get` without a name is meant: watch or list, and of which one object if a field selector names it. */
function readAsList(query: Query): { readonly watch: boolean; readonly name: string } {
  const options = parseListOptions(query)
  if (options === undefined || !hasReadableSelectors(options)) {
    const watch = query.get('watch')
    return { watch: watch !== undefined && isTrueParameter(watch), name: '' }
  }
  const name = requiredValue(parseFieldSelector(options.fieldSelector) ?? [], 'metadata.name') ?? ''
  return { watch: options.watch, name: isPathSegment(name) ? name : '' }
}
