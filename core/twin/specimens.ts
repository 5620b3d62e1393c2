import { digestRequest } from '../classify/classification.ts'
import type { ClassifyingConfiguration } from '../classify/configuration.ts'
import { identityOf } from '../classify/identity.ts'
import { addressOf, type RequestAddress } from '../classify/requestFields.ts'
import type { FlowSchema } from '../config/objects.ts'
import { representatives, UNNAMED } from '../guard/shadowing.ts'
import type { RequestDigest, User } from '../request/match.ts'

/** A client of one flow whose requests match a flow schema. */
export interface Specimen {
  readonly user: User
  /** A request of one seat; absent where the schema matches only lists. */
  readonly narrow?: RequestAddress
  /** A list, whose limit determines its width; absent where the schema matches none. */
  readonly wide?: RequestAddress
}

/** Objects that lists of the twin read: with `limit=50` a list is one seat wide, with `limit=100` two. */
export const OBJECTS_PER_TWIN_SEAT = 50
/** Requirements of the widths above: 2,000 bytes per object, and more objects than any limit. */
export const TWIN_OBJECTS = { count: 1_000_000, averageSize: 2_000 } as const

/** A list of this many seats, read from etcd because of its exact resource version. */
export const listOfWidth = ({ method, url }: RequestAddress, seats: number): RequestAddress => ({
  method,
  url: `${url}?limit=${seats * OBJECTS_PER_TWIN_SEAT}&resourceVersion=1&resourceVersionMatch=Exact`,
})

const MOST_REPRESENTATIVES = 2_000
const PLACEHOLDER_RESOURCE = 'twins'

/**
 * Up to `count` clients of different flows whose requests this configuration classifies with the schema. `names` are
 * known flows: users or namespaces, as the schema distinguishes. Empty if no request of the schema could be
 * constructed.
 */
export function specimens(
  schema: FlowSchema,
  { schemaOf }: Pick<ClassifyingConfiguration, 'schemaOf'>,
  count: number,
  names: readonly string[] = [],
): readonly Specimen[] {
  const method = schema.spec.distinguisherMethod?.type
  const found = new Map<string, Specimen>()
  const wanted = method === undefined ? 1 : count
  const patterns = patternsOf(schema)
  for (let index = 0; index < wanted; index++) {
    const name = names[index] ?? `twin-${index}`
    for (const pattern of patterns) {
      const user = userOf(pattern.user, method === 'ByUser' ? name : 'twin')
      const namespace = method === 'ByNamespace' ? name : 'twin'
      const key = method === 'ByUser' ? user.name : method === 'ByNamespace' ? namespaceOf(pattern, namespace) : ''
      const known = found.get(key)
      if (known?.narrow !== undefined && known.wide !== undefined) continue
      if (known === undefined && found.size > index) continue
      const takes = (address: RequestAddress | undefined): address is RequestAddress => {
        if (address === undefined) return false
        const read = digestRequest({ user: user.name, groups: [...user.groups], ...address })
        return read.ok && schemaOf(read.digest).metadata.name === schema.metadata.name
      }
      const narrow = known?.narrow ?? addressFor(pattern, 'get', namespace)
      const wide = known?.wide ?? addressFor(pattern, 'list', namespace)
      const one: Specimen = {
        user: known?.user ?? user,
        ...(takes(narrow) && { narrow }),
        ...(takes(wide) && { wide }),
      }
      if (one.narrow !== undefined || one.wide !== undefined) found.set(key, one)
    }
  }
  return [...found.values()]
}

function patternsOf(schema: FlowSchema): readonly RequestDigest[] {
  const patterns: RequestDigest[] = []
  for (const pattern of representatives(schema)) {
    if (patterns.push(pattern) >= MOST_REPRESENTATIVES) break
  }
  return patterns
}

/** A pattern without a name stands for all users in its groups; a name implies some groups by itself. */
function userOf({ name, groups }: User, filler: string): User {
  if (!name.includes(UNNAMED)) return { name, groups }
  const account = groups.find((group) => group.startsWith('system:serviceaccounts:'))?.split(':')[2]
  const isAccount = name === UNNAMED && groups.includes('system:serviceaccounts')
  const bare = isAccount && !filler.includes(':') ? `system:serviceaccount:${account ?? 'twin'}:${filler}` : filler
  const full = name === UNNAMED ? bare : name.replace(UNNAMED, filler.split(':').at(-1) ?? filler)
  const own = groups.includes('system:unauthenticated') ? [] : identityOf(full).groups
  return { name: full, groups: [...new Set([...groups, ...own])] }
}

const namespaceOf = ({ info: { namespace } }: RequestDigest, filler: string): string =>
  namespace === UNNAMED ? filler : namespace

function addressFor(pattern: RequestDigest, verb: 'get' | 'list', namespace: string): RequestAddress | undefined {
  const { info } = pattern
  const chosen = info.verb === UNNAMED ? verb : info.verb
  if ((verb === 'list') !== (chosen === 'list')) return undefined
  if (!info.isResource) return { method: chosen.toUpperCase(), url: info.path.replace(UNNAMED, 'twin') }
  const named = (text: string, filler: string): string => (text === UNNAMED ? filler : text)
  const isOfCollection = ['list', 'watch', 'create', 'deletecollection'].includes(chosen)
  const made = addressOf({
    kind: 'resource',
    verb: chosen,
    apiGroup: named(info.apiGroup, ''),
    version: 'v1',
    resource: named(info.resource, PLACEHOLDER_RESOURCE),
    subresource: info.subresource,
    namespace: namespaceOf(pattern, namespace),
    name: isOfCollection && info.subresource === '' ? '' : 'twin',
    options: [],
  })
  return 'url' in made ? made : undefined
}
