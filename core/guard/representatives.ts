import { identityOf } from '../classify/identity.ts'
import type { RequestDigest, User } from '../request/match.ts'
import { requestInfo, type RequestInfo } from '../request/requestInfo.ts'
import type { FlowSchema, NonResourceRule, ResourceRule, Subject } from '../config/objects.ts'

/**
 * Requests that stand for everything that a flow schema matches: for each combination of what its rules name one, with a
 * value that no configuration names wherever a rule says `*`. A configuration sends all requests of the schema elsewhere
 * exactly when it sends these elsewhere, because what matches a value that nobody names matches all of them.
 *
 * Users have the groups that a server gives them: everybody is in one of `system:authenticated` and
 * `system:unauthenticated`, and service accounts are in the groups of theirs. Who impersonates may claim other ones.
 */

/** In no name that the API admits. */
const UNNAMED = '\u0000'
export const AUTHENTICATED = 'system:authenticated'
export const UNAUTHENTICATED = 'system:unauthenticated'
export const SERVICE_ACCOUNTS = 'system:serviceaccounts'

export function* representatives({ spec }: FlowSchema): Generator<RequestDigest, void, undefined> {
  for (const { subjects, resourceRules, nonResourceRules } of spec.rules ?? []) {
    const infos = (function* (): Generator<RequestInfo, void, undefined> {
      for (const rule of resourceRules ?? []) yield* resourceInfos(rule)
      for (const rule of nonResourceRules ?? []) yield* pathInfos(rule)
    })()
    const users = (subjects ?? []).flatMap(usersOf)
    for (const info of infos) for (const user of users) yield { user, info }
  }
}

/** Users that stand for all whom a subject names; for everybody two, of whom no user is both. */
export function usersOf(subject: Subject): readonly User[] {
  const { user, group, serviceAccount } = subject
  if (subject.kind === 'User' && user !== undefined) {
    return user.name === '*' ? EVERYBODY : [{ name: user.name, groups: identityOf(user.name).groups }]
  }
  if (subject.kind === 'Group' && group !== undefined) {
    return group.name === '*' ? EVERYBODY : [{ name: UNNAMED, groups: groupsWith(group.name) }]
  }
  if (subject.kind === 'ServiceAccount' && serviceAccount !== undefined) {
    const { namespace, name } = serviceAccount
    const account = `system:serviceaccount:${namespace}:${name === '*' ? UNNAMED : name}`
    return [{ name: account, groups: identityOf(account).groups }]
  }
  return []
}

const EVERYBODY: readonly User[] = [
  { name: UNNAMED, groups: [AUTHENTICATED] },
  { name: UNNAMED, groups: [UNAUTHENTICATED] },
]

/** The groups that a member of a group has at least. */
function groupsWith(group: string): readonly string[] {
  if (group === AUTHENTICATED || group === UNAUTHENTICATED) return [group]
  const namespaced = group.startsWith(`${SERVICE_ACCOUNTS}:`) ? [SERVICE_ACCOUNTS] : []
  return [group, ...namespaced, AUTHENTICATED]
}

/** `*` alone stands for all (trap T33). */
const valuesOf = (list: readonly string[] | undefined): readonly string[] =>
  list?.length === 1 && list[0] === '*' ? [UNNAMED] : (list ?? [])

const NON_RESOURCE = requestInfo('GET', { path: '/', query: new Map() }).info

function* resourceInfos(rule: ResourceRule): Generator<RequestInfo, void, undefined> {
  const namespaces = [
    ...valuesOf(rule.namespaces).filter((namespace) => namespace !== ''),
    ...(rule.clusterScope === true ? [''] : []),
  ]
  for (const verb of valuesOf(rule.verbs)) {
    for (const apiGroup of valuesOf(rule.apiGroups)) {
      for (const entry of valuesOf(rule.resources)) {
        const slash = entry.indexOf('/')
        const [resource, subresource] = slash < 0 ? [entry, ''] : [entry.slice(0, slash), entry.slice(slash + 1)]
        for (const namespace of namespaces) {
          yield { ...NON_RESOURCE, isResource: true, verb, apiGroup, resource, subresource, namespace }
        }
      }
    }
  }
}

/** An entry stands for itself, unless it ends in `/` or `*`, and for all that lies below it (specification 2.5). */
export function* pathInfos({ verbs, nonResourceURLs }: NonResourceRule): Generator<RequestInfo, void, undefined> {
  for (const verb of valuesOf(verbs)) {
    for (const entry of nonResourceURLs ?? []) {
      const bare = entry.endsWith('*') ? entry.slice(0, -1) : entry
      const below = `${bare.endsWith('/') ? bare : `${bare}/`}${UNNAMED}`
      for (const path of bare === entry && !entry.endsWith('/') ? [entry, below] : [below]) {
        yield { ...NON_RESOURCE, verb, path }
      }
    }
  }
}
