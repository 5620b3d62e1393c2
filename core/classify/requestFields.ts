import { type RequestInfo, requestInfo, SELECTABLE } from '../request/requestInfo.ts'
import type { RequestSample } from '../contract/objects.ts'
import { parseRequestTarget } from '../request/requestTarget.ts'

export type QueryOption = readonly [name: string, value: string]

/** A resource request with the fields of the form. Empty texts are absent. */
export interface ResourceFields {
  readonly kind: 'resource'
  /** get, list, watch, create, update, patch, delete or deletecollection. */
  readonly verb: string
  readonly apiGroup: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** Query parameters in order; `watch` follows from the verb. */
  readonly options: readonly QueryOption[]
}
/** A non-resource request, or a resource request that the form cannot represent. */
export interface PathFields {
  readonly kind: 'path'
  /** HTTP method. */
  readonly method: string
  /** Path and query. */
  readonly url: string
}
export type RequestFields = ResourceFields | PathFields

/** Method and address of a request. */
export interface RequestAddress {
  readonly method: string
  /** Path and query. */
  readonly url: string
}

const METHODS: ReadonlyMap<string, string> = new Map([
  ['get', 'GET'],
  ['list', 'GET'],
  ['watch', 'GET'],
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETE'],
])
/** Verbs that the form offers for resources. */
export const RESOURCE_VERBS: readonly string[] = [...METHODS.keys()]

const OF_OBJECTS = new Set(['get', 'update', 'patch', 'delete'])

/** Verbs as metrics write them, in lower case, and the verb of the request. */
const REPORTED_AS: ReadonlyMap<string, string> = new Map([
  ['apply', 'patch'],
  ['watchlist', 'watch'],
])
/** Methods besides those of the verbs. */
const OTHER_METHODS = new Set(['POST', 'PUT', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE'])

/** A verb in the spelling of flow schemas: logs write `list`, metrics `LIST`. A method in capitals stays one. */
function verbOf(written: string): string {
  const lower = written.toLowerCase()
  const verb = REPORTED_AS.get(lower) ?? lower
  return written === METHODS.get(verb) || !METHODS.has(verb) ? written : verb
}

/** Why no server derives a verb, in a sentence; `undefined` for a verb or an HTTP method, in any case. */
export function verbProblem(written: string): string | undefined {
  if (METHODS.has(verbOf(written).toLowerCase()) || OTHER_METHODS.has(written.toUpperCase())) return undefined
  return `${JSON.stringify(written)} is neither a verb nor an HTTP method: use ${RESOURCE_VERBS.join(', ')}, or a method such as HEAD.`
}

/** Method of a verb by the server's derivation; for a non-resource request the verb is the method in lower case. */
export const methodOfVerb = (written: string): string => {
  const verb = verbOf(written)
  return METHODS.get(verb) ?? verb.toUpperCase()
}

/** The form for an address; `undefined` when no server accepts it. */
export function fieldsOf({ method, url }: RequestAddress): RequestFields | undefined {
  const target = url.startsWith('/') ? parseRequestTarget(url) : undefined
  if (target === undefined) return undefined
  const { info, failed } = requestInfo(method, target)
  if (failed) return undefined
  if (!info.isResource) return { kind: 'path', method, url }
  const [, name = '', subresource = ''] = info.parts ?? []
  const fields: ResourceFields = {
    kind: 'resource',
    verb: info.verb,
    apiGroup: info.apiGroup,
    version: info.apiVersion,
    resource: info.resource,
    subresource,
    namespace: info.namespace,
    name,
    options: optionsOf(url).filter(([option]) => option !== 'watch'),
  }
  // Proxied paths, verbs in the path, HEAD and the like: the form would lose something.
  const again = addressOf(fields)
  const same = 'url' in again && again.method === method && saysTheSame(infoOf(again), info)
  return same ? fields : { kind: 'path', method, url }
}

/** The address for a form, or the error in the form, in one sentence. */
export function addressOf(fields: RequestFields): RequestAddress | { readonly problem: string } {
  if (fields.kind === 'path') return { method: fields.method, url: fields.url }
  const problem = problemOf(fields)
  if (problem !== undefined) return { problem }
  const { verb, apiGroup, version, resource, subresource, namespace, name, options } = fields
  const root = apiGroup === '' ? ['api', version] : ['apis', apiGroup, version]
  const within = namespace === '' || resource === 'namespaces' ? [] : ['namespaces', namespace]
  const segments = [
    ...root,
    ...within,
    resource,
    ...(name === '' ? [] : [name]),
    ...(subresource === '' ? [] : [subresource]),
  ]
  const query = queryText([...(verb === 'watch' ? [['watch', 'true'] as const] : []), ...options])
  return { method: methodOfVerb(verb), url: `/${segments.map(encoded).join('/')}${query}` }
}

function problemOf({
  verb,
  version,
  resource,
  subresource,
  namespace,
  name,
  apiGroup,
}: ResourceFields): string | undefined {
  if (resource === '') return 'Name a resource, for example pods.'
  if (version === '') return 'Name the version of the API, for example v1.'
  if (!METHODS.has(verb))
    return `${verb === '' ? 'An empty verb' : verb} is not a verb for resources; use ${RESOURCE_VERBS.join(', ')}.`
  if (name === '' && OF_OBJECTS.has(verb)) return `${verb} needs the name of an object.`
  if (name === '' && subresource !== '') return 'A subresource needs the name of an object.'
  if (name !== '' && SELECTABLE.has(verb)) {
    return `${verb} applies to all objects; to restrict it to ${name} use the field selector metadata.name=${name}.`
  }
  const odd = [apiGroup, version, resource, subresource, namespace, name].find(
    (part) => /[/%]/.test(part) || part === '.' || part === '..',
  )
  return odd === undefined
    ? undefined
    : `${odd} is not allowed in a path: remove slashes, percent signs and dots that stand alone.`
}

const infoOf = ({ method, url }: RequestAddress): RequestInfo | undefined => {
  const target = parseRequestTarget(url)
  return target === undefined ? undefined : requestInfo(method, target).info
}

const COMPARED = [
  'verb',
  'apiPrefix',
  'apiGroup',
  'apiVersion',
  'namespace',
  'resource',
  'subresource',
  'name',
  'fieldSelector',
  'labelSelector',
] as const

const saysTheSame = (a: RequestInfo | undefined, b: RequestInfo): boolean =>
  a !== undefined && COMPARED.every((member) => a[member] === b[member]) && withoutEnd(a.path) === withoutEnd(b.path)

const withoutEnd = (path: string): string => path.replace(/(?<!\/)\/+$/, '')

/** Every parameter that can be decoded, in order. */
function optionsOf(url: string): QueryOption[] {
  const question = url.indexOf('?')
  if (question === -1) return []
  return url
    .slice(question + 1)
    .split('&')
    .flatMap((pair): QueryOption[] => {
      const [option] = parseRequestTarget(`/?${pair}`)?.query ?? []
      return option === undefined ? [] : [option]
    })
}

/** Half of a surrogate pair, which an address cannot contain, is replaced. */
export const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

/** With the question mark; empty without parameters. */
export function queryText(options: readonly QueryOption[]): string {
  const pairs = options.map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** Why it cannot be parsed, in one sentence. */
export interface Unreadable {
  readonly problem: string
}

/** The request fields in a text; each format provides those that it has. */
export interface PartialRequest extends RequestAddress {
  readonly user?: string
  readonly groups?: readonly string[]
  readonly guessed?: readonly (keyof RequestSample)[]
  readonly notes?: readonly string[]
}

/** Path and query of an address, with or without scheme and host; a variable may replace these. */
export function pathOf(address: string): string | undefined {
  const rest = address.replace(/^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*/i, '').replace(/#.*$/s, '')
  if (rest.startsWith('/')) return rest
  if (rest.startsWith('?')) return `/${rest}`
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? '/' : undefined
}

/**
 * The address for a verb of the API (`list`) or a method (`GET`), adjusted where a server would derive another verb.
 */
export function addressOfVerb(written: string, url: string): RequestAddress & { readonly notes: readonly string[] } {
  const verb = verbOf(written)
  const method = methodOfVerb(verb)
  const read = parseRequestTarget(url)
  const watch = verb === 'watch' && read?.query.has('watch') === false
  const address = { method, url: watch ? `${url}${url.includes('?') ? '&' : '?'}watch=true` : url }
  const target = parseRequestTarget(address.url)
  const taken = target === undefined ? verb : requestInfo(method, target).info.verb
  const asMethod = verb === method
  return {
    ...address,
    notes:
      asMethod || taken === verb
        ? []
        : [`A server derives the verb ${taken} from ${method} ${address.url}, not ${verb}.`],
  }
}
