import { isAll } from '../classify/mismatch.ts'
import type { ClassifyingConfiguration } from '../classify/configuration.ts'
import {
  CATCH_ALL,
  type FlowSchema,
  type ObjectSet,
  type NonResourceRule,
  type PolicyRules,
  type ResourceRule,
  type Subject,
  objectNamed,
} from '../config/objects.ts'
import { type User, matchesNonResourceRule, matchesSubject, type RequestDigest } from '../request/match.ts'
import { AUTHENTICATED, identityOf, accountName, UNAUTHENTICATED } from '../classify/identity.ts'
import { requestInfo, type RequestInfo } from '../request/requestInfo.ts'
import { type Side, defaulted, sideOf } from './changes.ts'

/** A schema that no request reaches. */
export interface Shadowed {
  readonly schema: string
  /** Earlier schemas that together match all its requests, in matching order; empty when its rules match nothing. */
  readonly by: readonly string[]
}

/**
 * Two schemas of one precedence that both match some request, so that their names decide the order (specification 2.2).
 */
export interface NamesDecide {
  readonly precedence: number
  /** The one that gets these requests. */
  readonly first: string
  readonly second: string
}

/**
 * Schemas that no request reaches, in matching order. Schemas without a level are skipped. With the built-in objects
 * that is `catch-all`, because global-default matches every user before it. Objects may be defaulted or not.
 */
export const shadowedBy = (objects: ObjectSet): readonly Shadowed[] => shadowedIn(sideOf(defaulted(objects)))

/** The same for a prepared configuration; with `among`, only schemas that are among these or come after one of them. */
export function shadowedIn({ objects, configuration }: Side, among?: ReadonlySet<string>): readonly Shadowed[] {
  const stored = new Set(objects.schemas)
  const earlier: FlowSchema[] = []
  return configuration.order.flatMap((schema) => {
    const { name } = schema.metadata
    const asked = among === undefined || among.has(name) || earlier.some((other) => overlap(other, schema))
    if (among?.has(name) === true) earlier.push(schema)
    // One that the server creates internally is not an object that could be fixed.
    if (!asked || !stored.has(schema)) return []
    const by = winnersOver(schema, configuration)
    return by === undefined ? [] : [{ schema: name, by }]
  })
}

/** Requests that may represent one schema; a schema that names more combinations is assumed to be reached. */
const MOST_REQUESTS = 20_000

/** The schemas that get what a schema of the order matches; `undefined` when it gets some of it itself. */
export function winnersOver(
  schema: FlowSchema,
  { order, schemaOf }: ClassifyingConfiguration,
): readonly string[] | undefined {
  const winners = new Set<FlowSchema>()
  let asked = 0
  for (const request of representatives(schema)) {
    asked += 1
    const winner = schemaOf(request)
    if (winner === schema || asked > MOST_REQUESTS) return undefined
    winners.add(winner)
  }
  return order.flatMap((other) => (winners.has(other) ? [other.metadata.name] : []))
}

/** What no schema but catch-all matches, each kind of request in words. */
export function uncoveredIn({ order, schemaOf }: ClassifyingConfiguration): readonly string[] {
  const last = objectNamed(order, CATCH_ALL)
  if (last === undefined) return []
  const left = [...representatives(last)].filter((request) => schemaOf(request) === last)
  return [
    ...new Set(
      left.map(({ user, info: { isResource, namespace } }) => {
        const what = !isResource ? 'paths' : namespace === '' ? 'cluster-wide resources' : 'resources in namespaces'
        return `other ${what} for ${user.groups.join(', ')}`
      }),
    ),
  ]
}

/** For schemas in matching order; with `among`, only pairs one of which is among these. */
export function namesDecideIn(order: readonly FlowSchema[], among?: ReadonlySet<string>): readonly NamesDecide[] {
  const asked = ({ metadata }: FlowSchema): boolean => among === undefined || among.has(metadata.name)
  const found: NamesDecide[] = []
  order.forEach((first, index) => {
    const precedence = first.spec.matchingPrecedence
    for (let next = index + 1; next < order.length; next++) {
      const second = order[next]
      if (second?.spec.matchingPrecedence !== precedence) break
      if ((asked(first) || asked(second)) && overlap(first, second)) {
        found.push({ precedence, first: first.metadata.name, second: second.metadata.name })
      }
    }
  })
  return found
}

/** Whether some request matches both schemas, regardless of earlier ones. */
export const overlap = (a: FlowSchema, b: FlowSchema): boolean =>
  some(a.spec.rules, b.spec.rules, (x, y) => some(x.subjects, y.subjects, subjectsMeet) && requestsMeet(x, y))

const some = <T>(a: readonly T[] | undefined, b: readonly T[] | undefined, meet: (x: T, y: T) => boolean): boolean =>
  (a ?? []).some((x) => (b ?? []).some((y) => meet(x, y)))

const requestsMeet = (a: PolicyRules, b: PolicyRules): boolean =>
  some(a.resourceRules, b.resourceRules, resourcesMeet) || some(a.nonResourceRules, b.nonResourceRules, pathsMeet)

/** A user for both has the name that one of them requires, and the groups that both of them require. */
const subjectsMeet = (a: Subject, b: Subject): boolean =>
  some(usersOf(a), usersOf(b), (x, y) => {
    const groups = [...new Set([...x.groups, ...y.groups])]
    if (!canBeOneUser(groups)) return false
    return [x.name, y.name].some((name) => {
      const user: User = { name, groups }
      return matchesSubject(a, user) && matchesSubject(b, user)
    })
  })

/** No user is both authenticated and unauthenticated, and no service account belongs to two namespaces. */
const canBeOneUser = (groups: readonly string[]): boolean =>
  !(groups.includes(AUTHENTICATED) && groups.includes(UNAUTHENTICATED)) &&
  groups.filter((group) => group.startsWith(`${SERVICE_ACCOUNTS}:`)).length < 2

const resourcesMeet = (a: ResourceRule, b: ResourceRule): boolean =>
  namesMeet(a.verbs, b.verbs) &&
  namesMeet(a.apiGroups, b.apiGroups) &&
  namesMeet(a.resources, b.resources) &&
  ((a.clusterScope === true && b.clusterScope === true) || namesMeet(a.namespaces, b.namespaces))

/** Two entries match lists of paths and trees of them: if they overlap, one is within the other. */
const pathsMeet = (a: NonResourceRule, b: NonResourceRule): boolean =>
  namesMeet(a.verbs, b.verbs) && (within(a, b) || within(b, a))

function within(a: NonResourceRule, b: NonResourceRule): boolean {
  const anyVerb = { ...b, verbs: ['*'] }
  return [...pathInfos(a)].some((info) => matchesNonResourceRule(anyVerb, info))
}

function namesMeet(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  if (a === undefined || b === undefined || a.length === 0 || b.length === 0) return false
  return isAll(a) || isAll(b) || a.some((name) => b.includes(name))
}

/**
 * Requests that represent everything that a flow schema matches: one for each combination of values that its rules
 * name, with a value that no configuration names wherever a rule contains `*`. A configuration sends all requests of
 * the schema elsewhere exactly when it sends these elsewhere, because what matches a value that no rule names matches
 * all of them.
 *
 * Users have the groups that a server gives them: every user is in one of `system:authenticated` and
 * `system:unauthenticated`, and service accounts are in the groups of theirs. An impersonating user may claim other
 * ones.
 */

/** Occurs in no name that the API admits. */
export const UNNAMED = '\u0000'
const SERVICE_ACCOUNTS = 'system:serviceaccounts'

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

/** Users that represent all whom a subject matches; for all users two, because no user is in both groups. */
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
    const account = accountName(namespace, name === '*' ? UNNAMED : name)
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

/** A single `*` represents all (trap T33). */
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

/** An entry represents itself, unless it ends in `/` or `*`, and everything below it (specification 2.5). */
function* pathInfos({ verbs, nonResourceURLs }: NonResourceRule): Generator<RequestInfo, void, undefined> {
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
